import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, vi } from "vitest";
import { startDaemon as startApp } from "../../src/app/index.ts";
import { startupError } from "../../src/cli/daemon/startup-error.ts";
import { CHOSEN_STORE, storeEnvironment } from "../support/chosen-store.ts";
import { BIN, newHome, runCli, startDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { eventually, expectOk, newFolder, PATIENCE, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

interface Doctor {
  readonly ok: boolean;
  readonly home: {
    readonly left: readonly { readonly path: string; readonly reason: string; readonly remedy: string }[];
    readonly aside: readonly string[];
  };
}

/** Each puts something else in place of a part of the home. */
const KINDS: Readonly<Record<string, (path: string) => void>> = {
  file: (path) => writeFileSync(path, "{ half a js"),
  empty: (path) => writeFileSync(path, ""),
  huge: (path) => {
    writeFileSync(path, "");
    truncateSync(path, 2 ** 33);
  },
  folder: (path) => {
    mkdirSync(join(path, "closed"), { recursive: true });
    writeFileSync(join(path, "closed", "file"), "x");
    chmodSync(join(path, "closed"), 0o555);
  },
  closed: (path) => mkdirSync(path, { mode: 0 }),
  dangling: (path) => symlinkSync("/nowhere/at/all", path),
  loop: (path) => symlinkSync(path, path),
  pipe: (path) => void execFileSync("mkfifo", [path]),
  device: (path) => symlinkSync("/dev/zero", path),
};

/** Parts that a daemon creates or reads at its start, and can do without. */
const PARTS = [
  ...["agents", "cache", "doors", "drivers", "forks", "logs", "sandboxes", "snapshots", "tmp", "trash", "tree"],
  ...["public-etc", "worktree-objects", "ended"],
  ...["workspaces", "worktrees", "daemon.json", "nomos.sock", "token", "workspaces.json", "home-id", "search.db"],
  ...[
    "lock.db",
    "lock.db-journal",
    "logs/daemon.log",
    "logs/daemon.out",
    "drivers/mine.json",
    "snapshots/packs",
    "worktrees/mine",
  ],
  ...["tree/size", "tree/tile", "keys/key.pub", "workspaces/tour"],
  ...(CHOSEN_STORE === "sqlite" ? ["restoring.tmp", "log.db-shm"] : []),
];

/** The old content is removed first. A part whose folder was replaced is skipped. */
function plant(home: string, part: string, kind: string): void {
  const path = join(home, part);
  if (!lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) return;
  spawnSync("rm", ["-rf", "--", path]);
  KINDS[kind]?.(path);
}

proves(
  "SV-3",
  "whatever lies in the place of any part of the home, the next start works and loses no event",
  async () => {
    const home = await newHome();
    const first = await startDaemon({ home });
    const { id } = await start(first);
    await turn(first, id, "write a.txt one\nsay kept");
    await first.stop();
    const kinds = Object.keys(KINDS);
    const plantAll = (round: number): void => {
      for (const [at, part] of PARTS.entries()) plant(home, part, kinds[(round + at) % kinds.length] ?? "file");
    };
    // Each start meets every part, each time as another kind: after as many starts as there are kinds all pairs were there.
    for (const [round] of kinds.entries()) {
      plantAll(round);
      await using daemon = await startDaemon({ home, args: ["--tour"], cwd: "/", outlivesTest: true });
      expect({ round, status: (await daemon.call("GET", `/sessions/${id}`)).status }).toEqual({ round, status: 200 });
      await daemon.stop();
    }
    plantAll(0);
    // The command line reads some of it before there is a daemon.
    const listed = await runCli(["ps", "--json"], { home, env: { TMPDIR: "/nowhere/at/all" } });
    expect(listed).toMatchObject({ exitCode: 0, stderr: "", stdout: expect.stringContaining(id) });
    expect((await runCli(["doctor"], { home })).stdout).toContain("blocked a start and was moved");
    expect(await runCli(["down"], { home })).toMatchObject({ exitCode: 0 });
  },
);

/** In this process, because many failing starts are tested. */
function startHere(home: string): ReturnType<typeof startApp> {
  return startApp({
    ...{ home, port: 0, version: "0.0.0", cwd: "/", tour: true, echo: () => undefined },
    environment: { ...process.env, ...storeEnvironment(home) },
    die: (exitCode) => {
      throw new Error(`the daemon wants to die with ${exitCode}`);
    },
  });
}

/** A user who is stopped by permissions, unlike root. */
const NOBODY = 65_534;
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

/** Deeper than the longest path. */
const DEEP = `
import os, sys
os.chdir(sys.argv[1])
for step in range(300):
    os.mkdir("d" * 180); os.chdir("d" * 180)
`;

proves.where(process.getuid?.() === 0 && needs("git", "python3"))(
  "SV-4",
  "an ordinary user's daemon starts, removes what agents left, and names what it cannot remove",
  async () => {
    const home = await newHome();
    const root = dirname(home);
    const repository = join(root, "repository");
    for (const path of [join(root, "ground"), repository]) mkdirSync(path);
    writeFileSync(join(repository, ".gitignore"), "cache\n");
    const git = (...args: readonly string[]) => execFileSync("git", ["-C", repository, ...args]);
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
    execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, root]);
    const through = AS_NOBODY;
    const env = { HOME: root };

    const before = await startDaemon({ home, through, env });
    const { id, cwd } = await start(before, { cwd: repository, worktree: true });
    // As Go's module cache does by accident.
    await turn(before, id, "run mkdir -p cache/mod && touch cache/mod/f && chmod 555 cache/mod cache && echo done");
    expect(existsSync(join(cwd, "cache/mod/f"))).toBe(true);
    expectOk(await before.call("POST", `/sessions/${id}/kill`));
    await eventually("the worktree is gone", async () => !existsSync(cwd));
    await before.kill9();

    const asNobody = (script: string, ...args: readonly string[]) =>
      execFileSync("setpriv", [...AS_NOBODY.slice(1), "sh", "-ec", script, "sh", ...args]);
    mkdirSync(join(home, "tmp/foreign/inner"), { recursive: true });
    writeFileSync(join(home, "tmp/foreign/inner/file"), "x");
    chownSync(join(home, "tmp/foreign"), NOBODY, NOBODY);
    asNobody(
      `cd "$1"; mkdir -p tmp/ro tmp/none tmp/deep sandboxes/gone/home/ro worktrees/.making-x/tree/ro worktrees/.removing-${id}/tree/ro
       touch tmp/ro/f tmp/none/f sandboxes/gone/home/ro/f worktrees/.making-x/tree/ro/f worktrees/.removing-${id}/tree/ro/f
       python3 -c "$2" tmp/deep
       chmod 555 tmp/ro sandboxes/gone/home/ro worktrees/.making-x/tree/ro worktrees/.removing-${id}/tree/ro
       chmod 0 tmp/none
       chmod 0 logs cache snapshots agents tree search.db daemon.json token config.json checkpoint keys keys/log.key log.db 2>/dev/null || true`,
      home,
      DEEP,
    );
    const after = await startDaemon({ home, through, env });
    const listed = join(home, "trash");
    await eventually("all but the foreign one is gone", async () => {
      const names = spawnSync("find", [listed, "-name", "file", "-o", "-name", "f", "-o", "-name", "dddd*"]).stdout;
      return names.toString().trim().split("\n").length === 1;
    });
    expect(existsSync(join(home, "sandboxes/gone"))).toBe(false);
    const doctor = expectOk(await after.call<Doctor>("GET", "/api/doctor"));
    expect(doctor).toMatchObject({ ok: false, home: { left: [{ reason: "EACCES" }] } });
    expect(doctor.home.left[0]?.path).toMatch(/foreign\/inner\/file$/);
    expect(doctor.home.left[0]?.remedy).toContain("rm -rf");
    const { stdout, exitCode } = await after.cli("doctor");
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("cannot be removed") });
    await after.kill9();
    execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, listed]);
    const last = await startDaemon({ home, through, env });
    await eventually("it was tried again", async () => existsSync(listed) && readdirSync(listed).length === 0);
    expect(expectOk(await last.call<Doctor>("GET", "/api/doctor"))).toMatchObject({ ok: true, home: { left: [] } });
  },
);

