import { writeSync } from "node:fs";
import { join } from "node:path";
import { HOME_LEASE, SYSTEM_STREAM, System, systemFact } from "../../../src/domains/index.ts";
import { lockHome, openSqliteStore, type Store } from "../../../src/store/index.ts";
import { event, newId, note, opened } from "../../support/store-home.ts";

/** Starts like a daemon, then appends as fast as it is acknowledged, until it is killed. */
const [home = ""] = process.argv.slice(2);
const WRITERS = 12;

lockHome(join(home, "lock"));
const store = await openSqliteStore({ home, checkpointPages: 200, onFatal: () => process.exit(70) });
const fence = await takeFence(store);
await Promise.all(Array.from({ length: WRITERS }, (_, n) => write(store, n)));

async function takeFence(log: Store): Promise<number> {
  const system = await log.fold(System, "");
  const next = system.lease.lastFence + 1;
  const lease = systemFact("lease.acquired@1", { resource: HOME_LEASE, holder: String(process.pid), fence: next });
  const part = { stream: SYSTEM_STREAM, expectedVersion: system.version, events: [event(lease)] };
  await log.append([part], { fence: next });
  return next;
}

async function write(log: Store, n: number): Promise<void> {
  const stream = `session/${newId()}`;
  const shared = `agent/shared-${n % 3}`;
  for (let version = 0; ; version += 1) {
    const facts = [
      version === 0 ? opened(`calm-otter-0${n % 10}`) : note({ version }),
      note("x".repeat((version * 131) % 2000)),
    ];
    const parts = [{ stream, expectedVersion: 2 * version, events: facts.map((given) => event(given)) }];
    // Every third append also writes to a shared stream, and may be refused.
    const both =
      version % 3 === 2
        ? [...parts, { stream: shared, expectedVersion: await log.version(shared), events: [event(note(n))] }]
        : parts;
    const written = await log.append(both, { fence }).catch(() => log.append(parts, { fence }));
    writeSync(1, `ack ${written.map(({ seq, id }) => `${seq}:${id}`).join(" ")}\n`);
  }
}
