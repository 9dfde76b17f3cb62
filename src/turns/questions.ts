import type { CallPlace } from "./effects.ts";

/** What a turn asks of people, and what was refused without asking. */
export interface TurnQuestions {
  readonly ask: (question: string, options: readonly string[], how?: AskedHow) => Promise<Reply>;
  /** A foreign agent asks whether it may: by the agent's tool policy, or by a person. */
  readonly permit: (wish: Wish) => Promise<Reply>;
  /** What was refused without asking anybody. */
  readonly noteDenial: (denial: Denial) => Promise<void>;
}

export interface AskedHow extends CallPlace {
  /** What is asked for, when it is about something that would be done. */
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
  /** What kind of thing it is about: the name that an agent's tool policy goes by. */
  readonly tool: string;
  readonly question: string;
  /** What may be answered beside a plain yes. */
  readonly options: readonly string[];
  readonly resource: string;
  /** The files that it is about, as the agent names them. */
  readonly paths?: readonly string[];
}

export type Reply =
  | { readonly approved: true; readonly option: string | null }
  | { readonly approved: false; readonly reason: string | null };

/** How a foreign agent's requests for permission are decided. */
export type Permits = (
  wish: Wish,
  ask: (question: string, options: readonly string[], action: AskedAction) => Promise<Reply>,
  noteDenial: (denial: Denial) => Promise<void>,
  /** What goes through and should be known. */
  warn: (title: string, text: string) => Promise<void>,
) => Promise<Reply>;