/** The log, and parts that the daemon cannot run without: refused at once with the right code. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  ...["pipe", "folder", "dangling", "device", "huge"].map(
    (kind) => ["config.json", kind, "config_unreadable"] as const,
  ),
  ["config.json", "empty", "malformed_json"],
  ...["pipe", "folder", "empty", "file", "huge"].map((kind) => ["checkpoint", kind, "checkpoint_invalid"] as const),
  ...["pipe", "folder", "empty", "device"].map((kind) => ["keys/log.key", kind, "checkpoint_invalid"] as const),
  ["keys", "file", "checkpoint_invalid"],
  ...(CHOSEN_STORE === "sqlite"
    ? ["pipe", "folder", "dangling", "device"].map((kind) => ["log.db", kind, "log_corrupt"] as const)
    : []),
];

proves("SV-5", "a broken part that the daemon cannot run without is refused at once and by name", async () => {
  for (const [part, kind, code] of REFUSED) {
    const home = await newHome();
    mkdirSync(join(home, dirname(part)), { recursive: true });
    plant(home, part, kind);
    const refusal = await startHere(home).then(
      () => "it started",
      (thrown: unknown) => startupError(thrown, home),
    );
    expect({ part, kind, refusal }).toMatchObject({ part, kind, refusal: { code } });
  }
});

proves("SV-5", "a home that cannot be created is refused by name", async () => {
  const file = await newHome();
  writeFileSync(file, "");
  const refused = { code: expect.stringMatching(/^(home_unusable|store_read_only)$/) };
  for (const home of [
    "/proc/x",
    "/proc/1/x/y",
    "/sys/x/y",
    "/dev/null",
    "/dev/null/x",
    "/proc/self/fd/x",
    join(file, "x"),
  ]) {
    const thrown = await startHere(home).catch((cause: unknown) => cause);
    expect({ home, error: startupError(thrown, home) }).toMatchObject({ home, error: refused });
  }
  const { exitCode, stdout, stderr } = await runCli(["run", "say hi", "--json"], { home: "/proc/x", cwd: "/" });
  expect({ exitCode, stderr, said: JSON.parse(stdout) }).toMatchObject({
    exitCode: 6,
    stderr: "",
    said: { error: refused },
  });
});

proves.skipIf(!needs("smallDisk"))("SV-5", "a first start on a disk that is too small says so", async () => {
  const at = await newFolder();
  const script = `mount -t tmpfs -o size=8m tmpfs "$1" && export NOMOS_HOME="$1/home" NOMOS_PORT=0
    "$2" "$3" run --json "say hi" | tail -n 1; "$2" "$3" down >/dev/null`;
  const args = ["-rm", "sh", "-c", script, "sh", at, process.execPath, BIN];
  const { stdout } = spawnSync("unshare", args, { encoding: "utf8" });
  expect(stdout).toContain('"disk_low"');
});
