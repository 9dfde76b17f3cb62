import type { CodeLine } from "../code/code-lines.ts";
import type { Block } from "../markdown/markdown-nodes.ts";

/** What the page asks the parsing thread. */
export type Ask =
  | { readonly what: "markdown"; readonly text: string }
  | { readonly what: "code"; readonly text: string; readonly grammar: string };

export interface Answers {
  readonly markdown: readonly Block[];
  readonly code: readonly CodeLine[];
}

export type AnswerTo<A extends Ask> = Answers[A["what"]];

export interface ToThread {
  readonly id: number;
  readonly ask: Ask;
}

export interface FromThread {
  readonly id: number;
  /** Null: it could not be parsed. */
  readonly answer: Answers[Ask["what"]] | null;
}
