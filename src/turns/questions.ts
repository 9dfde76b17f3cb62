import type { QuestionDetail } from "../kernel/index.ts";
import type { CallPlace } from "./effects.ts";
import type { TurnGate } from "./permission/turn-gate.ts";

/** A turn's questions to people, and refusals without a question. */
export interface TurnQuestions {
  readonly ask: (question: string, options: readonly string[], how?: AskedHow) => Promise<Reply>;
  /** A foreign agent asks whether it may: the gate decides, and a person where the gate asks. */
  readonly permit: (wish: Wish) => Promise<Reply>;
  /** Records a refusal without a question. */
  readonly noteDenial: (denial: Denial) => Promise<void>;
}

export interface AskedHow extends CallPlace {
  /** The action asked about, if there is one. */
  readonly action?: AskedAction;
  /** The rules that made the gate ask. */
  readonly rules?: readonly string[];
  readonly inputHash?: string | undefined;
  readonly detail?: QuestionDetail | undefined;
}

export interface AskedAction {
  readonly verb: string;
  readonly resource: string;
}

export interface Denial extends AskedAction {
  readonly rules: readonly string[];
}

export interface Wish {
  /** What kind of thing it is about, as the agent says: the name that an agent's tool policy goes by. */
  readonly tool: string;
  readonly question: string;
  /** The possible answers beside a plain yes. */
  readonly options: readonly string[];
  /** What it is about where it names no file: `command/...`, `host/...`, or else the title of the call. */
  readonly resource: string;
  /** The resource of the command that it would run, where the tool is given one. */
  readonly command?: string;
  /** The files that it is about, as the agent names them. `isChanged`: the request brings their new content. */
  readonly paths?: readonly { readonly path: string; readonly isChanged: boolean }[];
  /** sha256 of all that the tool is given: two wishes that look alike may differ in what is not shown. */
  readonly inputHash?: string;
  /** What would be done, for the person. */
  readonly detail?: QuestionDetail;
}

export type Reply =
  | { readonly approved: true; readonly option: string | null }
  | {
      readonly approved: false;
      readonly reason: string | null;
      /** The reason is in a person's own words. */
      readonly isSaid?: true;
    };

/** How a foreign agent's requests for permission are decided. */
export type Permits = (wish: Wish, desk: PermitDesk) => Promise<Reply>;

/** What the decision needs of the turn: its gate, a person, and the log. */
export interface PermitDesk {
  readonly gate: TurnGate;
  readonly ask: (question: string, options: readonly string[], how: AskedHow) => Promise<Reply>;
  readonly noteDenial: (denial: Denial) => Promise<void>;
  readonly noteAllowed: (allowed: Denial) => Promise<void>;
  /** What goes through and should be known. */
  readonly warn: (title: string, text: string) => Promise<void>;
}
