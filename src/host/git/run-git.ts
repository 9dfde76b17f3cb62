import { type ChildProcess, spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import { Readable } from "node:stream";
import { errno } from "../errno.ts";
import { HostError } from "../host-error.ts";

/**
 * The only way git is run. Its input was written by people and agents, so nothing in there may decide what runs: the
 * git dir is always given and is ours (see repository-view.ts), only its configuration is read, and everything that
 * could start a program, open a connection or prompt a person is disabled twice, by environment and by setting.
 */
export interface GitRunner {
  readonly run: (args: readonly string[], options?: GitOptions) => Promise<GitAnswer>;
  /** Like `run`, but throws `git_failed` for any exit code other than 0. */
  readonly must: (args: readonly string[], options?: GitOptions) => Promise<Buffer>;
  /** Like `must`, as text without the final newline. */
  readonly text: (args: readonly string[], options?: GitOptions) => Promise<string>;
}

export interface GitOptions {
  /** Without one, git gets a git dir that does not exist: for commands that need no repository. */
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  /** Pieces are handed over as they come: git waits for the next one. */
  readonly input?: string | Buffer | AsyncIterable<string>;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly outputBytesMax?: number;
  /** Receives the output piece by piece instead of the result. A returned error ends git. */
  readonly take?: (chunk: Buffer) => HostError | null;
  /** The author of commits made here. */
  readonly identity?: { readonly name: string; readonly email: string };
  /** Another author than the one who commits. */
  readonly author?: { readonly name: string; readonly email: string; readonly date: string };
  readonly signing?: GitSigning;
  /** How git does it, not what: `checkout.workers=4`. */
  readonly settings?: readonly string[];
  /** The person's own hooks, out of any agent's reach. Only `update-ref` is run with them. */
  readonly hooksPath?: string;
  /** The person's own attributes for all repositories. */
  readonly attributesFile?: string;
  /** Where hooks start; default: the root of the file system. */
  readonly cwd?: string;
  /** Owns what git writes, and runs hooks: for a daemon that runs as root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Lets git remove its locks when it is ended: for commands that write to a person's repository. */
  readonly endsGently?: boolean;
}

/** How the person signs commits, from their own settings. */
export interface GitSigning {
  /** Settings such as `gpg.format=ssh`. */
  readonly settings: readonly string[];
  /** What the signing program needs to find its keys. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface GitAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export function createGitRunner(
  environment: Readonly<Record<string, string | undefined>>,
  usualMs = GIT_TIMEOUT_MS,
): GitRunner {
  // A relative entry depends on the daemon's current directory.
  const searchPath = (environment["PATH"] ?? "").split(":").filter(isAbsolute).join(":");

  const run: GitRunner["run"] = (args, options = {}) => {
    const { input = "", signal, timeoutMs = usualMs, outputBytesMax = OUTPUT_BYTES_MAX, take } = options;
    const limit = AbortSignal.timeout(timeoutMs);
    const child = spawn("git", argvOf(args, options), {
      cwd: options.cwd ?? "/",
      ...options.user,
      env: environmentOf(searchPath, options),
      stdio: ["pipe", "pipe", "pipe"],
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      killSignal: options.endsGently === true ? "SIGTERM" : "SIGKILL",
    });
    const name = args[0] ?? "";
    return answerOf(child, { name, input, outputBytesMax, take, isLate: () => limit.aborted, timeoutMs });
  };
  const must: GitRunner["must"] = async (args, options) => {
    const { exitCode, stdout, stderr } = await run(args, options);
    if (exitCode === 0) return stdout;
    throw gitFailed(args[0] ?? "", stderr.trim() || `it ended with ${exitCode}`);
  };
  return { run, must, text: async (args, options) => (await must(args, options)).toString().replace(/\n$/, "") };
}

/** A repository can make git wait for ever, so the time-out is short where a person waits. */
const GIT_TIMEOUT_MS = 20_000;
const OUTPUT_BYTES_MAX = 67_108_864;
const ERROR_BYTES_MAX = 8192;
const NOWHERE = "/dev/null";

function argvOf(
  args: readonly string[],
  { gitDir, signing, settings = [], hooksPath, attributesFile }: GitOptions,
): string[] {
  const exact = [
    ...(gitDir === undefined ? [] : [`safe.directory=${gitDir}`]),
    ...(signing?.settings ?? []),
    ...settings,
    ...(hooksPath === undefined ? [] : [`core.hooksPath=${hooksPath}`]),
    ...(attributesFile === undefined ? [] : [`core.attributesFile=${attributesFile}`]),
  ];
  return ["--no-pager", "--literal-pathspecs", ...[...SETTINGS, ...exact].flatMap((one) => ["-c", one]), ...args];
}

const SETTINGS: readonly string[] = [
  ...["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false", "core.splitIndex=false"],
  ...["core.attributesFile=/dev/null", "core.excludesFile=/dev/null", "core.sshCommand=/bin/false", "core.gitProxy="],
  ...["core.pager=cat", "core.editor=/bin/false", "core.askPass=/bin/false", "core.alternateRefsCommand=/bin/true"],
  ...["core.quotePath=false", "core.commitGraph=false", "core.multiPackIndex=false", "core.fsync=committed,reference"],
  ...["protocol.allow=never", "protocol.file.allow=never", "protocol.ext.allow=never", "credential.helper="],
  ...["gc.auto=0", "maintenance.auto=false", "submodule.recurse=false", "fetch.recurseSubmodules=false"],
  ...["diff.external=", "gpg.program=/bin/false", "commit.gpgSign=false", "log.showSignature=false"],
  ...["pack.writeBitmaps=false", "advice.detachedHead=false", "status.submoduleSummary=false"],
];

/** Built from nothing, so that no variable of the daemon can redirect git. */
function environmentOf(searchPath: string, options: GitOptions): Record<string, string> {
  const { gitDir, workTree, indexFile, identity, author, signing } = options;
  return {
    PATH: searchPath,
    LC_ALL: "C",
    GIT_DIR: gitDir ?? "/nonexistent",
    ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
    ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
    ...(identity === undefined ? {} : identityOf(identity)),
    ...(author === undefined ? {} : authorOf(author)),
    HOME: "/nonexistent",
    ...signing?.environment,
    GIT_CONFIG_GLOBAL: NOWHERE,
    GIT_CONFIG_SYSTEM: NOWHERE,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    SSH_ASKPASS: "/bin/false",
    GIT_SSH_COMMAND: "/bin/false",
    GIT_EDITOR: "/bin/false",
    GIT_PAGER: "cat",
    // No protocol is allowed, so missing objects are never fetched.
    GIT_ALLOW_PROTOCOL: "none",
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CEILING_DIRECTORIES: "/",
  };
}

function identityOf({ name, email }: NonNullable<GitOptions["identity"]>): Record<string, string> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

function authorOf({ name, email, date }: NonNullable<GitOptions["author"]>): Record<string, string> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date };
}

