import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { drain, effectLines, type LogEvent, readLog, turnsIn } from "./storm-check.ts";
import { expectNothingLeft, type StormDaemon, startStormDaemon } from "./storm-daemon.ts";
import { seededRandom } from "./storm-random.ts";

export interface EngineStormOptions {
  /** Holds the home and the sessions' folder. */
  readonly folder: string;
  readonly seed: number;
  readonly sessions: number;
  /** Of each session, one after another. */
  readonly commands: number;
  /** How long the model thinks between two of them, at least. */
  readonly paceMs: number;
  readonly strikes: number;
  /** No kill after this moment. */
  readonly untilMs: number;
}

export interface EngineStormFigures {
  readonly daemonKills: number;
  readonly engineKills: number;
  readonly completed: number;
  /** Turns that were cut again and again. */
  readonly givenUp: number;
  readonly done: number;
  readonly unknown: number;
}

const DAEMON_SHARE = 0.3;
const PAUSE_MS = 1500;
const AT_ONCE = 20;
const POLL_MS = 50;
/** How often a strike follows at once, and how many times in a row. */
const HURRY_SHARE = 0.3;
const HURRIES_MAX = 2;

/** Sessions of the own engine at work, while its process and its daemon are killed at any moment. */
export async function runEngineStorm(options: EngineStormOptions): Promise<EngineStormFigures> {
  const { folder, seed, sessions, strikes, untilMs } = options;
  const random = seededRandom(seed);
  const [home, work] = [join(folder, "home"), join(folder, "work")];
  for (const path of [home, work]) await mkdir(path, { recursive: true, mode: 0o700 });
  let daemon = await startStormDaemon(home);
  let [daemonKills, engineKills] = [0, 0];
  try {
    const numbers = Array.from({ length: sessions }, (_, n) => n);
    while (numbers.length > 0)
      await Promise.all(numbers.splice(0, AT_ONCE).map((n) => openSession(daemon, work, n, options)));
    let hurries = 0;
    let isBusy = true;
    while (isBusy && daemonKills + engineKills < strikes && Date.now() < untilMs) {
      const before = await lastSeq(daemon);
      await sleep(random.below(PAUSE_MS));
      if (random.chance(DAEMON_SHARE)) {
        await daemon.kill9();
        daemonKills += 1;
        daemon = await startStormDaemon(home);
      } else if (await killEngine(daemon)) engineKills += 1;
      // Turns that are cut again and again without finishing a step are rightly given up.
      hurries = hurries < HURRIES_MAX && random.chance(HURRY_SHARE) ? hurries + 1 : 0;
      if (hurries === 0) isBusy = await untilAllWorked(daemon, before, untilMs);
    }
    await drain(daemon);
    const verdict = await judge(daemon, work, sessions);
    const { exitCode } = await daemon.term();
    if (exitCode !== 0) throw new Error(`the last stop ended with ${exitCode}`);
    await expectNothingLeft(home);
    return { daemonKills, engineKills, ...verdict };
  } finally {
    daemon.child.kill("SIGKILL");
  }
}

async function openSession(daemon: StormDaemon, cwd: string, n: number, how: EngineStormOptions): Promise<void> {
  const lines = Array.from({ length: how.commands }, (_, k) => `run echo mark-${n}-${k} >> effects.log; sleep 0.0${k}`);
  const prompt = lines.join(`\nsleep ${how.paceMs + (n % 7) * 30}\n`);
  const body = { adapter: "nomos", model: "demo/script", cwd, prompt };
  const { status, body: answer } = await daemon.call("POST", "/sessions/agent", body);
  if (status !== 201) throw new Error(`no session: ${JSON.stringify(answer)}`);
}

async function lastSeq(daemon: StormDaemon): Promise<number> {
  const { body } = await daemon.call<{ entries: { seq: number }[] }>("GET", "/api/audit/entries?limit=1&order=desc");
  return body.entries[0]?.seq ?? 0;
}

