import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import {
  AccessToken,
  AGENT_EVENTS,
  AgentIdentity,
  SYSTEM_STREAM,
  systemFact,
  TOKEN_EVENTS,
  TOKENS,
} from "../../src/domains/index.ts";
import { fact, factsOf, SESSIONS, sessionStream, streamOf } from "../../src/kernel/index.ts";
import { HOUSE } from "../../src/store/definitions.ts";
import { logPath, openSqliteStore, type RecordedEvent, type Store, StoreError } from "../../src/store/index.ts";
import { compareModels } from "../../src/store/models/compare-models.ts";
import { inspectLog } from "../../src/store/sqlite/opening/start-check.ts";
import { createDerivedReads } from "../../src/store/sqlite/reader/derived-reads.ts";
import { verifyLog } from "../../src/store/sqlite/reader/verify.ts";
import { foldCold } from "../../src/store/sqlite/reads/fold-stream.ts";
import { createPageReads, type PageReads } from "../../src/store/sqlite/reads/page-reads.ts";
import { openForReading, openForWriting, translate } from "../../src/store/sqlite/tables/schema.ts";
import { createWriter } from "../../src/store/sqlite/writer/writer.ts";
import { admitted, appendTo, event, newId, note, opened } from "./store-home.ts";
import { throwOnFatal } from "./store-sqlite.ts";

/** A closed home with data of every kind: its whole log is in one file. */
export async function makeRichHome(home: string): Promise<void> {
  const store = await openSqliteStore({ home, onFatal: throwOnFatal });
  await fillRichly(store);
  await store.close();
}

/** Data of every kind, under fence 1. */
export async function fillRichly(store: Store): Promise<void> {
  const [one, two] = [sessionStream(newId()), sessionStream(newId())];
  await appendTo(
    store,
    SYSTEM_STREAM,
    [systemFact("lease.acquired@1", { resource: "home", holder: "test", fence: 1 })],
    1,
  );
  await appendTo(store, one, [opened("calm-otter-01", "a label")], 1);
  await appendTo(store, two, [opened("keen-crane-02"), fact("session.started@1", { continuity: "fresh" })], 1);
  await appendTo(store, streamOf(AgentIdentity, "demo"), [DEMO], 1);
  await appendTo(store, streamOf(AccessToken, "k1"), [TOKEN], 1);
  const blob = await store.putBlob(Buffer.from("bytes of an answer ".repeat(50)));
  await appendTo(
    store,
    two,
    [
      admitted("t1", "Please look into it"),
      fact("turn.started@1", { turnId: "t1" }),
      fact("message.completed@1", { turnId: "t1", role: "assistant", text: "I did", blob, bytes: 950 }),
      fact("approval.requested@1", { ...QUESTION, approvalId: "a1" }),
      fact("approval.answered@1", { approvalId: "a1", turnId: "t1", status: "approved", option: "yes", reason: null }),
      fact("approval.requested@1", { ...QUESTION, approvalId: "a2" }),
    ],
    1,
  );
  const call = { keyHash: "1".repeat(64), requestHash: "2".repeat(64) };
  await store.append([{ stream: one, expectedVersion: 1, events: [event(note("called"))] }], { fence: 1, call });
  await appendTo(store, one, [note("large ".repeat(3000))], 1);
  for (let n = 0; n < 52; n += 1)
    await appendTo(
      store,
      two,
      Array.from({ length: 10 }, (_, at) => note({ n, at }, "t1")),
      1,
    );
  const [gone] = (await store.readStream(one, { limit: 1, after: 9, types: ["x.note"] })).events;
  if (gone !== undefined) {
    const said = event(fact("data.erased@1", { events: [gone.id], reason: "asked for" }));
    await store.erase(one, [gone.id], said, { fence: 1 });
  }
}

