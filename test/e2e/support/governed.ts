import { expect } from "vitest";
import type { TestDaemon } from "../../support/daemon.ts";
import type { GovernedBench } from "../../support/governed-bench.ts";
import { type Event, eventsOf, expectOk, idle, type Session } from "./talk.ts";

export const T1 = "TKT-20260101-000000-AAAA";
export const T2 = "TKT-20260101-000000-BBBB";
export const T3 = "TKT-20260101-000000-CCCC";

export interface ShownWork {
  readonly ticket: string;
  readonly state: string;
  readonly fence?: number;
  readonly lost: boolean;
  readonly settled: boolean;
  readonly status?: string;
  readonly checks?: string;
  readonly summary?: string;
  readonly reason?: string;
  readonly to?: string;
  readonly receivedBy?: string;
  readonly memento?: string;
  readonly refused?: { readonly code: string; readonly message: string };
  readonly sessionId: string;
}

export interface Finished extends Session {
  readonly work?: ShownWork;
  readonly asked?: boolean;
}

/** Starts a session on a ticket and waits until its first turn has ended. */
export async function startOn(
  daemon: TestDaemon,
  cwd: string,
  ticket: string,
  prompt: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Session> {
  const body = { adapter: "demo", cwd, ticket, prompt, ...more };
  const session = expectOk(await daemon.call<Session>("POST", "/sessions/agent", body), 201);
  await idle(daemon, session.id);
  return session;
}

export function finish(daemon: TestDaemon, id: string, wish: Readonly<Record<string, unknown>>) {
  return daemon.call<Finished>("POST", `/sessions/${id}/finish`, wish);
}

export function handOver(daemon: TestDaemon, id: string, wish: Readonly<Record<string, unknown>>) {
  return daemon.call<Finished>("POST", `/sessions/${id}/handoff`, wish);
}

export async function worksOn(daemon: TestDaemon, cwd: string, ticket: string): Promise<readonly ShownWork[]> {
  const query = new URLSearchParams({ cwd, ticket });
  return expectOk(await daemon.call<{ works: ShownWork[] }>("GET", `/api/works?${query}`)).works;
}

/** The text under a ref of the clone; empty: there is none. */
export function refText(bench: GovernedBench, kind: "leases" | "status" | "evidence", ticket: string): string {
  return bench.git(bench.repo, "for-each-ref", "--format=%(contents)", `refs/nomos/${kind}/${ticket}`);
}

export function fenceOf(bench: GovernedBench, ticket: string): number {
  return Number(/^fencing_token: (\d+)$/m.exec(refText(bench, "leases", ticket))?.[1]);
}

export function isReleased(bench: GovernedBench, ticket: string): boolean {
  return /^released_at: /m.test(refText(bench, "leases", ticket));
}

export async function denialsOf(daemon: TestDaemon, id: string): Promise<readonly string[]> {
  const events = await eventsOf(daemon, id);
  return events.filter(({ type }) => type === "gate.denied@1").flatMap(({ data }) => data["rules"] as string[]);
}

/** Everything that the agent of a session was told by notes. */
export function notesIn(events: readonly Event[]): string {
  const told = events.filter(({ type }) => type === "turn.steered@1").map(({ data }) => String(data["text"]));
  expect(told.every((text) => text.startsWith("[Note from Nomos."))).toBe(true);
  return told.join("\n");
}