/** Waits until every session that works has finished a step. False: none works any more. */
async function untilAllWorked(daemon: StormDaemon, since: number, untilMs: number): Promise<boolean> {
  const worked = new Set<string>();
  for (let after = since; Date.now() < untilMs; await sleep(POLL_MS)) {
    const path = `/api/audit/entries?limit=1000&after=${after}`;
    const { entries } = (await daemon.call<{ entries: LogEvent[] }>("GET", path)).body;
    for (const { type, stream, seq } of entries) {
      if (type === "step.ended@1") worked.add(stream);
      after = seq;
    }
    if (entries.length > 0) continue;
    const { sessions } = (await daemon.call<{ sessions: Alive[] }>("GET", "/sessions?onlyAlive=1&limit=1000")).body;
    const busy = sessions.filter((one) => one.busy);
    if (busy.every(({ id }) => worked.has(`session/${id}`))) return busy.length > 0;
  }
  return true;
}

interface Alive {
  readonly id: string;
  readonly busy: boolean;
}

/** False while it has no process. */
async function killEngine(daemon: StormDaemon): Promise<boolean> {
  const { body } = await daemon.call<{ engine: { pid: number | null } }>("GET", "/api/status");
  if (body.engine.pid === null) return false;
  try {
    return process.kill(body.engine.pid, "SIGKILL");
  } catch (thrown) {
    if (Object(thrown).code === "ESRCH") return false;
    throw thrown;
  }
}

/** Every turn is over, every line is there once or was reported, and every byte of the log verifies. */
async function judge(daemon: StormDaemon, folder: string, sessions: number) {
  const log = await readLog(daemon);
  const problems: string[] = [];
  const turns = [...turnsIn(log, problems).values()];
  if (turns.length !== sessions) problems.push(`${turns.length} turns of ${sessions} sessions`);
  const lines = await effectLines(folder, problems);
  const of = (type: string) => log.filter((event) => event.type === type);
  const settled = new Map(of("effect.settled@1").map(({ data }) => [data["effectId"], data["outcome"]]));
  const told = new Map(of("tool.ended@1").map((event) => [callOf(event), JSON.stringify(event.data["output"])]));
  const given = new Set(of("turn.ended@1").flatMap(({ data }) => (isGivenUp(data) ? [String(data["turnId"])] : [])));
  let [done, unknown] = [0, 0];
  for (const intended of of("effect.intended@1")) {
    const mark = /mark-\d+-\d+/.exec(JSON.stringify(intended.data["detail"]))?.[0] ?? "";
    const outcome = settled.get(intended.data["effectId"]);
    if (outcome === "done") done += 1;
    if (outcome === "done" && !lines.has(mark)) problems.push(`${mark} is said to be done and is not`);
    if (outcome !== "unknown") continue;
    unknown += 1;
    const isOver = given.has(String(intended.data["turnId"]));
    const report = told.get(callOf(intended)) ?? "";
    if (!isOver && !report.includes("outcome is unknown"))
      problems.push(`${mark} is unknown, and the model was told ${report}`);
  }
  const intents = of("effect.intended@1").map(({ data }) => JSON.stringify(data["detail"]));
  for (const line of lines.keys())
    if (!intents.some((detail) => detail.includes(`${line} `))) problems.push(`${line} was never intended`);
  const strange = turns.filter(({ outcome }) => outcome !== "completed").length - given.size;
  if (strange > 0) problems.push(`${strange} turns ended without a reason`);
  const { body } = await daemon.call<{ ok: boolean }>("GET", "/api/audit/verify");
  if (!body.ok) problems.push(`the log does not verify: ${JSON.stringify(body)}`);
  if (problems.length > 0) throw new Error(`${problems.length} promises broken:\n${problems.slice(0, 20).join("\n")}`);
  const completed = turns.filter(({ outcome }) => outcome === "completed").length;
  return { completed, givenUp: given.size, done, unknown };
}

function callOf({ data }: LogEvent): string {
  return `${data["turnId"]} ${data["callId"]}`;
}

function isGivenUp(end: LogEvent["data"]): boolean {
  return Object(end["error"]).code === "turn_cut";
}