const DEMO = factsOf(AGENT_EVENTS)("agent.created@1", {
  slug: "demo",
  name: "Demo",
  driver: "demo",
  tools: { run: "always_ask" },
  builtIn: true,
});
const TOKEN = factsOf(TOKEN_EVENTS)("token.issued@1", {
  tokenId: "k1",
  secretHash: "3".repeat(64),
  label: "for a friend",
  capabilities: ["session.read"],
  sessionId: null,
  expiresAtMs: null,
});
const QUESTION = {
  turnId: "t1",
  question: "May I run it?",
  options: ["yes", "always"],
  action: { verb: "tool.run", resource: "path/x" },
  effectId: null,
  checkpoint: null,
};

/** Every kind of read, with its answer or refusal. */
export type Answers = ReadonlyMap<string, unknown>;

export function askEverything(path: string, truth: readonly RecordedEvent[]): Answers {
  const answers = new Map<string, unknown>();
  const ask = (question: string, work: () => unknown): void => {
    try {
      answers.set(question, work());
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause;
      answers.set(question, cause);
    }
  };
  let db: DatabaseSync | null = null;
  ask("open", () => {
    db = openForReading(path);
  });
  if (db === null) return answers;
  const reads = createPageReads(db);
  ask("events all", () => everyEvent(reads));
  for (const stream of new Set(truth.map((found) => found.stream))) {
    ask(`events ${stream}`, () => reads.stream(stream, { limit: 10_000 }));
    ask(`fold ${stream}`, () => foldCold(HOUSE, reads, stream));
  }
  for (const found of truth.filter(({ seq }) => seq % 20 === 1)) ask(`id ${found.id}`, () => reads.event(found.id));
  for (const list of HOUSE.lists) {
    ask(`rows ${list.name}`, () => reads.rows(list, { limit: 100 }));
    for (const by of Object.keys(list.keys))
      ask(`rows ${list.name} by ${by}`, () => reads.rows(list, { limit: 100, by }));
  }
  ask("rows open", () => reads.rows(SESSIONS, { limit: 100, where: { alive: true } }));
  ask("name", () => reads.rows(SESSIONS, { limit: 2, where: { name: "calm-otter-01" } }));
  ask("token", () => reads.rows(TOKENS, { limit: 2, where: { secret: "3".repeat(64) } }));
  ask("call", () => reads.call("1".repeat(64)));
  closeQuietly(db);
  return answers;
}

/** The result of a full check, as a person sees it. */
export async function examine(path: string): Promise<{ readonly code: string; readonly details: unknown } | null> {
  let db: DatabaseSync | null = null;
  try {
    db = openForReading(path);
    const verified = verifyLog(db, () => undefined);
    if (!verified.ok) return { code: "verify", details: verified.problems };
    const compared = await compareModels(
      HOUSE,
      createDerivedReads(db, createPageReads(db), join(dirname(path), "blobs")),
      () => undefined,
    );
    return compared.ok ? null : { code: "rebuild", details: compared.differences };
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    return { code: cause.code, details: cause.details };
  } finally {
    if (db !== null) closeQuietly(db);
  }
}

/** A start, up to the point of the first append. */
export function start(home: string): StoreError | null {
  let db: DatabaseSync | null = null;
  try {
    db = openForWriting(logPath(home));
    inspectLog(db, HOUSE);
    createWriter(db, join(home, "blobs"), HOUSE.lists);
    return null;
  } catch (cause) {
    return translate(cause);
  } finally {
    if (db !== null) closeQuietly(db);
  }
}

export function everyEvent(reads: PageReads): readonly RecordedEvent[] {
  const found: RecordedEvent[] = [];
  let cursor: number | null = 0;
  while (cursor !== null) {
    const page = reads.all({ after: cursor, limit: 200 });
    found.push(...page.events);
    cursor = page.next;
  }
  return found;
}

/** A damaged file may also refuse its last checkpoint of the write-ahead log. */
function closeQuietly(db: DatabaseSync): void {
  try {
    db.close();
  } catch (cause) {
    if (!(cause instanceof Error && "errcode" in cause)) throw cause;
  }
}
