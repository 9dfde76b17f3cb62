import type { Collision, OpenLandings } from "../landing/open-landings.ts";
import type { Text } from "../screen/styled.ts";
import type { WorkInNeed } from "../work/works-in-need.ts";
import type { BoardRow, Group } from "./board-rows.ts";

/** What is on the board. Keys change it, the screen is drawn from it. */
export interface BoardState {
  /** Ordered, and only those that the filter lets through. */
  rows: readonly BoardRow[];
  counts: ReadonlyMap<Group, number>;
  landings: OpenLandings;
  collisions: readonly Collision[];
  works: readonly WorkInNeed[];
  /** By id, because rows move. */
  selected: string | null;
  mode: Mode;
  filter: string;
  message: { readonly text: string; readonly isWrong: boolean } | null;
  /** The end of the selected session's transcript. */
  preview: readonly Text[];
  /** Lines of the lower part that are scrolled away. */
  scrolled: number;
  isConnected: boolean;
  showsEnded: boolean;
  /** The agent and folder of a session that is started by typing. */
  agent: string;
  folder: string;
}

export type Mode =
  | { readonly is: "list" }
  /** A prompt for a new session is being typed. */
  | { readonly is: "typing" }
  | { readonly is: "filter" }
  /** One line of text is wanted, such as the reason of a no. */
  | { readonly is: "ask"; readonly label: string; readonly run: (text: string) => void }
  | { readonly is: "confirm"; readonly text: string; readonly opener: string; readonly run: () => void }
  | {
      readonly is: "page";
      readonly title: string;
      readonly lines: readonly Text[];
      readonly opener: string;
      /** The daemon has not answered yet: Enter does nothing. */
      readonly isWaiting?: true;
      /** Shows the page before or after this one, such as another turn's diff. */
      readonly turn?: (by: number) => void;
    }
  | {
      readonly is: "choose";
      readonly title: string;
      readonly items: readonly Choice[];
      readonly at: number;
      readonly opener: string;
    };

export interface Choice {
  readonly label: string;
  readonly run: () => void;
}

export const LIST: Mode = { is: "list" };

export function selectedRow({ rows, selected }: BoardState): BoardRow | undefined {
  return rows.find(({ session }) => session.id === selected) ?? rows[0];
}

export function selectedAt(state: BoardState): number {
  const row = selectedRow(state);
  return row === undefined ? -1 : state.rows.indexOf(row);
}
