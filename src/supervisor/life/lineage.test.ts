import fc from "fast-check";
import { afterAll, beforeAll, expect } from "vitest";
import { NO_BOUNDS } from "../../../test/support/no-session-parts.ts";
import { proves } from "../../../test/support/proves.ts";
import { newRedactor } from "../../../test/support/redactor.ts";
import { makeTestHome, newId, SPEC, type TestHome } from "../../../test/support/store-home.ts";
import { throwOnFatal } from "../../../test/support/store-sqlite.ts";
import { type Committer, createCommitter } from "../../commit/index.ts";
import { acquireLease, SYSTEM_STREAM } from "../../domains/index.ts";
import { systemClock } from "../../host/index.ts";
import {
  addCustom,
  type Decision,
  forkSession,
  idIn,
  isRefusal,
  openSession,
  rewindSession,
  Session,
  type SessionState,
} from "../../kernel/index.ts";
import { openSqliteStore, type RecordedEvent, type Store } from "../../store/index.ts";
import { findPoint, isOnPathOf, partingOf, readPath, sessionAt } from "./lineage.ts";

let home: TestHome;
let store: Store;
let committer: Committer;
const BY = { actor: "test" };

beforeAll(async () => {
  home = await makeTestHome();
  store = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
  const lease = acquireLease(
    { at: "free", version: 0, lastFence: 0 },
    { resource: "home", holder: "test", deadHolder: true },
  );
  if (isRefusal(lease)) throw new Error("no lease");
  const at = new Date().toISOString();
  const events = lease.map((fact) => ({ id: newId(), at, actor: "test", cause: null, fact }));
  await store.append([{ stream: SYSTEM_STREAM, expectedVersion: 0, events }], { fence: 1 });
  committer = createCommitter({
    store,
    clock: systemClock(),
    newId,
    fence: 1,
    bounds: NO_BOUNDS,
    redactor: newRedactor(),
  });
});
afterAll(async () => {
  await store.close();
  await home[Symbol.asyncDispose]();
});

/** A simple model of history: each event stores the whole path that led to it. */
interface Model {
  readonly sessions: { readonly id: string; path: readonly string[]; readonly reach: Set<string> }[];
  readonly pathTo: Map<string, readonly string[]>;
  readonly reachAt: Map<string, ReadonlySet<string>>;
}

type Step =
  | { readonly do: "open" }
  | { readonly do: "add"; readonly session: number; readonly count: number }
  | { readonly do: "fork"; readonly session: number; readonly event: number }
  | { readonly do: "rewind"; readonly session: number; readonly event: number };

const index = fc.nat({ max: 1000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant("open" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("add" as const), session: index, count: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("fork" as const), session: index, event: index }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("rewind" as const), session: index, event: index }) },
);

const stateOf = (id: string): Promise<SessionState> => committer.sessionState(id);
const create = async (
  id: string,
  decide: (state: SessionState) => Decision,
  from?: { stream: string; version: number },
) => (await committer.change(Session, id, decide, BY, from)).events;

async function take(model: Model, given: Step): Promise<void> {
  const known = (at: number) => model.sessions[at % model.sessions.length];
  const session = given.do === "open" ? undefined : known(given.session);
  if (session === undefined) {
    const id = newId();
    const opened = { id, path: [] as readonly string[], reach: new Set<string>() };
    model.sessions.push(opened);
    follow(model, opened, await create(id, (state) => openSession(state, { spec: SPEC, label: null })));
    return;
  }
  const pick = (at: number) => [...session.reach][at % session.reach.size] ?? "";
  if (given.do === "add") {
    const items = Array.from({ length: given.count }, (_, at) => ({ type: "x.note@1" as const, payload: at }));
    follow(model, session, (await committer.session(session.id, (state) => addCustom(state, null, items), BY)).events);
    return;
  }
  if (given.do === "open") return;
  const eventId = pick(given.event);
  const state = await stateOf(session.id);
  const point = await findPoint(store, state, eventId);
  const { view } = await store.fold(Session, idIn(Session, point.stream) ?? "", point.version);
  if (given.do === "rewind") {
    session.path = model.pathTo.get(eventId) ?? [];
    follow(model, session, (await committer.session(session.id, (now) => rewindSession(now, point, view), BY)).events);
    return;
  }
  const id = newId();
  const forked = {
    id,
    path: model.pathTo.get(eventId) ?? [],
    reach: new Set(model.reachAt.get(eventId) ?? []),
  };
  model.sessions.push(forked);
  const input = { spec: SPEC, label: null, from: { ...point, sessionId: session.id }, root: state.root, view };
  follow(model, forked, await create(id, (now) => forkSession(now, input), point));
}

