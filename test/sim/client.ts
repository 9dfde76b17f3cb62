import { createHash } from "node:crypto";
import type { By } from "../../src/commit/index.ts";
import { APPROVALS } from "../../src/kernel/index.ts";
import type { CallRef, RecordedEvent } from "../../src/store/index.ts";
import type { Chance } from "./chance.ts";
import type { SimDaemon } from "./sim-daemon.ts";

/** What clients were told, and what must therefore hold. */
export interface Ledger {
  readonly acked: RecordedEvent[];
  /** Session ids that clients know. */
  readonly sessions: string[];
  commands: number;
}

interface Wish {
  readonly name: string;
  readonly act: (daemon: SimDaemon, by: By) => Promise<readonly RecordedEvent[]>;
}

/**
 * A client that makes one call with one idempotency key until it gets an answer: an acknowledgement goes into the
 * ledger, a refusal ends it, and after a daemon's death it asks the next one.
 */
export async function askUntilAnswered(
  wish: Wish,
  key: string,
  current: () => Promise<SimDaemon>,
  ledger: Ledger,
): Promise<void> {
  const call: CallRef = { keyHash: hash(key), requestHash: hash(wish.name) };
  while (true) {
    const daemon = await current();
    const known = await daemon.store.findCall(call);
    const answer = known ?? (await race(wish.act(daemon, { actor: "operator", call }), daemon));
    if (answer === "died") continue;
    if (answer === "refused") return;
    ledger.acked.push(...answer);
    for (const { stream } of answer) {
      const id = stream.slice("session/".length);
      if (stream.startsWith("session/") && !ledger.sessions.includes(id)) ledger.sessions.push(id);
    }
    return;
  }
}

/** A wish for the own engine: a prompt or a message for the running turn that its simulated model follows. */
export function engineWish(chance: Chance, ledger: Ledger): Wish {
  const kind = ledger.sessions.length === 0 ? "open" : chance.pick(ENGINE_KINDS);
  if (kind === "other") return randomWish(chance, ledger, OTHER_KINDS);
  ledger.commands += 1;
  const mark = `mark-${ledger.commands}`;
  const agent = chance.pick(["demo", "careful"]);
  const lines = [`run ${mark}`];
  if (chance.happens(0.3)) lines.unshift(`shaky ${mark}s`);
  if (chance.happens(0.3)) lines.unshift(`ask may I do ${mark}q?`);
  if (chance.happens(0.1)) lines.push(`limit ${mark}l`);
  if (chance.happens(0.4)) lines.push(`run ${mark}b`);
  const prompt = lines.join("\n");
  if (kind === "open")
    return { name: mark, act: ({ supervisor }, by) => supervisor.open({ adapter: "nomos", agent, prompt }, by) };
  const id = chance.pick(ledger.sessions);
  const how = {
    queue: chance.happens(0.7),
    interrupt: kind === "prompt" && chance.happens(0.1),
    steer: kind === "steer",
  };
  return { name: mark, act: ({ supervisor }, by) => supervisor.prompt(id, { prompt, ...how }, by) };
}

const ENGINE_KINDS = [
  "open",
  "prompt",
  "prompt",
  "prompt",
  "steer",
  "steer",
  "steer",
  "other",
  "other",
  "other",
] as const;

type Kind = (typeof KINDS)[number];

