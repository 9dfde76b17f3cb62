import type { CallPlace } from "./effects.ts";

/** A turn's questions to people, and refusals without a question. */
export interface TurnQuestions {
  readonly ask: (question: string, options: readonly string[], how?: AskedHow) => Promise<Reply>;
  /** A foreign agent's permission request: answered by the agent's tool policy, or by a person. */
  readonly permit: (wish: Wish) => Promise<Reply>;
  /** Records a refusal without a question. */
  readonly noteDenial: (denial: Denial) => Promise<void>;
}

export interface AskedHow extends CallPlace {
  /** The action asked about, if there is one. */
  readonly action?: AskedAction;
}

export interface AskedAction {
  readonly verb: string;
  readonly resource: string;
}

export interface Denial extends AskedAction {
  readonly rules: readonly string[];
}

export interface Wish {
  /** The kind of action: the name in an agent's tool policy. */
  readonly tool: string;
  readonly question: string;
  /** The possible answers beside a plain yes. */
  readonly options: readonly string[];
  readonly resource: string;
  /** The files it is about, as the agent names them. */
  readonly paths?: readonly string[];
}

export type Reply =
  | { readonly approved: true; readonly option: string | null }
  | { readonly approved: false; readonly reason: string | null };

/** How a foreign agent's permission requests are decided. */
export type Permits = (
  wish: Wish,
  ask: (question: string, options: readonly string[], action: AskedAction) => Promise<Reply>,
  noteDenial: (denial: Denial) => Promise<void>,
  /** An allowed action that should be recorded. */
  warn: (title: string, text: string) => Promise<void>,
) => Promise<Reply>;