/** Appends new events to the path; a rewind can go back to them from now on. */
function follow(model: Model, session: Model["sessions"][number], events: readonly RecordedEvent[]): void {
  for (const { id } of events) {
    session.path = [...session.path, id];
    session.reach.add(id);
    model.pathTo.set(id, session.path);
    model.reachAt.set(id, new Set(session.reach));
  }
}

async function wholePath(state: SessionState, limit: number, descending: boolean): Promise<readonly string[]> {
  const found: string[] = [];
  for (let cursor: number | undefined; ; ) {
    const place = cursor === undefined ? {} : { [descending ? "before" : "after"]: cursor };
    const page = await readPath(store, state, { limit, descending, ...place });
    found.push(...page.events.map(({ id }) => id));
    expect(page.events.length).toBeLessThanOrEqual(limit);
    if (page.next === null) return found;
    cursor = page.next;
  }
}

proves(
  "S9",
  "after any forks and rewinds the path equals a plain model's, by pages of any size",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (steps, limit) => {
          const model: Model = { sessions: [], pathTo: new Map(), reachAt: new Map() };
          await take(model, { do: "open" });
          for (const one of steps) await take(model, one);
          for (const session of model.sessions) {
            const state = await stateOf(session.id);
            expect(await wholePath(state, limit, false)).toEqual(session.path);
            expect(await wholePath(state, limit, true)).toEqual([...session.path].reverse());
          }
        },
      ),
      { numRuns: 60 },
    );
  },
  120_000,
);

proves(
  "S12",
  "a session can be rewound exactly to the events of its own history",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const model: Model = { sessions: [], pathTo: new Map(), reachAt: new Map() };
        await take(model, { do: "open" });
        for (const one of steps) await take(model, one);
        for (const session of model.sessions) {
          const state = await stateOf(session.id);
          for (const eventId of model.pathTo.keys()) {
            const found = await findPoint(store, state, eventId).then(
              () => true,
              () => false,
            );
            expect(found).toBe(session.reach.has(eventId));
          }
        }
      }),
      { numRuns: 40 },
    );
  },
  120_000,
);

proves(
  "S9",
  "two paths part where a plain model's do, and the current one has exactly its events",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const model: Model = { sessions: [], pathTo: new Map(), reachAt: new Map() };
        await take(model, { do: "open" });
        for (const one of steps) await take(model, one);
        for (const session of model.sessions) {
          const state = await stateOf(session.id);
          const isOnPath = await isOnPathOf(store, state);
          for (const eventId of session.reach) {
            const left = model.pathTo.get(eventId) ?? [];
            const shared = left.findLast((id, at) => session.path[at] === id);
            const point = await findPoint(store, state, eventId);
            const expected = shared === undefined ? 0 : ((await store.event(shared))?.seq ?? -1);
            expect(await partingOf(store, await sessionAt(store, point), state)).toBe(expected);
            expect(isOnPath(point)).toBe(session.path.includes(eventId));
          }
        }
      }),
      { numRuns: 30 },
    );
  },
  120_000,
);

proves(
  "S9",
  "more rewinds than a path has segments still give the right path",
  async () => {
    const model: Model = { sessions: [], pathTo: new Map(), reachAt: new Map() };
    await take(model, { do: "open" });
    for (let round = 0; round < 258; round += 1) {
      await take(model, { do: "add", session: 0, count: 2 });
      await take(model, { do: "rewind", session: 0, event: (model.sessions[0]?.reach.size ?? 1) - 2 });
    }
    const [session] = model.sessions;
    if (session === undefined) throw new Error("no session");
    expect(await wholePath(await stateOf(session.id), 1000, false)).toEqual(session.path);
  },
  60_000,
);
