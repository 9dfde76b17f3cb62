import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StormDaemon } from "./storm-daemon.ts";
import type { Fact } from "./storm-ledger.ts";

export interface LogEvent {
  readonly seq: number;
  readonly id: string;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly hash: string;
}

interface Session {
  readonly id: string;
  readonly state: string;
  readonly busy: boolean;
  readonly waitingFor?: string;
}

const DRAIN_MAX_MS = 120_000;
const SAMPLE = 6;

/** Answers every question and resumes every session until nothing runs any more. */
export async function drain(daemon: StormDaemon): Promise<readonly Session[]> {
  const untilMs = Date.now() + DRAIN_MAX_MS;
  while (true) {
    const { approvals } = (await daemon.call<{ approvals: { id: string }[] }>("GET", "/api/approvals?status=pending"))
      .body;
    for (const { id } of approvals) await daemon.call("POST", `/api/approvals/${id}/approve`, {});
    const { sessions } = (await daemon.call<{ sessions: Session[] }>("GET", "/sessions?onlyAlive=1&limit=1000")).body;
    for (const { id } of sessions.filter(({ state }) => state === "suspended"))
      await daemon.call("POST", `/sessions/${id}/resume`, {});
    if (approvals.length === 0 && sessions.every(({ busy, state }) => !busy && state !== "suspended")) return sessions;
    if (Date.now() > untilMs) throw new Error(`not drained: ${JSON.stringify(sessions.filter(({ busy }) => busy))}`);
    await sleep(20);
  }
}

/** Some of the sessions that have not ended: each takes a prompt and completes it. */
export async function expectPromptable(daemon: StormDaemon, sessions: readonly Session[]): Promise<void> {
  const step = Math.max(1, Math.floor(sessions.length / SAMPLE));
  const sample = sessions.filter((_, at) => at % step === 0);
  await Promise.all(
    sample.map(async ({ id }) => {
      const prompted = await daemon.call<{ turnId: string }>("POST", `/sessions/${id}/prompt`, { prompt: "say on" });
      if (prompted.status !== 200) throw new Error(`${id} takes no prompt: ${JSON.stringify(prompted.body)}`);
      const path = `/sessions/${id}/wait?turnId=${prompted.body.turnId}&timeoutMs=60000`;
      const { body } = await daemon.call<{ turn: { outcome: string } }>("GET", path);
      if (body.turn?.outcome !== "completed") throw new Error(`${id} did not complete: ${JSON.stringify(body)}`);
    }),
  );
}

export async function readLog(daemon: StormDaemon): Promise<readonly LogEvent[]> {
  const found: LogEvent[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const path: string = `/api/audit/entries?limit=1000&after=${after}`;
    const page: { entries: LogEvent[]; next: number | null } = (
      await daemon.call<{ entries: LogEvent[]; next: number | null }>("GET", path)
    ).body;
    found.push(...page.entries);
    after = page.next;
  }
  return found;
}

export interface Verdict {
  readonly events: number;
  readonly turns: number;
  readonly completed: number;
  readonly effects: number;
  readonly facts: number;
}

/** Checks every guarantee against the whole log and the marks that effects left. Throws the violations. */
export async function judge(
  daemon: StormDaemon,
  facts: readonly Fact[],
  folder: string,
  /** Artifact bytes are read only for facts from here on; an earlier check covered the others. */
  newFrom: number,
): Promise<Verdict> {
  const log = await readLog(daemon);
  const problems: string[] = [];
  for (const [at, { seq }] of log.entries()) if (seq !== at + 1) problems.push(`position ${at + 1} holds ${seq}`);
  const turns = turnsIn(log, problems);
  const index = indexLog(log);
  for (const [at, fact] of facts.entries()) {
    const problem = lost(fact, index, turns) ?? (at < newFrom ? null : await bytesLost(fact, index, daemon));
    if (problem !== null) problems.push(`${problem}: ${JSON.stringify(fact)}`);
  }
  const lines = await effectLines(folder, problems);
  for (const { prompt, outcome } of turns.values())
    for (const [, line] of prompt.matchAll(/echo (\S+-\d) >>/g)) {
      const count = lines.get(line ?? "") ?? 0;
      if (outcome === "completed" && count !== 1) problems.push(`${line} was done ${count} times`);
      if (outcome === "cancelled" && count !== 0) problems.push(`${line} was done by a turn that never ran`);
    }
  const { body } = await daemon.call<{ ok: boolean }>("GET", "/api/doctor?rebuild=1");
  if (!body.ok) problems.push(`doctor: ${JSON.stringify(body)}`);
  if (problems.length > 0) throw new Error(`${problems.length} promises broken:\n${problems.slice(0, 20).join("\n")}`);
  const ends = [...turns.values()];
  const completed = ends.filter(({ outcome }) => outcome === "completed").length;
  return { events: log.length, turns: ends.length, completed, effects: lines.size, facts: facts.length };
}

