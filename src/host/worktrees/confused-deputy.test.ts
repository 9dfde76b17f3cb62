import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { sampled } from "../../../test/support/sampled.ts";
import { type Bench, setUpBench } from "../../../test/support/worktree-bench.ts";

const SECRET = "s3cret-of-somebody-else";

interface Foreign {
  readonly path: string;
  readonly commit: string;
  readonly blob: string;
}

/** Somebody else's repository, which the daemon can read and the agent cannot. */
function foreignIn(bench: Bench): Foreign {
  const path = join(bench.directory, "foreign");
  bench.git(bench.directory, "init", "--quiet", path);
  bench.write(join(path, "secret.txt"), SECRET);
  bench.write(join(path, ".git/info/exclude"), SECRET);
  bench.git(path, "add", "--all");
  bench.git(path, "commit", "--quiet", "-m", SECRET);
  bench.git(path, "branch", SECRET);
  bench.git(path, "pack-refs", "--all");
  const of = (name: string) => bench.git(path, "rev-parse", name);
  return { path, commit: of("HEAD"), blob: of("HEAD:secret.txt") };
}

/** Nothing of the other repository is in the worktree: no text, no name, no object. */
function expectNothingOf({ commit, blob }: Foreign, { yard }: Bench): void {
  const made = madeIn(yard.folder);
  if (made.length === 0) return;
  const all = execFileSync("find", [...made, "-printf", "%p %l\n"], { encoding: "utf8" });
  expect(all).not.toContain(SECRET);
  for (const id of [commit, blob]) expect(all).not.toContain(`${id.slice(0, 2)}/${id.slice(2)}`);
  for (const text of [SECRET, commit])
    expect(() => execFileSync("grep", ["-rl", text, ...made], { encoding: "utf8" })).toThrow();
}

/** Folders the daemon made after the agent's own worktree. */
function madeIn(folder: string): readonly string[] {
  return (existsSync(folder) ? readdirSync(folder) : []).filter((id) => id !== AGENT).map((id) => join(folder, id));
}

const AGENT = "the-agents-own";

async function agentTree(bench: Bench): Promise<string> {
  const { path } = await bench.yard.create(await bench.yard.plan({ id: AGENT, cwd: bench.repo, name: "agent" }), "now");
  bench.write(join(path, "own.txt"), "own");
  bench.git(path, "add", "--all");
  bench.git(path, "commit", "--quiet", "-m", "own");
  return path;
}

const code = (wanted: string) => ({ code: wanted, remedy: expect.stringMatching(/./) });

proves("WT-16", "a path in a repository's configuration is not read", async () => {
  using bench = setUpBench();
  bench.write(join(bench.directory, "secret"), SECRET);
  for (const name of ["core.excludesFile", "core.attributesFile", "include.path", "commit.template", "mailmap.file"])
    bench.git(bench.repo, "config", name, join(bench.directory, "secret"));
  const { path } = await bench.worktree();
  expect(() => execFileSync("grep", ["-rl", SECRET, bench.yard.folder])).toThrow();
  bench.write(join(bench.directory, "mine"), "*.mine\n");
  bench.git(bench.repo, "config", "--global", "core.excludesFile", join(bench.directory, "mine"));
  const second = await bench.worktree({ name: "second" });
  expect(readFileSync(join(second.path, ".git/info/exclude"), "utf8")).toContain("*.mine");
  expect(readFileSync(join(path, ".git/info/exclude"), "utf8")).not.toContain("*.mine");
});

const LINKED = [
  "HEAD",
  "objects",
  "objects/pack",
  "objects/info",
  "refs",
  "refs/heads",
  "packed-refs",
  "info",
  "shallow",
];

for (const name of [...LINKED, "objects/loose", "info/exclude"])
  proves("WT-16", `a fork takes nothing from the repository that its parent's ${name} points to`, async () => {
    using bench = setUpBench();
    const foreign = foreignIn(bench);
    const tree = await agentTree(bench);
    const [from, to] =
      name === "objects/loose"
        ? [`objects/${foreign.blob.slice(0, 2)}`, `objects/${foreign.blob.slice(0, 2)}`]
        : [name, name];
    rmSync(join(tree, ".git", to), { recursive: true, force: true });
    symlinkSync(join(foreign.path, ".git", from), join(tree, ".git", to));
    const refused = await bench.fork(AGENT).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    const isRead = !["info", "info/exclude", "objects/info"].includes(name);
    if (isRead) expect(refused).toMatchObject(code("repository_invalid"));
    else expect(refused).toBeNull();
    expectNothingOf(foreign, bench);
    expect(await bench.yard.list()).toHaveLength(isRead ? 1 : 2);
  });

