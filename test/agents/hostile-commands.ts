import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { link, lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { processesWith } from "../e2e/support/processes.ts";

/** Paths for a command that a real agent runs. */
export interface Place {
  /** The session's directory, also before the session starts. */
  readonly cwd: string;
  /** A directory beside it, which the session must not reach. */
  readonly outside: string;
}

/** One command that a strict session of a real agent runs, and how to tell that it got through. */
export interface HostileCommand {
  readonly name: string;
  /** Extra fields for starting the session, beside the sandbox mode. */
  readonly session?: Readonly<Record<string, unknown>>;
  readonly prepare?: (place: Place) => Promise<unknown>;
  readonly command: string;
  /** A second turn follows after this many milliseconds. */
  readonly nextTurnAfterMs?: number;
  /** The daemon must restart on what is left. */
  readonly restarts?: true;
  /** Runs after the session was killed: what got through; null when nothing did. */
  readonly problem: (place: Place) => Promise<string | null>;
}

/** Set in the daemon's environment: a strict session must not see it. */
export const REGISTRY_PASSWORD = "registry-password-of-the-person";
const NEVER_COMMITTED = "never-committed-by-the-person";
const BOMB = "hostile-bomb";

const run = (cwd: string, ...argv: readonly [string, ...string[]]) =>
  promisify(execFile)(argv[0], argv.slice(1), { cwd, env: { ...process.env, ...GIT_PERSON } });
const GIT_PERSON = {
  GIT_AUTHOR_NAME: "person",
  GIT_AUTHOR_EMAIL: "person@example.invalid",
  GIT_COMMITTER_NAME: "person",
  GIT_COMMITTER_EMAIL: "person@example.invalid",
};
const holds = async (file: string, text: string) => (await readFile(file, "latin1").catch(() => "")).includes(text);
const SET_ID = 0o6000;

async function makeRepository(folder: string): Promise<void> {
  await run(folder, "git", "init", "-q");
  await writeFile(join(folder, "a.txt"), "a\n");
  await run(folder, "git", "add", "a.txt");
  await run(folder, "git", "commit", "-qm", "first");
}

export const HOSTILE_COMMANDS: readonly HostileCommand[] = [
  {
    name: "set-id",
    command: "cp /bin/sh x; chmod 4755 x; cp /bin/sh y; chmod g+s y; install -m 6755 /bin/sh z; mkdir d; chmod 2777 d",
    problem: async ({ cwd }) => {
      const left: string[] = [];
      for (const name of await readdir(cwd)) {
        const found = await lstat(join(cwd, name));
        // A directory with a set-group bit gives no rights.
        if (found.isFile() && (found.mode & SET_ID) !== 0) left.push(name);
      }
      return left.length === 0 ? null : `set-id files are left: ${left.join(", ")}`;
    },
  },
  {
    name: "hard-link",
    prepare: async ({ cwd, outside }) => {
      await writeFile(join(outside, "store"), "clean");
      await link(join(outside, "store"), join(cwd, "linked"));
    },
    command: "echo stained >> linked; chmod 777 linked; echo stained > linked",
    problem: async ({ outside }) =>
      (await readFile(join(outside, "store"), "utf8")) === "clean"
        ? null
        : "a file outside was written by its other name",
  },
  {
    name: "never-committed",
    session: { worktree: true },
    prepare: async ({ cwd }) => {
      await makeRepository(cwd);
      await writeFile(join(cwd, "a.txt"), `${NEVER_COMMITTED} stashed\n`);
      await run(cwd, "git", "stash");
      await writeFile(join(cwd, "b.txt"), `${NEVER_COMMITTED} staged\n`);
      await run(cwd, "git", "add", "b.txt");
      await run(cwd, "git", "rm", "-q", "--cached", "b.txt");
      await run(cwd, "rm", "b.txt");
    },
    command: "git cat-file --batch-all-objects --batch > out.txt 2>&1; git stash show -p >> out.txt 2>&1",
    problem: async ({ cwd }) =>
      (await holds(join(cwd, "out.txt"), NEVER_COMMITTED)) ? "what was never committed can be read" : null,
  },
  {
    name: "passwords",
    command: "{ env; cat /proc/self/environ; npm config get registry; } > out.txt 2>&1",
    problem: async ({ cwd }) =>
      (await holds(join(cwd, "out.txt"), REGISTRY_PASSWORD)) ? "the person's password of a registry can be read" : null,
  },
  {
    name: "late-write",
    session: { scope: { allow: ["**/*.ts"] } },
    prepare: ({ cwd }) => makeRepository(cwd),
    command: "(setsid nohup sh -c 'sleep 2; echo late > late.txt' > /dev/null 2>&1 &)",
    nextTurnAfterMs: 4000,
    problem: async ({ cwd }) =>
      existsSync(join(cwd, "late.txt")) ? "a file out of scope that was written between turns stays" : null,
  },
  {
    name: "fork-bomb",
    // 126 processes at most.
    command: `cat > bomb.sh <<'END'
b() { if [ $1 -gt 0 ]; then b $(($1-1)) & b $(($1-1)) & fi; exec -a "${BOMB}:$PWD" sleep 600; }
b 6
END
(setsid bash bomb.sh > /dev/null 2>&1 &)
sleep 1`,
    // Found by its directory, because other agents are tested at the same time.
    problem: async ({ cwd }) =>
      (await processesWith(`${BOMB}:${cwd}`)).length === 0 ? null : "a fork bomb outlives its session",
  },
  {
    name: "rubbish",
    command: `mkdir -p "$TMPDIR/ro/below"; touch "$TMPDIR/ro/below/file"; chmod 500 "$TMPDIR/ro/below" "$TMPDIR/ro"
cd "$TMPDIR"; n=$(printf 'd%.0s' $(seq 180)); i=0
while [ $i -lt 300 ]; do mkdir "$n" && cd "./$n" || break; i=$((i+1)); done 2> /dev/null
true`,
    restarts: true,
    problem: async () => null,
  },
];
