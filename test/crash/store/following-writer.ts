import { appendFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { defineFollower, followLog } from "../../../src/commit/index.ts";
import { HOME_LEASE, SYSTEM_STREAM, System, systemFact } from "../../../src/domains/index.ts";
import { systemClock } from "../../../src/host/index.ts";
import { lockHome, openSqliteStore } from "../../../src/store/index.ts";
import { appendTo, event, note, openSession } from "../../support/store-home.ts";

/**
 * Writers and a follower that notes each page in a file, until the process is killed. It can also kill itself after
 * noting the page of a given number, before the cursor is written.
 */
const [home = "", dieAtPage = ""] = process.argv.slice(2);
const WRITERS = 6;
const notes = join(home, "taken");
let pages = 0;

lockHome(join(home, "lock"));
const store = await openSqliteStore({ home, onFatal: () => process.exit(70) });
const system = await store.fold(System, "");
const fence = system.lease.lastFence + 1;
const lease = systemFact("lease.acquired@1", { resource: HOME_LEASE, holder: String(process.pid), fence });
await store.append([{ stream: SYSTEM_STREAM, expectedVersion: system.version, events: [event(lease)] }], {
  fence,
});
appendFileSync(notes, "life\n");
await followLog({
  store,
  fence,
  clock: systemClock(),
  random: Math.random,
  log: () => undefined,
  followers: [
    defineFollower({
      name: "notes",
      pauseMs: 1,
      take: async (events) => {
        appendFileSync(notes, `${events.map(({ seq }) => seq).join(" ")}\n`);
        pages += 1;
        if (pages === Number(dieAtPage)) process.kill(process.pid, "SIGKILL");
      },
      clear: async () => writeFileSync(notes, "life\n"),
    }),
  ],
});
await Promise.all(
  Array.from({ length: WRITERS }, async () => {
    const stream = await openSession(store, undefined, fence);
    for (let n = 0; ; n += 1) {
      await appendTo(store, stream, [note(n)], fence);
      writeSync(1, "ack\n");
    }
  }),
);