proves(
  "WT-16",
  "a fork takes objects from where the daemon put them, not from where the agent's files point",
  async () => {
    using bench = setUpBench();
    const foreign = foreignIn(bench);
    const tree = await agentTree(bench);
    mkdirSync(join(tree, "nested/info"), { recursive: true });
    writeFileSync(join(tree, "nested/info/alternates"), `${foreign.path}/.git/objects\n`);
    const alternates = join(tree, ".git/objects/info/alternates");
    writeFileSync(alternates, `${readFileSync(alternates, "utf8")}${tree}/nested\n${foreign.path}/.git/objects\n`);
    const { path } = await bench.fork(AGENT);
    expect(bench.git(path, "log", "-1", "--format=%s")).toBe("own");
    expect(() => bench.git(path, "cat-file", "-e", foreign.commit)).toThrow();
    writeFileSync(join(tree, ".git/HEAD"), `${foreign.commit}\n`);
    await expect(bench.fork(AGENT)).rejects.toMatchObject(code("worktree_base_missing"));
    expectNothingOf(foreign, bench);
  },
);

const KINDS: Readonly<Record<string, (path: string, foreign: Foreign) => void>> = {
  link: (path, foreign) => symlinkSync(join(foreign.path, ".git"), path),
  file: (path, foreign) => writeFileSync(path, `gitdir: ${foreign.path}/.git\n`),
  pipe: (path) => void execFileSync("mkfifo", [path]),
  nothing: () => undefined,
};

for (const [kind, put] of Object.entries(KINDS))
  proves(
    "WT-16",
    `a worktree whose \`.git\` was replaced by a ${kind} is refused as a fork's base, with the reason`,
    async () => {
      using bench = setUpBench();
      const foreign = foreignIn(bench);
      const tree = await agentTree(bench);
      renameSync(join(tree, ".git"), join(bench.directory, "aside"));
      put(join(tree, ".git"), foreign);
      await expect(bench.fork(AGENT)).rejects.toMatchObject(code("repository_invalid"));
      expectNothingOf(foreign, bench);
      expect((await bench.yard.work(AGENT)).unclear).not.toBeNull();
    },
  );

proves(
  "WT-16",
  "a repository that claims a foreign common directory or foreign objects is refused as a base",
  async () => {
    using bench = setUpBench();
    const foreign = foreignIn(bench);
    const at = (name: string) => join(bench.directory, name);
    const theirs = join(foreign.path, ".git");
    // A folder that claims to be a linked worktree, and a git dir that points back correctly but names somebody else's
    // common dir.
    bench.write(join(at("claims"), ".git/HEAD"), "ref: refs/heads/main\n");
    bench.write(join(at("claims"), ".git/commondir"), `${theirs}\n`);
    bench.write(join(at("forged"), "worktrees/x/HEAD"), "ref: refs/heads/main\n");
    bench.write(join(at("forged"), "worktrees/x/commondir"), `${theirs}\n`);
    bench.write(join(at("forged"), "worktrees/x/gitdir"), `${join(at("forged"), "tree/.git")}\n`);
    bench.write(join(at("forged"), "tree/.git"), `gitdir: ${join(at("forged"), "worktrees/x")}\n`);
    bench.git(bench.directory, "init", "--quiet", at("borrows"));
    bench.write(join(at("borrows"), ".git/objects/info/alternates"), `${theirs}/objects\n`);
    writeFileSync(join(at("borrows"), ".git/HEAD"), `${foreign.commit}\n`);
    for (const cwd of [at("claims"), join(at("forged"), "tree"), join(at("forged"), "worktrees/x"), at("borrows")])
      await expect(bench.worktree({ cwd })).rejects.toMatchObject(code("repository_invalid"));
    // The claim appears only after the check; git must not read it then either.
    rmSync(join(at("borrows"), ".git/objects/info/alternates"));
    writeFileSync(join(at("borrows"), ".git/HEAD"), "ref: refs/heads/main\n");
    bench.git(at("borrows"), "commit", "--quiet", "--allow-empty", "-m", "innocent");
    const plan = await bench.yard.plan({ id: "late", cwd: at("borrows"), name: "late" });
    bench.write(join(at("borrows"), ".git/objects/info/alternates"), `${theirs}/objects\n`);
    writeFileSync(join(at("borrows"), ".git/HEAD"), `${foreign.commit}\n`);
    await expect(bench.yard.create(plan, "now")).rejects.toMatchObject(code("worktree_base_missing"));
    expectNothingOf(foreign, bench);
  },
);

proves(
  "WT-16",
  "a base whose folders are links: nothing is created or opened outside, and nothing is left behind",
  async () => {
    using bench = setUpBench();
    const outside = join(bench.directory, "outside");
    mkdirSync(outside);
    bench.git(bench.repo, "checkout", "--quiet", "-b", "evil");
    rmSync(join(bench.repo, "src"), { recursive: true });
    symlinkSync(outside, join(bench.repo, "src"));
    bench.git(bench.repo, "add", "--all");
    bench.git(bench.repo, "commit", "--quiet", "-m", "link");
    bench.git(bench.repo, "checkout", "--quiet", "main");
    mkdirSync(join(bench.repo, "src/deep"));
    writeFileSync(join(bench.repo, "src/.env"), "KEY=1");
    for (const cwd of [join(bench.repo, "src"), join(bench.repo, "src/deep")])
      await expect(bench.worktree({ cwd, base: "evil" })).rejects.toMatchObject(code("cwd_missing"));
    expect(readdirSync(bench.yard.folder)).toEqual([]);
    // Nor is anything carried through it.
    await bench.worktree({ base: "evil" });
    expect(readdirSync(outside)).toEqual([]);
  },
);

