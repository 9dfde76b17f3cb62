/** Fills a home through the store port: `history HOME EVENTS` or `sessions HOME COUNT`. Prints what it made. */
import { fact, LIMITS, Session, sessionStream } from "../../src/kernel/index.ts";
import type { AppendPart, NewEvent, Store } from "../../src/store/index.ts";
import { createEventMaker } from "../session-facts.ts";
import { openStore } from "../store-home.ts";

/** The number of events between two fold snapshots, so that every history has them at the same distances. */
const EVENTS_PER_APPEND = LIMITS.snapshotEveryEvents;
const SESSIONS_PER_APPEND = 100;
const APPENDS_UNDER_WAY = 4;
/** Every fifth has ended; lists of living sessions must skip it. */
const ENDED_EVERY = 5;

const [kind = "", home = "", size = "0"] = process.argv.slice(2);
const maker = createEventMaker(7);
const startMs = performance.now();
const store = await openStore(home);
const sessionId = await (kind === "history" ? writeHistory(store, Number(size)) : writeSessions(store, Number(size)));
const writtenMs = performance.now();
await store.search("everything", 1, Session);
const indexedMs = performance.now();
const events = await store.lastSeq();
await store.close();
const seconds = (writtenMs - startMs) / 1000;
console.log(JSON.stringify({ sessionId, events, seconds, indexSeconds: (indexedMs - writtenMs) / 1000 }));

async function writeHistory(to: Store, count: number): Promise<string> {
  const id = maker.newId();
  const stream = sessionStream(id);
  let waiting: NewEvent[] = [maker.opened(null), maker.event(fact("session.started@1", { continuity: "fresh" }))];
  for (let expectedVersion = 0; expectedVersion < count; ) {
    while (waiting.length < EVENTS_PER_APPEND) waiting.push(...maker.turn());
    const batch = waiting.slice(0, Math.min(EVENTS_PER_APPEND, count - expectedVersion));
    await to.append([{ stream, expectedVersion, events: batch }], { fence: 0 });
    expectedVersion += batch.length;
    waiting = waiting.slice(batch.length);
  }
  return id;
}

async function writeSessions(to: Store, count: number): Promise<string> {
  let made = 0;
  let last = "";
  const write = async (): Promise<void> => {
    while (made < count) {
      const parts = Array.from({ length: Math.min(SESSIONS_PER_APPEND, count - made) }, (): AppendPart => {
        made += 1;
        last = maker.newId();
        const end = made % ENDED_EVERY === 0 ? fact("session.exited@1", { exitCode: 0 }) : asleep();
        return {
          stream: sessionStream(last),
          expectedVersion: 0,
          events: [
            maker.opened(maker.words(3)),
            maker.event(fact("session.started@1", { continuity: "fresh" })),
            ...maker.turn(),
            maker.event(end),
          ],
        };
      });
      await to.append(parts, { fence: 0 });
    }
  };
  await Promise.all(Array.from({ length: APPENDS_UNDER_WAY }, write));
  return last;
}

function asleep() {
  return fact("session.hibernated@1", { reason: "idle" });
}
