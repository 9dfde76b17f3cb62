import { describe, expect } from "vitest";
import {
  AccessToken,
  AGENT_EVENTS,
  AgentIdentity,
  type Folded,
  SYSTEM_STREAM,
  System,
  systemFact,
  TOKEN_EVENTS,
} from "../../../src/domains/index.ts";
import {
  APPROVALS,
  type CustomFact,
  type Fact,
  fact,
  factsOf,
  SESSIONS,
  Session,
  sessionStream,
  streamOf,
} from "../../../src/kernel/index.ts";
import type { Store } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { admitted, appendTo, event, everyEvent, newId, note, openSession, SPEC } from "../../support/store-home.ts";
import type { OpenStore } from "./describe-store.ts";

export function describeFolds(open: OpenStore): void {
  describe("folds and read models", () => {
    proves("LOG-8", "the fold at any version equals folding all events up to it, across fold snapshots", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      for (let n = 0; n < 20; n += 1) await appendTo(at.store, stream, longTurn(n, 70));
      const length = await at.store.version(stream);
      expect(length).toBeGreaterThan(2 * 512);
      const proveAll = async (store: Store): Promise<void> => {
        const folds = await foldsFromStart(store, stream);
        for (const version of [0, 1, 2, 510, 511, 512, 513, 514, 777, 1023, 1024, 1025, 1026, length])
          expect(await store.foldStream(stream, version)).toEqual(folds[version]);
        expect(await store.foldStream(stream)).toEqual(folds[length]);
      };
      await proveAll(at.store);
      await proveAll(await at.reopen());
    });

    proves("LOG-8", "one append can cross several fold snapshots at once", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      await appendTo(
        at.store,
        stream,
        Array.from({ length: 1500 }, (_, n) => note(n)),
      );
      await appendTo(at.store, stream, longTurn(0, 600));
      const folds = await foldsFromStart(at.store, stream);
      for (const version of [3, 512, 1501, 1502, 2048, 2103])
        expect(await at.store.foldStream(stream, version)).toEqual(folds[version]);
    });

    proves("LOG-8", "a version that does not exist yet has no fold", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      await expect(at.store.foldStream(stream, 2)).rejects.toMatchObject({ code: "event_not_found" });
      expect((await at.store.fold(Session, newId())).version).toBe(0);
      await expect(at.store.seqAt(stream, 2)).rejects.toMatchObject({ code: "event_not_found" });
    });

    proves("LOG-9", "once an append is acknowledged every list shows it", async () => {
      await using at = await open();
      const stream = await openSession(at.store, "brave-lynx-11");
      const id = stream.slice(sessionStream("").length);
      const row = () => at.store.row(SESSIONS, id);
      expect(await row()).toMatchObject({ name: "brave-lynx-11", state: "starting", active: true });
      await appendTo(at.store, stream, [fact("session.started@1", { continuity: "fresh" })]);
      expect(await row()).toMatchObject({ state: "idle", active: false });
      await appendTo(at.store, stream, [admitted("t1", "go"), fact("turn.started@1", { turnId: "t1" })]);
      expect(await row()).toMatchObject({ state: "busy", active: true });
      expect(await at.store.rows(SESSIONS, { limit: 5, where: { active: true } })).toHaveLength(1);
      await appendTo(at.store, stream, [question("a1")]);
      expect(await row()).toMatchObject({ waitingFor: "approval" });
      expect(await at.store.rows(APPROVALS, { limit: 5, where: { status: "pending" } })).toHaveLength(1);
      await appendTo(at.store, stream, [
        fact("approval.answered@1", {
          approvalId: "a1",
          turnId: "t1",
          status: "approved",
          option: "yes",
          reason: null,
        }),
        fact("turn.ended@1", { turnId: "t1", outcome: "completed", error: null }),
        fact("session.exited@1", { exitCode: 0 }),
      ]);
      expect(await row()).toMatchObject({ state: "exited", exitCode: 0, turnsEnded: 1 });
      expect(await at.store.rows(APPROVALS, { limit: 5, where: { status: "pending" } })).toEqual([]);
      expect(await at.store.row(APPROVALS, "a1")).toMatchObject({ status: "approved" });
      expect(await at.store.rows(SESSIONS, { limit: 5, where: { alive: true } })).toEqual([]);
      expect(await at.store.rows(SESSIONS, { limit: 5, where: { shown: true } })).toHaveLength(1);
      await appendTo(at.store, stream, [fact("session.forgotten@1", {})]);
      expect(await at.store.rows(SESSIONS, { limit: 5, where: { shown: true } })).toEqual([]);
    });

    proves("LOG-9", "a question asked and answered in one append is not in the list of open ones", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      await appendTo(at.store, stream, [
        question("a1"),
        fact("approval.closed@1", { approvalId: "a1", turnId: "t1", status: "expired" }),
        question("a2"),
      ]);
      const session = stream.slice(sessionStream("").length);
      const asked = await at.store.rows(APPROVALS, { limit: 5, where: { session } });
      expect(asked.map(({ status }) => status)).toEqual(["expired", "pending"]);
      expect((await at.store.rebuild(null)).differences).toEqual([]);
    });

    proves("LOG-9", "after all these steps the lists equal the log", async () => {
      await using at = await open();
      for (let n = 0; n < 5; n += 1) {
        const stream = await openSession(at.store, `calm-otter-0${n}`);
        await appendTo(at.store, stream, longTurn(n, 150 * n));
      }
      await appendTo(at.store, streamOf(AgentIdentity, "demo"), [
        factsOf(AGENT_EVENTS)("agent.created@1", {
          slug: "demo",
          name: "Demo",
          driver: "demo",
          tools: {},
          builtIn: false,
        }),
      ]);
      await appendTo(at.store, streamOf(AccessToken, "k1"), [
        factsOf(TOKEN_EVENTS)("token.issued@1", {
          tokenId: "k1",
          secretHash: "s1",
          label: "l",
          capabilities: ["*"],
          sessionId: null,
          expiresAtMs: null,
        }),
      ]);
      await appendTo(at.store, SYSTEM_STREAM, [systemFact("agent.defaulted@1", { slug: "demo" })]);
      expect((await at.store.fold(System, "")).defaultAgent).toBe("demo");
      expect(await at.store.fold(AgentIdentity, "demo")).toMatchObject({ at: "present", agent: { slug: "demo" } });
      await at.reopen();
      const report = await at.store.rebuild(null);
      expect(report).toMatchObject({ ok: true, differences: [], streams: 8 });
      expect(report.rows).toBeGreaterThanOrEqual(8);
      expect((await at.store.verify()).ok).toBe(true);
    });

    proves("LOG-9", "lists can be compared with the log while the log grows", async () => {
      await using at = await open();
      const streams = await Promise.all(Array.from({ length: 6 }, () => openSession(at.store)));
      const writing = streams.map(async (stream) => {
        for (let n = 0; n < 60; n += 1) await appendTo(at.store, stream, longTurn(n, 3));
      });
      for (let n = 0; n < 5; n += 1) {
        expect((await at.store.rebuild({ fence: 0 })).differences).toEqual([]);
        expect((await at.store.verify()).problems).toEqual([]);
        for (let more = 0; more < 3; more += 1) await openSession(at.store);
      }
      await Promise.all(writing);
      expect((await at.store.rebuild(null)).differences).toEqual([]);
    });

    proves("LOG-19", "a fork continues its parent's chain, and only from an existing event", async () => {
      await using at = await open();
      const parent = await openSession(at.store);
      const [, second] = await appendTo(at.store, parent, [note(1), note(2)]);
      if (second === undefined) throw new Error("nothing was appended");
      const stream = sessionStream(newId());
      const from = { sessionId: parent.slice(8), stream: parent, version: second.version, eventId: second.id };
      const view = { path: [], artifacts: {}, todo: [] };
      const forked = fact("session.forked@1", { spec: SPEC, label: null, from, root: from.sessionId, view });
      const part = { stream, expectedVersion: 0, events: [event(forked)] };
      await expect(at.store.append([part], { fence: 0 })).rejects.toThrow("must continue");
      const beyond = { ...from, version: 9 };
      const lost = {
        ...part,
        events: [event({ ...forked, data: { ...forked.data, from: beyond } })],
        continues: beyond,
      };
      await expect(at.store.append([lost], { fence: 0 })).rejects.toMatchObject({ code: "event_not_found" });
      const [first] = await at.store.append([{ ...part, continues: from }], { fence: 0 });
      expect(first?.prev).toBe(second.hash);
      await appendTo(at.store, stream, [note(3)]);
      expect(await at.store.verify()).toMatchObject({ ok: true, events: 5, streams: 2 });
      expect(await everyEvent(at.store)).toHaveLength(5);
    });
  });
}

function question(approvalId: string): Fact {
  const asked = {
    turnId: "t1",
    question: "May I?",
    options: ["yes", "always"],
    action: null,
    effectId: null,
    checkpoint: null,
  };
  return fact("approval.requested@1", { approvalId, ...asked });
}

function longTurn(n: number, notes: number): readonly (Fact | CustomFact)[] {
  const turnId = `t${n}`;
  return [
    admitted(turnId, `prompt ${n}`),
    fact("turn.started@1", { turnId }),
    ...Array.from({ length: notes }, (_, at) => note(at, turnId)),
    fact("turn.ended@1", { turnId, outcome: "completed", error: null }),
  ];
}

/** By version; 0 is the empty fold. */
async function foldsFromStart(store: Store, stream: string): Promise<readonly Folded[]> {
  const { empty, evolve, recall } = store.definitions;
  const folds = [empty(stream)];
  for (const found of await everyEvent(store)) {
    const { id, version, at, type, data } = found;
    const last = folds.at(-1);
    if (found.stream !== stream || last === undefined) continue;
    folds.push(evolve(stream, last, { id, version, at, fact: data === null ? null : recall(type, data) }));
  }
  return folds;
}
