import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type StormDaemon, startStormDaemon } from "./storm-daemon.ts";
import { type Random, seededRandom } from "./storm-random.ts";
import { readWorld } from "./world.ts";

export interface WorldStormOptions {
  readonly folder: string;
  readonly seed: number;
  readonly steps: number;
  readonly untilMs: number;
  /** A repository to clone and work in; null: a small one of our own. */
  readonly repository: string | null;
  readonly print: (line: string) => void;
}

export interface WorldStormFigures {
  readonly turns: number;
  readonly rewinds: number;
  readonly forks: number;
  readonly kills: number;
}

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly [name: string]: unknown };
}

interface Scene {
  daemon: StormDaemon;
  readonly home: string;
  readonly random: Random;
  readonly session: { readonly id: string; readonly cwd: string; readonly hasTree: boolean };
  /** The file tree at the end of each turn, by event id. */
  readonly sessionFiles: Map<string, readonly string[]>;
}

const KILL_PART = 3;
const SETTLE_MAX_MS = 60_000;

/**
 * One session with its own files, through a real daemon: turns that change a repository like people and agents do,
 * rewinds
 * to any earlier point, forks, and sometimes a `kill -9` in the middle. After each the tree is read by other means.
 */
export async function runWorldStorm(options: WorldStormOptions): Promise<WorldStormFigures> {
  const { folder, seed, print } = options;
  const random = seededRandom(seed);
  const home = join(folder, "home");
  const repo = makeRepository(join(folder, "repo"), options.repository);
  const before = portraitOf(repo);
  const daemon = await startStormDaemon(home);
  const hasTree = seed % 2 === 0;
  const body = { adapter: "demo", cwd: repo, worktree: hasTree, sandbox: seed % 3 === 0 ? "strict" : "off" };
  const { status, body: opened } = await daemon.call<{ id: string; cwd: string }>("POST", "/sessions/agent", body);
  strictEqual(status, 201, JSON.stringify(opened));
  const scene: Scene = {
    ...{ daemon, home, random, sessionFiles: new Map() },
    session: { id: opened.id, cwd: opened.cwd, hasTree },
  };
  const figures = { turns: 0, rewinds: 0, forks: 0, kills: 0 };
  try {
    await doTurn(scene, figures);
    for (let step = 0; step < options.steps && Date.now() < options.untilMs; step += 1) {
      const dice = random.below(10);
      if (dice < 5) await doTurn(scene, figures);
      else if (dice < 9) await doRewind(scene, figures);
      else await doFork(scene, figures);
    }
    if (hasTree) deepStrictEqual(portraitOf(repo), before, "the user's repository is not what it was");
    const doctor = await scene.daemon.call<{ ok: boolean }>("GET", "/api/doctor?rebuild=1");
    ok(doctor.body.ok, JSON.stringify(doctor.body));
    await scene.daemon.term();
  } catch (thrown) {
    print(`seed ${seed}, ${JSON.stringify(figures)}; what is left lies in ${folder}`);
    throw thrown;
  } finally {
    scene.daemon.child.kill("SIGKILL");
  }
  return figures;
}

async function doTurn(scene: Scene, figures: { turns: number; kills: number }): Promise<void> {
  const { random, session } = scene;
  const acts = Array.from({ length: 1 + random.below(4) }, () => `run ${actOf(random)}`);
  const asked = await scene.daemon.call<{ turnId: string }>("POST", `/sessions/${session.id}/prompt`, {
    prompt: acts.join("\n"),
  });
  strictEqual(asked.status, 200, JSON.stringify(asked.body));
  if (random.below(KILL_PART) === 0) {
    await sleep(random.below(400));
    await restart(scene);
    figures.kills += 1;
  }
  const end = await settled(scene, asked.body.turnId);
  scene.sessionFiles.set(end, readWorld(rootOf(scene)));
  figures.turns += 1;
}

/** The event that ends the turn, once its snapshot is recorded. */
async function settled(scene: Scene, turnId: string): Promise<string> {
  const untilMs = Date.now() + SETTLE_MAX_MS;
  while (Date.now() < untilMs) {
    const events = await eventsOf(scene);
    const end = events.findIndex(({ type, data }) => type === "turn.ended@1" && data["turnId"] === turnId);
    if (end >= 0 && (await isKept(scene))) {
      // The snapshot of a cut turn is recorded after its end.
      const kept = (await eventsOf(scene)).findLast(
        ({ type }) => type === "snapshot.taken@1" || type === "turn.ended@1",
      );
      return kept?.id ?? "";
    }
    await sleep(20);
  }
  throw new Error("the turn does not end");
}

/** Everything is recorded: a snapshot on request finds the same as the log. */
async function isKept({ daemon, session }: Scene): Promise<boolean> {
  const { status } = await daemon.call("POST", `/sessions/${session.id}/snapshot`, {});
  return status === 200;
}

async function doRewind(scene: Scene, figures: { rewinds: number; kills: number }): Promise<void> {
  const { random, session, sessionFiles } = scene;
  const [to, wanted] = chosen(sessionFiles, random);
  const now = readWorld(rootOf(scene));
  const before = await countOf(scene, "session.rewound@1");
  const rewinding = scene.daemon.call("POST", `/sessions/${session.id}/rewind`, { to }).catch(() => null);
  if (random.below(KILL_PART) === 0) {
    await sleep(random.below(300));
    await restart(scene);
    figures.kills += 1;
    await rewinding;
    await quiet(scene);
    const isRewound = (await countOf(scene, "session.rewound@1")) > before;
    deepStrictEqual(readWorld(rootOf(scene)), isRewound ? wanted : now, `cut rewind, rewound: ${isRewound}`);
  } else {
    const answer = await rewinding;
    strictEqual(answer?.status, 200, JSON.stringify(answer?.body));
    deepStrictEqual(readWorld(rootOf(scene)), wanted, "rewound to another tree");
  }
  figures.rewinds += 1;
}

