import { uuidv7Maker } from "../../src/domains/index.ts";
import { APPROVALS, idIn, type Json, outlivesDaemon, Session, type SessionState } from "../../src/kernel/index.ts";
import type { RecordedEvent } from "../../src/store/index.ts";
import type { Driver, TurnPort } from "../../src/turns/index.ts";
import { createChance } from "./chance.ts";
import { askUntilAnswered, type Ledger } from "./client.ts";
import { createDisk, type Disk } from "./disk.ts";
import { judge } from "./judge.ts";
import { bootDaemon, type SimDaemon, type SimWorld } from "./sim-daemon.ts";
import type { Outside } from "./sim-processes.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const BY = { actor: "operator" };
const ROUNDS_MAX = 400;
/** Everything that needs no answer has ended by then. */
const FIRST_ANSWER_ROUND = 8;
const STEPS_MAX = 200_000;

export interface ParallelTurn {
  readonly problems: readonly string[];
  /** Number of appends until the daemon died or the run ended. */
  readonly flushes: number;
  /** Whether the turn open at the daemon's death could go on by the ledger; null when no turn was open. */
  readonly outlived: boolean | null;
  readonly outcome: string | null;
}

/**
 * One turn with three parallel effects, a process beside them, and two questions, one of them asked twice at once. The
 * daemon dies at one flush, right before it is durable or right after; the next one goes on, and somebody answers.
 */
export async function runParallelTurn(dies: {
  readonly at: number;
  readonly when: "before" | "after";
}): Promise<ParallelTurn> {
  const chance = createChance(dies.at);
  const clock = createVirtualClock();
  let counter = 0;
  const random = () => {
    counter += 1;
    const bytes = new Uint8Array(10);
    new DataView(bytes.buffer).setUint32(4, counter);
    return bytes;
  };
  const outside: Outside = [];
  let flushes = 0;
  const isDue = (when: "before" | "after") => (when === dies.when && flushes === dies.at ? 1 : 0);
  const world: SimWorld = {
    disk: createDisk(),
    clock,
    chance,
    newId: uuidv7Maker({ nowMs: clock.nowMs, random }),
    outside,
    faults: {
      diskFull: 0,
      get dieBefore() {
        flushes += 1;
        return isDue("before");
      },
      get dieAfter() {
        return isDue("after");
      },
      slowMs: 5,
      checkFence: true,
    },
    drivers: [parallelDriver(outside)],
  };
  const ledger: Ledger = { acked: [], sessions: [], commands: 0 };
  let daemon: Promise<SimDaemon> | null = null;
  let outlived: boolean | null = null;
  const onDeath = (): void => {
    daemon = null;
    const state = sessionIn(world.disk);
    if (state?.phase.at === "busy") outlived = outlivesDaemon(state);
  };
  const current = async (): Promise<SimDaemon> => {
    daemon ??= bootDaemon(world, onDeath);
    const found = await daemon;
    return found.life.dead ? current() : found;
  };

  const story = async (): Promise<void> => {
    const open = { adapter: "parallel", agent: "careful", prompt: "go" };
    await askUntilAnswered(
      { name: "open", act: ({ supervisor }, by) => supervisor.open(open, by) },
      "1",
      current,
      ledger,
    );
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await clock.sleep(20);
      const now = await current();
      if (round >= FIRST_ANSWER_ROUND && round % 2 === 0) await answerOldest(now);
      if (round > FIRST_ANSWER_ROUND && sessionIn(world.disk)?.phase.at === "idle") return;
    }
  };
  let over = false;
  const told = story().then(() => {
    over = true;
  });
  for (let steps = 0; !over && steps < STEPS_MAX; steps += 1) if (!(await clock.step())) break;
  if (over) await told;
  const outcome = textIn(lastOf(world.disk, "turn.ended@1"), "outcome");
  const problems = over
    ? [...judge(world.disk, ledger, outside), ...ledgerProblems(world.disk)]
    : ["the story does not end"];
  return { problems, flushes, outlived, outcome };
}

function parallelDriver(outside: Outside): Driver {
  const paint = { kind: "paint", detail: { colour: "red" }, resource: "canvas/1", shown: "red", redo: "safe" } as const;
  const runTurn = async (port: TurnPort): Promise<void> => {
    port.reach("begin");
    const [run, write, painted, reply, again, served] = await Promise.all([
      port.run("mark-a", { key: "a" }),
      port.write("b.txt", "b", { key: "b" }),
      port.effect({ ...paint, key: "c" }, async ({ effectId }) => {
        await port.sleep(10);
        outside.push(`painted ${effectId}`);
        return { exitCode: null, output: "all red", message: null };
      }),
      port.ask("Deploy?", ["yes", "no"], { key: "deploy" }),
      port.ask("Deploy?", ["yes", "no"], { key: "deploy again" }),
      port.start(["serve"], { key: "server" }).then((process) => process.wait()),
    ]);
    const deploy = reply.approved ? reply.option : null;
    const outputs = [run.output, write.output, painted.output, served.output];
    const isSame = again.approved && again.option === deploy;
    await port.event("finished", { deploy, isSame, run: run.outcome, outputs });
  };
  return {
    slug: "parallel",
    summary: "",
    continuity: "native",
    actsByEffects: true,
    check: async () => undefined,
    runTurn,
  };
}

async function answerOldest({ store, supervisor, death }: SimDaemon): Promise<void> {
  const [pending] = await store.rows(APPROVALS, { limit: 1, where: { status: "pending" } });
  if (pending === undefined) return;
  const option = pending.question === "Deploy?" ? "yes" : "once";
  const answered = supervisor.answer(pending.id, { status: "approved", option }, BY);
  await Promise.race([answered.catch(() => []), death]);
}

/** Guarantees of the effect ledger, beside those of every run. */
function ledgerProblems(disk: Disk): readonly string[] {
  const of = (type: string) => disk.log.filter((event) => event.type === type);
  const settled = new Map(of("effect.settled@1").map((event) => [textIn(event, "effectId"), event]));
  const effects = of("effect.intended@1").flatMap((intended) => {
    const end = settled.get(textIn(intended, "effectId"));
    if (end === undefined) return [`never settled: ${textIn(intended, "kind")}`];
    const redo = textIn(end, "outcome") === "unknown" ? textIn(intended, "redo") : null;
    return textIn(end, "redo") === redo ? [] : [`redo class of ${textIn(intended, "kind")}: ${textIn(end, "redo")}`];
  });
  const asked = of("approval.requested@1").map((event) => textIn(event, "question"));
  const twice = asked
    .filter((question, at) => asked.indexOf(question) !== at)
    .map((question) => `asked twice: ${question}`);
  const finished = lastOf(disk, "x.finished@1");
  const payload: Json = typeof finished?.data === "object" ? Reflect.get(Object(finished.data), "payload") : null;
  const isWrong = finished !== undefined && !JSON.stringify(payload).startsWith('{"deploy":"yes","isSame":true,"run":');
  return [...effects, ...twice, ...(isWrong ? [`the answers went astray: ${JSON.stringify(payload)}`] : [])];
}

function sessionIn(disk: Disk): SessionState | null {
  const [id] = disk.log.flatMap(({ stream }) => idIn(Session, stream) ?? []);
  return id === undefined ? null : disk.fold(Session, id);
}

function lastOf(disk: Disk, type: string): RecordedEvent | undefined {
  return disk.log.findLast((event) => event.type === type);
}

function textIn(event: RecordedEvent | undefined, key: string): string | null {
  const value: unknown = Reflect.get(Object(event?.data), key);
  return typeof value === "string" ? value : null;
}
