import { spawn } from "node:child_process";
import { killMarked, MARKER_VARIABLE, uniqueMarker } from "../processes/marker.ts";

/** A program that acts for the person: with their settings, keys and logins, in their own repository. */
export interface PersonRun {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Further variables, such as those that forbid questions. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Owns what is written: for a daemon that runs as root. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

export interface PersonAnswer {
  /** 1 where it could not be started or was ended. */
  readonly exitCode: number;
  readonly stdout: string;
  /** The end of all it said. */
  readonly words: string;
}

const WORDS_CHARS = 2000;
const STDOUT_CHARS = 65_536;
/** A program in the background, such as ssh's shared connection, may keep the pipes open for ever. */
const DRAIN_MS = 200;
/** What git and a forge's program need to act for the person: their settings, keys and logins. */
const PASSED =
  /^(HOME|PATH|USER|LOGNAME|LANG|LC_.*|SSH_AUTH_SOCK|XDG_.*|GH_.*|GITHUB_TOKEN|GITLAB_.*|GLAB_.*|GIT_SSH|GIT_SSH_COMMAND|GIT_CONFIG_GLOBAL|GIT_CONFIG_SYSTEM|HTTPS?_PROXY|https?_proxy|NO_PROXY|no_proxy)$/;

/**
 * At its time limit all it started ends with it: a transport that hangs would outlive git and keep its pipes. It gets no
 * session of its own for that: on a busy machine that alone makes a push half as long again.
 */
export function runAsPerson(run: PersonRun): Promise<PersonAnswer> {
  const { environment, argv, cwd, timeoutMs, variables = {}, user } = run;
  const [program = "", ...args] = argv;
  const passed = Object.entries(environment).filter(([name, value]) => PASSED.test(name) && value !== undefined);
  const marker = uniqueMarker({});
  const silent = { GIT_TERMINAL_PROMPT: "0", LC_ALL: "C", [MARKER_VARIABLE]: marker };
  const env = { ...Object.fromEntries(passed), ...silent, ...variables };
  const { promise, resolve } = Promise.withResolvers<PersonAnswer>();
  const child = spawn(program, args, { cwd, env, ...user, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, words] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout = (stdout + chunk.toString()).slice(0, STDOUT_CHARS);
    words = (words + chunk.toString()).slice(-WORDS_CHARS);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-WORDS_CHARS);
  });
  let killing: Promise<unknown> | null = null;
  const limit = setTimeout(() => {
    child.kill("SIGKILL");
    killing = killMarked(marker);
  }, timeoutMs);
  let drain: NodeJS.Timeout | undefined;
  const end = (exitCode: number): void => {
    clearTimeout(limit);
    clearTimeout(drain);
    child.stdout.destroy();
    child.stderr.destroy();
    const late = `${words.trim()}\nit took longer than ${timeoutMs} ms`.trim();
    const giveUp = () => resolve({ exitCode: 1, stdout, words: late });
    if (killing === null) resolve({ exitCode, stdout, words: words.trim() });
    else killing.then(giveUp, giveUp);
  };
  child.once("error", (cause) => {
    words = cause.message;
    end(1);
  });
  child.once("exit", (exitCode) => {
    drain = setTimeout(end, DRAIN_MS, exitCode ?? 1);
  });
  child.once("close", (exitCode) => end(exitCode ?? 1));
  return promise;
}
