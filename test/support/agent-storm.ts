import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { judgeAgentStorm } from "./agent-storm-check.ts";
import { drain, expectPromptable } from "./storm-check.ts";
import { expectNothingLeft, leftProcesses, type StormDaemon, startStormDaemon } from "./storm-daemon.ts";
import { type Random, seededRandom } from "./storm-random.ts";

export interface AgentStormOptions {
  /** Holds the home, the sessions' folder and the agents' memory. */
  readonly folder: string;
  readonly seed: number;
  readonly strikes: number;
  /** No kill after this moment. */
  readonly untilMs?: number;
  readonly print: (line: string) => void;
}

export interface AgentStormFigures {
  readonly agentKills: number;
  readonly daemonKills: number;
  readonly turns: number;
  readonly completed: number;
  readonly marks: number;
}

/** Admitted prompts, by the mark that each turn leaves in the world and in the log. */
export type Admitted = Map<string, string>;

const SESSIONS = 5;
const PAUSE_MAX_MS = 200;
const TURN_MAX_MS = 150;
/** The other kills hit an agent's process, or the process that holds it. */
const DAEMON_SHARE = 0.15;
const AGENT = join(import.meta.dirname, "../fixtures/fake-acp-agent.ts");

/** Agents at work, while they and the daemon are killed at any moment. */
export async function runAgentStorm({ folder, ...options }: AgentStormOptions): Promise<AgentStormFigures> {
  const random = seededRandom(options.seed);
  const [home, work] = [join(folder, "home"), join(folder, "work")];
  await layHome(home, work, join(folder, "person"));
  const scene: Scene = { daemon: await startStormDaemon(home), isOver: false, admitted: new Map() };
  try {
    const ids = await Promise.all(Array.from({ length: SESSIONS }, () => openSession(scene.daemon, work)));
    const playing = Promise.all(ids.map((id) => playSession(scene, id, random)));
    const kills = await Promise.race([strike(scene, random, options), playing.then(() => never())]);
    scene.isOver = true;
    await playing;
    const alive = await drain(scene.daemon);
    const missing = ids.filter((id) => !alive.some((session) => session.id === id));
    if (missing.length > 0) throw new Error(`sessions that do not live any more: ${missing.join(", ")}`);
    await expectPromptable(scene.daemon, alive);
    const verdict = await judgeAgentStorm(scene.daemon, scene.admitted, work);
    const { exitCode } = await scene.daemon.term();
    if (exitCode !== 0) throw new Error(`the last stop ended with ${exitCode}`);
    await expectNothingLeft(home);
    return { ...kills, ...verdict };
  } catch (thrown) {
    options.print(`seed ${options.seed}; what is left lies in ${folder}`);
    throw thrown;
  } finally {
    scene.isOver = true;
    scene.daemon.child.kill("SIGKILL");
  }
}

interface Scene {
  daemon: StormDaemon;
  isOver: boolean;
  readonly admitted: Admitted;
}

const never = (): Promise<never> => new Promise(() => undefined);

async function layHome(home: string, work: string, person: string): Promise<void> {
  for (const path of [home, work, person]) await mkdir(path, { recursive: true, mode: 0o700 });
  const drivers = { fake: { command: process.execPath, args: [AGENT], home: person } };
  await writeFile(join(home, "config.json"), JSON.stringify({ drivers }));
}

/** An agent that has answered once: one that never started rightly ends its session. */
async function openSession(daemon: StormDaemon, cwd: string): Promise<string> {
  const body = { adapter: "fake", cwd, prompt: "say here" };
  const { id } = (await daemon.call<{ id: string }>("POST", "/sessions/agent", body)).body;
  await daemon.call("GET", `/sessions/${id}/wait?timeoutMs=60000`);
  return id;
}

/** Sends prompts again and again; a lost answer is asked for again with the same key until it is known. */
async function playSession(scene: Scene, id: string, random: Random): Promise<void> {
  while (!scene.isOver) {
    const mark = `mark-${randomUUID()}`;
    const prompt = `append effects.log ${mark}-1\nsay ${mark}\nsleep ${random.below(TURN_MAX_MS)}\nappend effects.log ${mark}-2`;
    for (let isKnown = false; !isKnown; ) {
      const answer = await scene.daemon
        .call<{ turnId: string }>("POST", `/sessions/${id}/prompt`, { prompt }, mark)
        .catch(() => null);
      if (answer?.status === 200) scene.admitted.set(mark, answer.body.turnId);
      if (answer !== null && ![200, 409].includes(answer.status) && answer.status < 500)
        throw new Error(`a prompt was answered with ${answer.status}: ${JSON.stringify(answer.body)}`);
      isKnown = answer?.status === 200 || (scene.isOver && answer?.status === 409);
      if (!isKnown) await sleep(20 + random.below(30));
    }
    await scene.daemon.call("GET", `/sessions/${id}/wait?timeoutMs=5000`).catch(() => null);
  }
}

async function strike(
  scene: Scene,
  random: Random,
  { strikes, untilMs = Number.POSITIVE_INFINITY }: Pick<AgentStormOptions, "strikes" | "untilMs">,
): Promise<Pick<AgentStormFigures, "agentKills" | "daemonKills">> {
  let [agentKills, daemonKills] = [0, 0];
  while (agentKills + daemonKills < strikes && Date.now() < untilMs) {
    await sleep(random.below(PAUSE_MAX_MS));
    if (random.chance(DAEMON_SHARE)) {
      await scene.daemon.kill9();
      await expectNothingLeft(scene.daemon.home);
      scene.daemon = await startStormDaemon(scene.daemon.home);
      daemonKills += 1;
      continue;
    }
    const victim = random.pick(await leftProcesses(scene.daemon.home));
    if (victim === undefined) continue;
    if (killed(victim)) agentKills += 1;
  }
  return { agentKills, daemonKills };
}

/** False for a process that has ended by now. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (thrown) {
    if (Object(thrown).code === "ESRCH") return false;
    throw thrown;
  }
}
