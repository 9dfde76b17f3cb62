import { batch, type Signal, signal } from "@preact/signals";
import type { Approval, LogEvent, StreamItem } from "../../src/client/index.ts";
import type { Connection, Row, ToHub, ToTab } from "./messages.ts";
import { reachHub } from "./reach-hub.ts";

export interface SessionFollower {
  readonly onItems: (items: readonly StreamItem[]) => void;
  /** A connection stands, the first or a new one: read what came before, and take each `seq` once. */
  readonly onLive: () => void;
}

const CONNECTION: Signal<Connection> = signal("connecting");
const QUESTIONS: Signal<readonly Approval[]> = signal([]);
/** Changes with every batch of rows; a row's own signal changes only with that row. */
const CHANGES = signal(0);
/** The signal of a row that is gone says so to the views that have it. */
const ROWS = new Map<string, Signal<Row | undefined>>();
const FOLLOWERS = new Map<string, Set<SessionFollower>>();
const LISTENERS = new Set<(events: readonly LogEvent[]) => void>();
let clockAheadMs = 0;
let send: (message: ToHub) => void = () => undefined;
let hasHub = false;

/** Joins the hub with the page's half of the secret; again after a new sign-in. */
export function goLive(page: string): void {
  // A second port would tell this tab everything twice.
  if (!hasHub) send = reachHub(hear);
  hasHub = true;
  send({ kind: "hello", page });
  for (const id of FOLLOWERS.keys()) send({ kind: "follow", id });
}

export function useConnection(): Connection {
  return CONNECTION.value;
}

/** Oldest first. */
export function useQuestions(): readonly Approval[] {
  return QUESTIONS.value;
}

/** All sessions the hub knows. A view of one session uses `useSession`, which changes less often. */
export function useSessions(): readonly Row[] {
  CHANGES.value;
  return Array.from(ROWS.values()).flatMap((row) => row.peek() ?? []);
}

export function useSession(id: string): Row | undefined {
  const row = ROWS.get(id);
  if (row === undefined) CHANGES.value;
  return row?.value;
}

export function followSession(id: string, follower: SessionFollower): () => void {
  const followers = FOLLOWERS.get(id) ?? new Set();
  FOLLOWERS.set(id, followers);
  followers.add(follower);
  send({ kind: "follow", id });
  return () => {
    followers.delete(follower);
    if (followers.size > 0) return;
    FOLLOWERS.delete(id);
    send({ kind: "unfollow", id });
  };
}

/** Has the last line of a session read, for a view that shows it and finds none. */
export function lookAt(id: string): void {
  send({ kind: "look", id });
}

/** Events outside of sessions, and those of questions. */
export function onEvents(listener: (events: readonly LogEvent[]) => void): () => void {
  LISTENERS.add(listener);
  return () => void LISTENERS.delete(listener);
}

/** The daemon's clock, in milliseconds: a phone's own may be wrong. */
export function serverNow(): number {
  return Date.now() + clockAheadMs;
}

function hear(message: ToTab): void {
  switch (message.kind) {
    case "connection":
      clockAheadMs = message.clockAheadMs;
      CONNECTION.value = message.is;
      return;
    case "rows":
      takeRows(message);
      return;
    case "questions":
      QUESTIONS.value = message.questions;
      return;
    case "events":
      for (const listener of LISTENERS) listener(message.events);
      return;
    case "items":
      for (const { onItems } of FOLLOWERS.get(message.id) ?? []) onItems(message.items);
      return;
    case "following":
      for (const { onLive } of FOLLOWERS.get(message.id) ?? []) onLive();
  }
}

function takeRows({ rows, gone, isAll }: Extract<ToTab, { kind: "rows" }>): void {
  batch(() => {
    const seen = new Set<string>();
    for (const row of rows) {
      seen.add(row.id);
      const known = ROWS.get(row.id);
      if (known === undefined) ROWS.set(row.id, signal<Row | undefined>(row));
      else known.value = row;
    }
    for (const id of isAll ? [...ROWS.keys()].filter((id) => !seen.has(id)) : gone) drop(id);
    CHANGES.value += 1;
  });
}

function drop(id: string): void {
  const row = ROWS.get(id);
  if (row === undefined) return;
  ROWS.delete(id);
  row.value = undefined;
}