async function doFork(scene: Scene, figures: { forks: number }): Promise<void> {
  const { random, session, sessionFiles, daemon } = scene;
  const [at, wanted] = chosen(sessionFiles, random);
  const now = readWorld(rootOf(scene));
  const fork = await daemon.call<{ id: string; cwd: string }>("POST", `/sessions/${session.id}/fork`, { at });
  strictEqual(fork.status, 201, JSON.stringify(fork.body));
  const isOurs = (line: string): boolean => !session.hasTree || !/^\/\.git[/ ]/.test(line);
  deepStrictEqual(readWorld(fork.body.cwd).filter(isOurs), wanted.filter(isOurs), "forked another tree");
  deepStrictEqual(readWorld(rootOf(scene)), now, "a fork changed the tree it was made from");
  await daemon.call("POST", `/sessions/${fork.body.id}/kill`);
  figures.forks += 1;
}

function chosen(sessionFiles: Scene["sessionFiles"], random: Random): readonly [string, readonly string[]] {
  const all = [...sessionFiles];
  const found = all[random.below(all.length)];
  if (found === undefined) throw new Error("there is no point to go back to");
  return found;
}

async function restart(scene: Scene): Promise<void> {
  await scene.daemon.kill9();
  scene.daemon = await startStormDaemon(scene.home);
}

async function quiet(scene: Scene): Promise<void> {
  const untilMs = Date.now() + SETTLE_MAX_MS;
  while (!(await isKept(scene))) {
    if (Date.now() > untilMs) throw new Error("the session does not come to rest");
    await sleep(20);
  }
}

async function eventsOf({ daemon, session }: Scene): Promise<readonly Event[]> {
  const { body } = await daemon.call<{ events: Event[] }>(
    "GET",
    `/sessions/${session.id}/events?limit=1000&order=desc`,
  );
  return body.events.toReversed();
}

async function countOf(scene: Scene, type: string): Promise<number> {
  return (await eventsOf(scene)).filter((event) => event.type === type).length;
}

function rootOf({ session }: Scene): string {
  return session.cwd;
}

/** Changes to a repository, by shells and by git. */
function actOf(random: Random): string {
  const name = () => ["a", "b/c", "src/x.ts", "d e", "deep/er/f", "b"][random.below(6)] ?? "a";
  const quoted = () => `'${name()}'`;
  const acts = [
    () => `mkdir -p "$(dirname ${quoted()})"; echo ${random.below(1000)} >> ${quoted()}`,
    () => `head -c ${random.below(100_000)} /dev/urandom > blob${random.below(4)}`,
    () => `rm -rf ${quoted()}`,
    () => `mv ${quoted()} ${quoted()}`,
    () => `chmod ${["600", "755", "4711", "444"][random.below(4)]} ${quoted()}`,
    () => `ln -sfn ${quoted()} link${random.below(3)}`,
    () => `ln -f ${quoted()} hard${random.below(3)}`,
    () => `mkdir -p empty${random.below(3)}/inner`,
    () => `printf '\\377\\000x' > "$(printf 'odd\\376')"`,
    () => "git add -A; git commit -qm more",
    () => `git checkout -q -B branch${random.below(3)}`,
    () => "git stash -q -u",
    () => "git stash pop -q",
    () => "git reset -q --hard",
    () => "git clean -fdqx",
    () => "git gc -q --prune=now",
    () =>
      `git init -q nested${random.below(2)} && cd nested${random.below(2)} && echo x > in && git add . && git commit -qm in`,
    () => "git rm -rq --cached .; git add -A",
    () =>
      `echo '*.log' > .gitignore; echo x > out.log; mkdir -p node_modules/p && echo ${random.below(99)} > node_modules/p/index.js`,
    () => `sleep 0.${random.below(4)}; echo late > late${random.below(3)}`,
  ];
  return `(${(acts[random.below(acts.length)] ?? acts[0])?.()}) 2>/dev/null || true`;
}

function makeRepository(at: string, from: string | null): string {
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", at, ...args], { stdio: "ignore" });
  if (from !== null) execFileSync("git", ["clone", "-q", "--no-hardlinks", from, at], { stdio: "ignore" });
  else {
    mkdirSync(join(at, "src"), { recursive: true });
    execFileSync("git", ["init", "-q", "-b", "main", at]);
    for (const path of ["a", "src/x.ts", "README.md"]) writeFileSync(join(at, path), `${path}\r\n`);
  }
  git("config", "user.name", "Storm");
  git("config", "user.email", "storm@localhost");
  if (from === null) {
    git("add", "--all");
    git("commit", "-qm", "first");
  }
  return at;
}

function portraitOf(repo: string): readonly string[] {
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", repo, ...args], { encoding: "utf8" });
  // A hard link to an object beside the worktree is not a change.
  const world = readWorld(repo).map((line) => line.replace(/(?<= [0-9a-f]{64}) .*$/, ""));
  return [
    ...world,
    git("--no-optional-locks", "status", "--porcelain", "--ignored"),
    git("config", "-l"),
    git("fsck", "--full"),
  ];
}