proves("WT-16", "pipes in a worktree's git dir do not block", async () => {
  using bench = setUpBench({ gitTimeoutMs: 1500 });
  const tree = await agentTree(bench);
  const pipe = async (name: string, isRead = true): Promise<void> => {
    const path = join(tree, name);
    if (existsSync(path)) renameSync(path, join(bench.directory, "aside"));
    execFileSync("mkfifo", [path]);
    if (isRead) expect((await bench.yard.work(AGENT)).unclear, name).not.toBeNull();
    expect(await bench.yard.remove(AGENT), name).toMatchObject({ removed: false });
    await bench.fork(AGENT).catch((thrown: unknown) => expect(thrown, name).toMatchObject(code("repository_invalid")));
    rmSync(path);
    if (existsSync(join(bench.directory, "aside"))) renameSync(join(bench.directory, "aside"), path);
  };
  for (const name of ["packed-refs", "HEAD", "index", "shallow", "objects/info/alternates", "refs/heads/pipe"])
    await pipe(`.git/${name}`);
  for (const name of [".gitignore", ".git/config"]) await pipe(name, false);
});

/**
 * A folder on another disk than the temp directory. Without one the objects are on the same disk, which other tests
 * cover.
 */
const elsewhere = ["/dev/shm", "/tmp", "/var/tmp", "/run"].find(
  (path) => existsSync(path) && statSync(path).dev !== statSync(tmpdir()).dev,
);

proves("WT-16", "packs on another disk are read in place, only by the daemon, and only those packs", async () => {
  if (elsewhere === undefined) throw new Error("needs two file systems: a /dev/shm, or a TMPDIR on another disk");
  using bench = setUpBench();
  const foreign = foreignIn(bench);
  const repo = realpathSync(mkdtempSync(join(elsewhere, "trees-")));
  try {
    bench.git(bench.directory, "clone", "--quiet", "--no-local", bench.repo, repo);
    bench.git(repo, "repack", "-a", "-d", "--quiet");
    const large = join(repo, `.git/objects/pack/pack-${"0".repeat(40)}.pack`);
    writeFileSync(large, "");
    truncateSync(large, 3e9);
    const made = await bench.worktree({ cwd: repo });
    expect(made.objects).toBe("copied");
    expect(bench.git(made.path, "status", "--porcelain")).toBe("");
    const plan = await bench.yard.plan({ id: "late", cwd: repo, name: "late" });
    bench.write(join(repo, ".git/objects/info/alternates"), `${foreign.path}/.git/objects\n`);
    writeFileSync(join(repo, ".git/HEAD"), `${foreign.commit}\n`);
    await expect(bench.yard.create(plan, "now")).rejects.toMatchObject(code("worktree_base_missing"));
    expectNothingOf(foreign, bench);
  } finally {
    rmSync(repo, { recursive: true });
  }
});

const SWAPPER = `
import ctypes, sys
libc = ctypes.CDLL(None)
a, b = (one.encode() for one in sys.argv[1:])
print("on", flush=True)
while True: libc.renameat2(-100, a, -100, b, 2)`;

/** Swaps a folder with a link to somewhere else, as fast as it can. */
async function swapping(a: string, b: string): Promise<AsyncDisposable> {
  const child = spawn("python3", ["-c", SWAPPER, a, b], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

const provesRace = proves.skipIf(!needs("python3") || process.platform !== "linux");
const ROUNDS = sampled(100, 5);

provesRace(
  "WT-16",
  "an object folder that is swapped for a link: nothing from the link's target is copied",
  async () => {
    using bench = setUpBench();
    const foreign = foreignIn(bench);
    const tree = await agentTree(bench);
    const two = foreign.blob.slice(0, 2);
    const folder = join(tree, ".git/objects", two);
    mkdirSync(folder, { recursive: true });
    symlinkSync(join(foreign.path, ".git/objects", two), join(tree, "link"));
    await using _swapping = await swapping(folder, join(tree, "link"));
    for (let round = 0; round < ROUNDS; round += 1) {
      await bench.fork(AGENT).catch((thrown: unknown) => expect(thrown).toMatchObject({ code: "repository_invalid" }));
      expectNothingOf(foreign, bench);
    }
  },
);

provesRace(
  "WT-16",
  "a carried folder that is swapped for a link: nothing from the link's target is copied",
  async () => {
    using bench = setUpBench();
    const foreign = foreignIn(bench);
    for (let n = 0; n < 20; n += 1) bench.write(join(bench.repo, `node_modules/p${n}/index.js`), "p");
    bench.write(join(bench.repo, "node_modules/p/index.js"), "p");
    symlinkSync(foreign.path, join(bench.repo, "node_modules/q"));
    await using _swapping = await swapping(join(bench.repo, "node_modules/p"), join(bench.repo, "node_modules/q"));
    for (let round = 0; round < ROUNDS; round += 1) {
      await bench.worktree({ name: `r${round}` });
      expectNothingOf(foreign, bench);
    }
  },
);