interface Turn {
  readonly stream: string;
  readonly prompt: string;
  readonly outcome: string;
}

/** Every admitted turn has exactly one end. */
export function turnsIn(log: readonly LogEvent[], problems: string[]): ReadonlyMap<string, Turn> {
  const ends = Map.groupBy(
    log.filter(({ type }) => type === "turn.ended@1"),
    ({ data }) => String(data["turnId"]),
  );
  const turns = new Map<string, Turn>();
  for (const { type, stream, data } of log) {
    if (type !== "turn.admitted@1") continue;
    const turnId = String(data["turnId"]);
    const own = ends.get(turnId) ?? [];
    if (own.length !== 1) problems.push(`turn ${turnId} of ${stream} has ${own.length} ends`);
    turns.set(turnId, { stream, prompt: String(data["prompt"]), outcome: String(own[0]?.data["outcome"]) });
  }
  return turns;
}

interface LogIndex {
  readonly byId: ReadonlyMap<string, LogEvent>;
  readonly first: (stream: string, type: string) => LogEvent | undefined;
  readonly rewinds: ReadonlySet<string>;
  readonly answers: ReadonlyMap<string, readonly string[]>;
}

function indexLog(log: readonly LogEvent[]): LogIndex {
  const firsts = new Map<string, LogEvent>();
  const rewinds = new Set<string>();
  const answers = new Map<string, string[]>();
  for (const event of log) {
    const name = `${event.stream} ${event.type}`;
    if (!firsts.has(name)) firsts.set(name, event);
    if (event.type === "session.rewound@1") rewinds.add(`${event.stream} ${Object(event.data["to"]).eventId}`);
    if (event.type !== "approval.answered@1") continue;
    const approvalId = String(event.data["approvalId"]);
    answers.set(approvalId, [...(answers.get(approvalId) ?? []), String(event.data["status"])]);
  }
  const byId = new Map(log.map((event) => [event.id, event]));
  return { byId, first: (stream, type) => firsts.get(`${stream} ${type}`), rewinds, answers };
}

function lost(fact: Fact, index: LogIndex, turns: ReadonlyMap<string, Turn>): string | null {
  const { byId, first, rewinds, answers } = index;
  switch (fact.what) {
    case "session":
      return first(`session/${fact.id}`, "session.opened@1") === undefined ? "a session is lost" : null;
    case "killed":
      return first(`session/${fact.id}`, "session.killed@1") === undefined ? "a kill is lost" : null;
    case "forgotten":
      return first(`session/${fact.id}`, "session.forgotten@1") === undefined ? "a forgetting is lost" : null;
    case "turn":
      return turns.get(fact.turnId)?.stream === `session/${fact.sessionId}` ? null : "an admitted turn is lost";
    case "fork": {
      const from = Object(first(`session/${fact.id}`, "session.forked@1")?.data["from"]);
      return from.eventId === fact.eventId && from.sessionId === fact.from ? null : "a fork is lost";
    }
    case "rewound":
      return rewinds.has(`session/${fact.sessionId} ${fact.to}`) ? null : "a rewind is lost";
    case "artifact": {
      const { path, version } = Object(byId.get(fact.eventId)?.data);
      return path === fact.path && version === fact.version ? null : "an artifact is lost";
    }
    case "answer":
      return answers.get(fact.approvalId)?.join() === fact.status ? null : "an answer is lost, or there are two";
    case "event":
      return byId.has(fact.id) ? null : "an event is lost";
    case "seen": {
      const found = byId.get(fact.id);
      return found?.seq === fact.seq && found.hash === fact.hash ? null : "an event that was read is lost or changed";
    }
  }
}

async function bytesLost(fact: Fact, { byId }: LogIndex, daemon: StormDaemon): Promise<string | null> {
  if (fact.what !== "artifact") return null;
  const { blob } = Object(byId.get(fact.eventId)?.data);
  const { status } = await daemon.call("GET", `/api/blobs/${blob}`);
  return status === 200 ? null : "an artifact's bytes are lost";
}

/** Each line of each effect is there at most once: O_APPEND keeps them apart. */
export async function effectLines(folder: string, problems: string[]): Promise<ReadonlyMap<string, number>> {
  const text = await readFile(join(folder, "effects.log"), "utf8").catch(() => "");
  const counts = new Map<string, number>();
  for (const line of text.split("\n").filter((one) => one !== "")) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const [line, count] of counts) if (count > 1) problems.push(`${line} was done ${count} times`);
  return counts;
}
