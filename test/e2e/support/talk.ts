import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Answer, TestDaemon } from "../../support/daemon.ts";
import { whenTestEnds } from "../../support/test-end.ts";

export interface Session {
  readonly id: string;
  readonly name: string;
  readonly adapterSlug: string;
  readonly agent: string;
  readonly status: string;
  readonly state: string;
  readonly busy: boolean;
  readonly waitingFor?: string;
  readonly queued: number;
  readonly head: string | null;
  readonly cwd: string;
  readonly label?: string;
  readonly title?: string;
  readonly spent?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly costUsd: number | null;
  };
  readonly endedAt?: string;
  readonly exitCode?: number;
  readonly forkedFrom?: { readonly sessionId: string; readonly eventId: string };
}

export interface Event {
  readonly seq: number;
  readonly id: string;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly cause: string | null;
  readonly data: { readonly [key: string]: unknown };
  readonly hash: string;
  readonly prev: string;
}

export interface Approval {
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly status: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly action?: { readonly verb: string; readonly resource: string };
  readonly createdAt: string;
  readonly detail?: { readonly command?: string; readonly path?: string; readonly diff?: string };
}

export interface Refused {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly remedy: string;
    readonly details: { readonly [key: string]: unknown };
  };
}

export interface Prompted {
  readonly ok: boolean;
  readonly id: string;
  readonly turnId: string;
  readonly queued: boolean;
}

export interface EndedTurn {
  readonly turnId: string;
  readonly outcome: string;
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const POLL_MS = 15;
const WAIT_MAX_MS = 40_000;
/** For `vi.setConfig`: daemons are started and killed, and the machine may be busy. */
export const PATIENCE = { testTimeout: 120_000, hookTimeout: 120_000 };

/** Repeats the call until it gives an answer, up to the time limit. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  maxMs = WAIT_MAX_MS,
): Promise<T> {
  const untilMs = Date.now() + maxMs;
  while (true) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > untilMs) throw new Error(`not within ${maxMs} ms: ${what}`);
    await sleep(POLL_MS);
  }
}

/** A folder for a session, removed when the test ends. */
export async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-work-")));
  whenTestEnds(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export function expectOk<T>(answer: Answer<T>, status = 200): T {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer.body;
}

/** Expects the error shape, and nothing beside it. */
export function expectRefusal(answer: Answer<unknown>, status: number, code: string): Refused["error"] {
  const body = answer.body as Refused;
  expect({ status: answer.status, code: body?.error?.code, text: answer.text }).toMatchObject({ status, code });
  expect(Object.keys(body)).toEqual(["error"]);
  expect(Object.keys(body.error).sort()).toEqual(["code", "details", "message", "remedy"]);
  expect(body.error.message).not.toBe("");
  expect(body.error.remedy).not.toBe("");
  return body.error;
}

/** Starts a session. When this resolves it has started and writes nothing more by itself. */
export async function start(daemon: TestDaemon, body: Readonly<Record<string, unknown>> = {}): Promise<Session> {
  const cwd = body["cwd"] ?? (await newFolder());
  const answer = await daemon.call<Session>("POST", "/sessions/agent", { adapter: "demo", ...body, cwd });
  const session = expectOk(answer, 201);
  await eventually("started", async () => (await show(daemon, session.id)).state !== "starting");
  return session;
}

export async function show(daemon: TestDaemon, id: string): Promise<Session> {
  return expectOk(await daemon.call<Session>("GET", `/sessions/${id}`));
}

export async function prompt(
  daemon: TestDaemon,
  id: string,
  text: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Prompted> {
  return expectOk(await daemon.call<Prompted>("POST", `/sessions/${id}/prompt`, { prompt: text, ...more }));
}

export async function ended(daemon: TestDaemon, id: string, turnId: string): Promise<EndedTurn> {
  const query = `turnId=${turnId}&timeoutMs=${WAIT_MAX_MS}`;
  const { turn } = expectOk(await daemon.call<{ turn: EndedTurn }>("GET", `/sessions/${id}/wait?${query}`));
  return turn;
}

/** Sends a prompt and waits for the turn's end. */
export async function turn(daemon: TestDaemon, id: string, text: string): Promise<EndedTurn> {
  const { turnId } = await prompt(daemon, id, text);
  return ended(daemon, id, turnId);
}

export async function idle(daemon: TestDaemon, id: string): Promise<Session> {
  const path = `/sessions/${id}/wait?timeoutMs=${WAIT_MAX_MS}`;
  return expectOk(await daemon.call<{ session: Session }>("GET", path)).session;
}

/** Every event of a session, page by page. */
export async function eventsOf(daemon: TestDaemon, id: string, query = ""): Promise<readonly Event[]> {
  const found: Event[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const path: string = `/sessions/${id}/events?limit=1000&after=${after}${query === "" ? "" : `&${query}`}`;
    const page: { events: readonly Event[]; next: number | null } = expectOk(await daemon.call("GET", path));
    found.push(...page.events);
    after = page.next;
  }
  return found;
}

export async function linesOf(daemon: TestDaemon, id: string): Promise<readonly string[]> {
  const path = `/sessions/${id}/output?lastN=2000`;
  return expectOk(await daemon.call<{ lines: { line: string }[] }>("GET", path)).lines.map(({ line }) => line);
}

export async function approvalsOf(daemon: TestDaemon, sessionId: string): Promise<readonly Approval[]> {
  const path = `/api/approvals?sessionId=${sessionId}`;
  return expectOk(await daemon.call<{ approvals: Approval[] }>("GET", path)).approvals;
}

export function pendingOf(daemon: TestDaemon, sessionId: string): Promise<Approval> {
  return eventually(`an approval of ${sessionId}`, async () =>
    (await approvalsOf(daemon, sessionId)).find(({ status }) => status === "pending"),
  );
}

/** Checks the whole log byte by byte, and every read model against it. */
export async function expectSound(daemon: TestDaemon): Promise<void> {
  const report = expectOk(await daemon.call<{ ok: boolean }>("GET", "/api/doctor?rebuild=1"));
  expect(report).toMatchObject({ ok: true, log: { ok: true, problems: [] }, models: { ok: true, differences: [] } });
}

export function typesOf(events: readonly Event[]): readonly string[] {
  return events.map(({ type }) => type);
}
