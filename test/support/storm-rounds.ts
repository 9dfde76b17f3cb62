import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { drain, expectPromptable, judge, type Verdict } from "./storm-check.ts";
import { playClient, type StormScene } from "./storm-client.ts";
import { expectNothingLeft, launchStormDaemon, type StormDaemon, startStormDaemon } from "./storm-daemon.ts";
import { openLedger } from "./storm-ledger.ts";
import { type Random, seededRandom } from "./storm-random.ts";

export interface StormOptions {
  /** Holds the home, the sessions' folders and the ledger. */
  readonly folder: string;
  readonly seed: number;
  readonly rounds: number;
  /** No round begins after this moment. */
  readonly untilMs?: number;
  readonly print: (line: string) => void;
}

export interface StormFigures {
  readonly rounds: number;
  readonly upMs: readonly number[];
  readonly termMs: readonly number[];
  readonly verdict: Verdict;
}

const CLIENTS = 4;
const LOAD_MIN_MS = 200;
const LOAD_MAX_MS = 1000;
/** The guarantee is five seconds; the rest is tolerance for a machine busy with this storm. */
const TERM_MAX_MS = 8000;

/** In each round a loaded daemon is killed, and the next must know everything that was acknowledged. */
export async function runStorm(options: StormOptions): Promise<StormFigures> {
  const random = seededRandom(options.seed);
  const home = join(options.folder, "home");
  const folder = join(options.folder, "work");
  await mkdir(folder, { recursive: true });
  const ledger = openLedger(join(options.folder, "ledger.jsonl"));
  const upMs: number[] = [];
  const termMs: number[] = [];
  const shared = { ledger, random, folder, sessions: [], events: new Map<string, string[]>(), lost: [] };
  let judgedFacts = 0;
  let verdict: Verdict = { events: 0, turns: 0, completed: 0, effects: 0, facts: 0 };

  const check = async (daemon: StormDaemon): Promise<void> => {
    const alive = await drain(daemon);
    verdict = await judge(daemon, ledger.facts(), folder, judgedFacts);
    judgedFacts = ledger.facts().length;
    await expectPromptable(daemon, alive);
  };

  let round = 0;
  let daemon = await startStormDaemon(home);
  try {
    for (; round < options.rounds && Date.now() < (options.untilMs ?? Number.POSITIVE_INFINITY); round += 1) {
      const how = HOWS[round % HOWS.length] ?? "kill";
      await load(daemon, shared, random, async () => {
        if (how !== "term") return daemon.kill9();
        const { exitCode, ms } = await daemon.term();
        termMs.push(ms);
        if (exitCode !== 0 || ms > TERM_MAX_MS)
          throw new Error(
            `SIGTERM: code ${exitCode} after ${Math.round(ms)} ms; the daemon said:\n${daemon.printed()}`,
          );
      });
      await expectNothingLeft(home);
      if (how === "recovery") await killInRecovery(home, random);
      daemon = await startStormDaemon(home);
      upMs.push(daemon.upMs);
      await check(daemon);
      const { events, turns, effects } = verdict;
      options.print(
        `round ${round + 1} (${how}): up in ${Math.round(daemon.upMs)} ms; ${events} events, ${turns} turns, ${effects} effects`,
      );
    }
    const { exitCode } = await daemon.term();
    if (exitCode !== 0) throw new Error(`the last stop ended with ${exitCode}; it said:\n${daemon.printed()}`);
  } catch (thrown) {
    options.print(`seed ${options.seed}, round ${round + 1}; what is left lies in ${options.folder}`);
    throw thrown;
  } finally {
    daemon.child.kill("SIGKILL");
    ledger.close();
  }
  return { rounds: round, upMs, termMs, verdict };
}

const HOWS = ["recovery", "kill", "term", "kill", "kill"] as const;

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

/** Clients make calls before and during the kill. */
async function load(
  daemon: StormDaemon,
  shared: Omit<StormScene, "daemon" | "isOver">,
  random: Random,
  strike: () => Promise<void>,
): Promise<void> {
  let isOver = false;
  const scene: StormScene = { ...shared, daemon, isOver: () => isOver };
  const playing = Promise.all(Array.from({ length: CLIENTS }, () => playClient(scene)));
  const failed = playing.then(() => new Promise<never>(() => undefined));
  const struck = sleep(LOAD_MIN_MS + random.below(LOAD_MAX_MS - LOAD_MIN_MS)).then(strike);
  await Promise.race([struck, failed]);
  isOver = true;
  await playing;
}

/** Killed again during recovery, once or twice. */
async function killInRecovery(home: string, random: Random): Promise<void> {
  for (let times = 1 + random.below(2); times > 0; times -= 1) {
    const { child } = launchStormDaemon(home);
    await sleep(50 + random.below(600));
    child.kill("SIGKILL");
    await new Promise<void>((resolve) =>
      child.exitCode === null && child.signalCode === null ? child.once("exit", () => resolve()) : resolve(),
    );
  }
}
