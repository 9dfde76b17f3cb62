import { writeSync } from "node:fs";
import { fact, sessionStream } from "../../../src/kernel/index.ts";
import { type AppendPart, openSqliteStore, type Store, StoreError } from "../../../src/store/index.ts";
import { admitted, event, newId, note, opened } from "../../support/store-home.ts";

/**
 * Uses a store like a daemon and prints its answers: `ack <seq> ...` for an acknowledged append, `refused <code>` for a
 * refused one, `fatal <code>` as the last line. Faults are injected from outside.
 */
const [home = "", rounds = "8"] = process.argv.slice(2);
const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};
const FATAL_EXIT = 70;
const NOT_OPENED_EXIT = 71;
/** Small, so that checkpoints of the write-ahead log come between appends. */
const CHECKPOINT_PAGES = 40;

const store = await openSqliteStore({
  home,
  checkpointPages: CHECKPOINT_PAGES,
  onFatal: (error) => {
    say(`fatal ${error.code}`);
    process.exit(FATAL_EXIT);
  },
}).catch((error: unknown) => {
  say(`not-opened ${error instanceof StoreError ? error.code : String(error)}`);
  process.exit(NOT_OPENED_EXIT);
});
say("opened");
await run(store, Number(rounds));
await store.close();
say("done");

async function run(log: Store, count: number): Promise<void> {
  const [one, two] = [sessionStream(newId()), sessionStream(newId())];
  await attempt(log, one, () => [opened("calm-otter-01", "first")]);
  await attempt(log, two, () => [opened("calm-otter-02")]);
  for (let n = 0; n < count; n += 1) {
    const turnId = `t${n}`;
    const bytes = Buffer.from(`output ${n} `.repeat(400));
    const blob = await log.putBlob(bytes).catch((error: unknown) => refused(error));
    await attempt(log, one, () => [admitted(turnId, `prompt ${n}`), fact("turn.started@1", { turnId })]);
    if (blob !== null)
      await attempt(log, one, () => [
        fact("message.completed@1", { turnId, role: "assistant", text: `answer ${n}`, blob, bytes: bytes.length }),
      ]);
    await both(log, one, two, turnId);
    if (n % 4 === 3) await eraseOne(log, one);
  }
}

/** One append over two streams: half of it must never be there. */
async function both(log: Store, one: string, two: string, turnId: string): Promise<void> {
  const parts = async (): Promise<readonly AppendPart[]> => [
    {
      stream: one,
      expectedVersion: await log.version(one),
      events: [event(fact("turn.ended@1", { turnId, outcome: "completed", error: null }))],
    },
    {
      stream: two,
      expectedVersion: await log.version(two),
      events: [event(note(`both ${turnId}`)), event(note("x".repeat(9000)))],
    },
  ];
  await acknowledged(async () => log.append(await parts(), { fence: 0 }));
}

async function attempt(log: Store, stream: string, facts: () => readonly Parameters<typeof event>[0][]): Promise<void> {
  await acknowledged(async () => {
    const expectedVersion = await log.version(stream);
    return log.append([{ stream, expectedVersion, events: facts().map((given) => event(given)) }], { fence: 0 });
  });
}

async function eraseOne(log: Store, stream: string): Promise<void> {
  const page = await log.readStream(stream, { limit: 1, descending: true, types: ["message.completed"] });
  const [last] = page.events;
  if (last === undefined) return;
  const said = fact("data.erased@1", { events: [last.id], reason: "asked for" });
  await acknowledged(() => log.erase(stream, [last.id], event(said), { fence: 0 }));
}

/** Only a full disk may refuse; it is tried again, as after a person has made room. */
async function acknowledged(work: () => ReturnType<Store["append"]>): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const events = await work().catch((error: unknown) => refused(error));
    if (events === null) continue;
    say(`ack ${events.map(({ seq, id }) => `${seq}:${id}`).join(" ")}`);
    return;
  }
}

function refused(error: unknown): null {
  if (!(error instanceof StoreError)) throw error;
  say(`refused ${error.code}`);
  return null;
}
