import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { SnapshotError } from "./snapshot-error.ts";
import type { Call, Calls, Reply, Underway } from "./snapshot-messages.ts";
import { openSnapshotStore } from "./snapshot-store.ts";
import type { OnBytes } from "./tree-spec.ts";

/** The thread that owns the store. Calls run in turn, a time slice each; calls for one tree run one after another. */
const port = parentPort;
if (port === null) throw new Error("the snapshot store is a worker thread");
const { folder } = workerData as { readonly folder: string };
const store = openSnapshotStore(folder);

/** How long a call runs before the others get their turn. */
const SLICE_MS = 15;
/** After this long without calls the store is tidied and the known trees are saved. */
const QUIET_MS = 2000;

const underWay = new Set<Promise<unknown>>();
const lines = new Map<string, Promise<unknown>>();
let quiet: NodeJS.Timeout | null = null;

port.on("message", (call: Call) => {
  if (quiet !== null) clearTimeout(quiet);
  quiet = null;
  void answer(call);
});

async function answer(call: Call): Promise<void> {
  const work = inOrder(call).then(
    (value): Reply => ({ n: call.n, ok: true, answer: value }),
    (error: unknown): Reply => ({ n: call.n, ok: false, ...described(error) }),
  );
  underWay.add(work);
  const reply = await work;
  underWay.delete(work);
  port?.postMessage(reply);
  if (call.call === "close") port?.close();
  else if (underWay.size === 0) quiet = setTimeout(() => void tidyUp(), QUIET_MS).unref();
}

/** Calls that delete data run alone: they wait for running calls, and new ones wait for them. */
function inOrder(call: Call): Promise<Calls[keyof Calls]["answer"]> {
  const isAlone = call.call === "sweep" || call.call === "close";
  const line = "tree" in call.ask ? call.ask.tree.root : "";
  const before = isAlone ? Promise.allSettled(underWay) : Promise.allSettled([lines.get(""), lines.get(line)]);
  const mine = before.then(() => handle(call));
  if (isAlone) lines.set("", mine);
  else if (line !== "") {
    lines.set(line, mine);
    const forget = () => lines.get(line) === mine && lines.delete(line);
    mine.then(forget, forget);
  }
  return mine;
}

/** How often a caller is told how far it is. */
const TOLD_EVERY_MS = 200;

function teller(n: number): OnBytes {
  let toldMs = performance.now();
  return (done, of) => {
    if (performance.now() < toldMs + TOLD_EVERY_MS) return;
    toldMs = performance.now();
    port?.postMessage({ n, done, of } satisfies Underway);
  };
}

async function handle(call: Call): Promise<Calls[keyof Calls]["answer"]> {
  switch (call.call) {
    case "take":
      return slices(store.take(call.ask.tree, teller(call.n)));
    case "restore":
    case "grow": {
      const { tree, to, bwrapPath, limits } = call.ask;
      return slices(store[call.call](tree, to, bwrapPath, limits, teller(call.n)));
    }
    case "changes":
      return slices(store.changes(call.ask.from, call.ask.to, call.ask.max));
    case "times":
      return slices(store.times(call.ask.tree, call.ask.from, call.ask.to, call.ask.max));
    case "read":
      return slices(store.read(call.ask.of, call.ask.names, call.ask.bytesMax));
    case "diff":
      return slices(store.diff(call.ask.from, call.ask.to, call.ask.options));
    case "sweep":
      return slices(store.sweep(call.ask.ids, call.ask.dryRun));
    case "check":
      return slices(store.check(call.ask.ids));
    case "status":
      return store.status();
    case "close":
      store.close();
      return null;
  }
}

async function slices<T>(steps: Generator<void, T> | AsyncGenerator<void, T>): Promise<T> {
  let until = performance.now() + SLICE_MS;
  while (true) {
    const step = steps.next();
    const { done, value } = step instanceof Promise ? await step : step;
    if (done === true) return value;
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + SLICE_MS;
  }
}

async function tidyUp(): Promise<void> {
  if (underWay.size > 0) return;
  const work = slices(store.tidy())
    .then(() => store.save())
    .catch((error: unknown) => process.emitWarning(`snapshots could not be tidied up: ${String(error)}`));
  underWay.add(work);
  await work;
  underWay.delete(work);
}

function described(error: unknown): Omit<Extract<Reply, { ok: false }>, "n" | "ok"> {
  if (error instanceof SnapshotError) return { code: error.code, message: error.message, details: error.details };
  return { code: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error), details: {} };
}