interface Awaited {
  readonly name: string;
  readonly input: string | Buffer | AsyncIterable<string>;
  readonly outputBytesMax: number;
  readonly take: GitOptions["take"];
  readonly timeoutMs: number;
  readonly isLate: () => boolean;
}

function answerOf(child: ChildProcess, awaited: Awaited): Promise<GitAnswer> {
  const { name, input, outputBytesMax, take, timeoutMs, isLate } = awaited;
  const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>();
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  let [outBytes, errBytes, isFull] = [0, 0, false];
  let refusal: HostError | null = null;
  const hand = (chunk: Buffer): void => {
    refusal ??= take?.(chunk) ?? null;
    if (refusal !== null) child.kill("SIGKILL");
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    if (take !== undefined) return hand(chunk);
    outBytes += chunk.length;
    isFull ||= outBytes > outputBytesMax;
    if (isFull) child.kill("SIGKILL");
    else stdout.push(chunk);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    errBytes += chunk.length;
    if (errBytes <= ERROR_BYTES_MAX) stderr.push(chunk);
  });
  // A git that ends without reading its input has reported why.
  child.stdin?.on("error", () => undefined);
  if (typeof input === "string" || Buffer.isBuffer(input)) child.stdin?.end(input);
  else if (child.stdin !== null) Readable.from(input).pipe(child.stdin);
  child.once("error", (cause) => {
    if (isLate()) reject(gitFailed(name, `it took longer than ${timeoutMs} ms`, cause));
    else if (errno(cause) === "ENOENT") reject(gitMissing(cause));
    else reject(gitFailed(name, cause.message, cause));
  });
  child.once("close", (exitCode, killedBy) => {
    if (refusal !== null) reject(refusal);
    else if (isFull) reject(gitFailed(name, `it said more than ${outputBytesMax} bytes`));
    else if (exitCode === null) reject(gitFailed(name, `it was ended by ${killedBy}`));
    else resolve({ exitCode, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() });
  });
  return promise;
}

function gitFailed(name: string, reason: string, cause?: unknown): HostError {
  return new HostError("git_failed", `git ${name} failed: ${reason}`, {
    remedy: "read the reason; run `git fsck` in the repository to find damage",
    details: { command: name, reason: reason.slice(0, REASON_CHARS) },
    cause,
  });
}

const REASON_CHARS = 1000;

function gitMissing(cause: unknown): HostError {
  return new HostError("git_missing", "git is not on PATH", { remedy: "run: apt-get install git", cause });
}
