import type { Client } from "../../client/index.ts";
import type { Editor } from "../talk/editor.ts";
import type { Terminal } from "../terminal.ts";
import type { Drawn } from "./board-screen.ts";
import type { BoardState } from "./board-state.ts";

/** What the keys of the board work with. */
export interface Board {
  readonly terminal: Terminal;
  readonly client: Client;
  readonly state: BoardState;
  readonly editor: Editor;
  /** The last picture, to find the row under the mouse. */
  readonly drawn: () => Drawn;
  /** Runs something that the daemon may refuse; shows what it resolves with. */
  readonly run: (work: () => Promise<string | null>) => void;
  /** When the selected session's question came on the screen. */
  readonly questionSinceMs: () => number;
  readonly showEnded: (shown: boolean) => void;
  readonly attach: (id: string) => void;
  readonly suspend: () => void;
  readonly leave: () => void;
}
