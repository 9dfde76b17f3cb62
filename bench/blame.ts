import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LANDING_EVENTS, type LandingOrder, recordedFile, uuidv7Maker } from "../src/domains/index.ts";
import { factsOf } from "../src/kernel/index.ts";
import { createBlame } from "../src/services/index.ts";
import type { Store } from "../src/store/index.ts";
import { type Benchmark, interleave, median, timedMs } from "./harness.ts";
import { openStore } from "./store-home.ts";

const LINES = 5000;
const COMMITS = 100;
const QUICK_COMMITS = 20;
const ROUNDS = 9;
const fact = factsOf(LANDING_EVENTS);

/** Who wrote the lines of a large file, each commit of which was landed, against what git alone takes to name commits. */
export const blameBenchmark: Benchmark = {
  name: "blame",
  run: async ({ quick, scratch }) => {
    const home = join(scratch, "home");
    const repo = join(scratch, "repository");
    for (const folder of [home, repo]) mkdirSync(folder, { recursive: true });
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=Bench", "-c", "user.email=bench@localhost", ...args], {
        cwd: repo,
        encoding: "utf8",
        maxBuffer: 1e9,
      }).trim();
    git("init", "-q");
    const store = await openStore(home);
    const commits = quick ? QUICK_COMMITS : COMMITS;
    const lines = Array.from({ length: LINES }, (_, at) => `export const value${at} = "of nobody";`);
    for (let turn = 0; turn < commits; turn += 1) {
      const own = lines.flatMap((_line, at) => (at % commits === turn ? [at] : []));
      for (const at of own) lines[at] = `export const value${at} = "of turn ${turn}";`;
      writeFileSync(join(repo, "large.ts"), `${lines.join("\n")}\n`);
      git("add", "-A");
      git("commit", "-q", "-m", `turn ${turn}`);
      const commit = git("rev-parse", "HEAD");
      const told = (turn === 0 ? lines.map((_line, at) => at) : own).map((at) => ({
        ...{ line: at + 1, turn: 0 },
        hash: createHash("sha256").update(`nomos line\n${lines[at]}`).digest("hex").slice(0, 32),
      }));
      await appendLanding(store, { repo, commit, turn }, recordedFile("large.ts", 0, told));
    }
    const service = createBlame({ store, home, environment: process.env });
    const asked = { cwd: repo, path: "large.ts", range: null, within: null };
    const first = await service.file(asked);
    const proven = first.lines.filter(({ explained }) => explained.by === "session" && explained.proven).length;
    if (proven !== LINES) throw new Error(`${proven} of ${LINES} lines are proven`);
    const times = await interleave(quick ? 1 : ROUNDS, {
      ours: () => timedMs(() => service.file(asked)),
      git: () => timedMs(async () => void git("blame", "--porcelain", "HEAD", "--", "large.ts")),
      moves: () => timedMs(async () => void git("blame", "--porcelain", "-M", "-C", "HEAD", "--", "large.ts")),
    });
    await store.close();
    return [
      {
        name: "blame.file",
        what: `every line of a file of ${LINES} lines with its session and turn, from ${commits} landings`,
        unit: "ms",
        value: median(times.ours),
        baseline: { what: "git blame of the file", value: median(times.git) },
        aim: { valueAtMost: 1000 },
        details: { rounds: times.ours.length, gitWithMovesMs: Math.round(median(times.moves)) },
      },
    ];
  },
};

const newId = uuidv7Maker({ nowMs: Date.now, random: () => randomBytes(10) });

async function appendLanding(
  store: Store,
  { repo, commit, turn }: { readonly repo: string; readonly commit: string; readonly turn: number },
  file: ReturnType<typeof recordedFile>,
): Promise<void> {
  const sessionId = newId();
  const told = { sessionId, turnId: newId(), eventId: newId(), agent: "demo", model: null, approver: null };
  const recorded = { format: 1, sessionId, turns: [told], commits: [{ commit, files: [file] }] };
  const blob = await store.putBlob(Buffer.from(JSON.stringify(recorded)));
  const order: LandingOrder = {
    ...{
      sessionId,
      turnId: told.turnId,
      worktreeId: sessionId,
      into: "main",
      how: "squash",
      message: null,
      checks: [],
    },
    ...{ pullRequest: null, captured: { head: commit, tree: commit }, attempt: 1, attemptsMax: 1 },
    repository: { root: realpathSync(repo), gitDir: realpathSync(join(repo, ".git")) },
  };
  const prepared = { base: commit, commit, commits: [commit] };
  const facts = [
    fact("landing.queued@1", order),
    fact("landing.started@1", {}),
    fact("landing.prepared@1", prepared),
    fact("landing.landed@1", { ...prepared, files: 1, added: turn, removed: turn, checkMs: 0, lines: { blob } }),
  ];
  const at = new Date().toISOString();
  const events = facts.map((one) => ({ id: newId(), at, actor: "operator", cause: null, fact: one }));
  await store.append([{ stream: `landing/${newId()}`, expectedVersion: 0, events }], { fence: 0 });
}
