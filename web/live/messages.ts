import type { Approval, LogEvent, Session, StreamItem } from "../../src/client/index.ts";

/** A session as the dashboard keeps it. */
export type Row = Session & { readonly doing?: string };

export type Connection = "connecting" | "live" | "broken" | "polling" | "signed-out";

/** From a tab to the hub. */
export type ToHub =
  | { readonly kind: "hello"; readonly page: string }
  | { readonly kind: "follow"; readonly id: string }
  | { readonly kind: "unfollow"; readonly id: string }
  /** Reads the last line of a session that said nothing since the hub came. */
  | { readonly kind: "look"; readonly id: string }
  | { readonly kind: "bye" };

/** From the hub to a tab. */
export type ToTab =
  | { readonly kind: "connection"; readonly is: Connection; readonly clockAheadMs: number }
  /** `isAll`: rows that are not in it are gone. */
  | { readonly kind: "rows"; readonly rows: readonly Row[]; readonly gone: readonly string[]; readonly isAll: boolean }
  | { readonly kind: "questions"; readonly questions: readonly Approval[] }
  | { readonly kind: "events"; readonly events: readonly LogEvent[] }
  | { readonly kind: "items"; readonly id: string; readonly items: readonly StreamItem[] }
  /** A connection to this session's stream stands: what came before has to be read. */
  | { readonly kind: "following"; readonly id: string };

/** One tab, as the hub sees it. */
export interface Tab {
  readonly send: (message: ToTab) => void;
}