export function randomWish(chance: Chance, ledger: Ledger, kinds: readonly Kind[] = KINDS): Wish {
  ledger.commands += 1;
  const mark = `mark-${ledger.commands}`;
  const id = ledger.sessions.length === 0 ? null : chance.pick(ledger.sessions);
  const kind = id === null ? "open" : chance.pick(kinds);
  const prompt = promptOf(chance, mark);
  switch (kind) {
    case "open":
      return {
        name: mark,
        act: ({ supervisor }, by) =>
          supervisor.open({ adapter: "demo", agent: chance.pick(["demo", "careful"]), prompt }, by),
      };
    case "prompt":
      return {
        name: mark,
        act: ({ supervisor }, by) =>
          supervisor.prompt(id ?? "", { prompt, queue: chance.happens(0.7), interrupt: chance.happens(0.2) }, by),
      };
    case "interrupt":
      return {
        name: mark,
        act: async ({ supervisor }, by) => {
          const events = await supervisor.interrupt(id ?? "", by);
          const turn = events[0]?.data;
          if (typeof turn === "object" && turn !== null && "turnId" in turn)
            await supervisor.settled(id ?? "", String(turn["turnId"]));
          return events;
        },
      };
    case "fork":
      return {
        name: mark,
        act: async ({ supervisor, store }, by) =>
          supervisor.fork(id ?? "", { at: await somewhere(store, id ?? "", chance) }, by),
      };
    case "rewind":
      return {
        name: mark,
        act: async ({ supervisor, store }, by) =>
          supervisor.rewind(id ?? "", { to: (await somewhere(store, id ?? "", chance)) ?? "" }, by),
      };
    case "suspend":
      return { name: mark, act: ({ supervisor }, by) => supervisor.suspend(id ?? "", "sim", by) };
    case "resume":
      return { name: mark, act: ({ supervisor }, by) => supervisor.resume(id ?? "", by) };
    case "hibernate":
      return { name: mark, act: ({ supervisor }, by) => supervisor.hibernate(id ?? "", "sim", by) };
    case "kill":
      return {
        name: mark,
        act: async ({ supervisor }, by) => {
          const events = await supervisor.kill(id ?? "", "sim", by);
          await supervisor.gone(id ?? "");
          return events;
        },
      };
    case "artifact":
      return {
        name: mark,
        act: ({ supervisor }, by) =>
          supervisor.writeArtifact(
            id ?? "",
            { path: `a${chance.below(3)}`, bytes: Buffer.from(mark), mediaType: "text/plain", turnId: null },
            by,
          ),
      };
    case "answer":
      return { name: mark, act: (daemon, by) => answerSomething(daemon, by, chance) };
  }
}

const KINDS = [
  "open",
  "prompt",
  "prompt",
  "prompt",
  "prompt",
  "interrupt",
  "fork",
  "rewind",
  "suspend",
  "resume",
  "resume",
  "hibernate",
  "kill",
  "artifact",
  "answer",
  "answer",
] as const;

/** Without rewinds and forks, after which the model rightly does again what it no longer knows of, and without suspends. */
const OTHER_KINDS = KINDS.filter((kind) => !["open", "prompt", "fork", "rewind", "suspend", "resume"].includes(kind));

function promptOf(chance: Chance, mark: string): string {
  const lines = [`run ${mark}`];
  if (chance.happens(0.4)) lines.unshift(`sleep ${chance.below(40)}`);
  if (chance.happens(0.3)) lines.unshift("ask may I?");
  if (chance.happens(0.3)) lines.push(`write f ${mark}`);
  if (chance.happens(0.1)) lines.push("fail on purpose");
  return lines.join("\n");
}

export async function answerSomething(daemon: SimDaemon, by: By, chance: Chance): Promise<readonly RecordedEvent[]> {
  const pending = await daemon.store.rows(APPROVALS, { limit: 1000, where: { status: "pending" } });
  const one = pending[chance.below(Math.max(1, pending.length))];
  if (one === undefined) return [];
  return daemon.supervisor.answer(
    one.id,
    chance.happens(0.7) ? { status: "approved", option: null } : { status: "rejected", reason: null },
    by,
  );
}

async function somewhere(store: SimDaemon["store"], id: string, chance: Chance): Promise<string | undefined> {
  const { events } = await store.readStream(`session/${id}`, { limit: 10_000 });
  return events[chance.below(Math.max(1, events.length))]?.id;
}

async function race(
  answer: Promise<readonly RecordedEvent[]>,
  daemon: SimDaemon,
): Promise<readonly RecordedEvent[] | "refused" | "died"> {
  const told = await Promise.race([answer.catch((): "refused" => "refused"), died(daemon)]);
  return daemon.life.dead && told !== "died" && !daemon.life.zombie ? "died" : told;
}

async function died(daemon: SimDaemon): Promise<"died"> {
  await daemon.death;
  return "died";
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
