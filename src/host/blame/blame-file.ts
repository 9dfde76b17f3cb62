import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { holdFile } from "../files/held-folder.ts";
import type { Repository } from "../git/find-repository.ts";
import { openView, type RepositoryView } from "../git/repository-view.ts";
import type { GitRunner } from "../git/run-git.ts";
import { HostError } from "../host-error.ts";
import { type BlamedLine, parsePorcelain } from "./porcelain.ts";

/** A repository that lines are asked of. Git sees a view of ours alone, without its configuration, filters and hooks. */
export interface BlameRepository extends AsyncDisposable {
  /** The commit that is checked out; null when there is none. */
  readonly head: string | null;
  readonly blame: (wish: BlameWish) => Promise<BlamedFile>;
  /** Messages of those commits that name a session. */
  readonly messages: (commits: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly has: (commit: string) => Promise<boolean>;
  /** Which of these commits are not in the history of HEAD, as after a rebase. */
  readonly notInHead: (commits: readonly string[]) => Promise<ReadonlySet<string>>;
}

export interface BlameWish {
  /** From the root of the repository's files. */
  readonly path: string;
  /** The file in the person's folder, by its real path; null when there is none, as in a bare repository. */
  readonly file: string | null;
  /** First and last line, from 1; null: all lines. */
  readonly range: readonly [number, number] | null;
}

export interface BlamedFile {
  readonly lines: readonly BlamedLine[];
  /** All lines of the file. */
  readonly count: number;
  readonly isBinary: boolean;
  /** False when git took too long to look for moved and copied lines: it was asked again without. */
  readonly followsMoves: boolean;
}

const BLAME_BYTES_MAX = 10_485_760;
const BLAME_TIMEOUT_MS = 15_000;
/** Looking for moved lines compares each changed line with whole files. Of a long file a person does not wait for it. */
const LONG_LINES = 1000;
const LONG_MOVES_TIMEOUT_MS = 400;
const MESSAGES_BYTES_MAX = 16_777_216;
const SUBMODULE = "160000";

/** `scratch`: a folder of ours for the view. */
export async function openBlame(git: GitRunner, repository: Repository, scratch: string): Promise<BlameRepository> {
  const view = await openView(git, repository, scratch);
  try {
    const head = await headOf(view);
    return {
      head,
      blame: (wish) => blame(view, head, wish),
      messages: (commits) => messagesOf(view, commits),
      has: async (commit) => (await view.git.run(["cat-file", "-e", `${commit}^{commit}`])).exitCode === 0,
      notInHead: (commits) => notInHead(view, commits),
      [Symbol.asyncDispose]: () => view[Symbol.asyncDispose](),
    };
  } catch (thrown) {
    await view[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** Which commit each line of a file comes from, with the changes of the person's folder. */
async function blame(view: RepositoryView, head: string | null, { path, file, range }: BlameWish): Promise<BlamedFile> {
  const committed = head === null ? null : await committedBytes(view, head, path);
  if (head === null || committed === null) throw notCommitted(path, head);
  const local = (file === null ? null : await localBytes(file)) ?? committed;
  if (isBinary(local)) return { lines: [], count: 0, isBinary: true, followsMoves: true };
  const count = linesOf(local).length;
  const [from, to] = [Math.max(1, range?.[0] ?? 1), Math.min(count, range?.[1] ?? count)];
  if (from > to) return { lines: [], count, isBinary: false, followsMoves: true };
  // Attributes are read from the files, so there are none.
  const workTree = join(view.gitDir, "no-files");
  await mkdir(workTree, { recursive: true });
  // A checkout may have other line ends than the commit: then not every line is a local change.
  const isSame = local.equals(committed) || normal(local).equals(normal(committed));
  const ask = async (moves: readonly string[], timeoutMs = BLAME_TIMEOUT_MS): Promise<readonly BlamedLine[]> => {
    // Git compares given contents with HEAD, and takes no commit beside them.
    const what = isSame ? [head] : ["--contents", "-"];
    const args = ["blame", "--porcelain", ...moves, "-L", `${from},${to}`, ...what, "--", path];
    const input = isSame ? {} : { input: local };
    return parsePorcelain((await view.git.must(args, { workTree, timeoutMs, ...input })).toString("latin1"));
  };
  const isLong = to - from >= LONG_LINES;
  const moving = ask(["-M", "-C"], isLong ? LONG_MOVES_TIMEOUT_MS : BLAME_TIMEOUT_MS).catch((thrown: unknown) => {
    if (thrown instanceof HostError) return null;
    throw thrown;
  });
  // Of a long file both are asked for at once, because the search for moves is often given up.
  const [moved, plain] = await Promise.all([moving, isLong ? ask([]) : null]);
  return { lines: moved ?? plain ?? (await ask([])), count, isBinary: false, followsMoves: moved !== null };
}

/** A commit that is gone is not in the history either. */
async function notInHead({ git }: RepositoryView, commits: readonly string[]): Promise<ReadonlySet<string>> {
  const wanted = commits.filter((one) => /^[0-9a-f]{40,64}$/.test(one));
  if (wanted.length === 0) return new Set();
  const told = await git.text(["cat-file", "--batch-check=%(objectname) %(objecttype)"], {
    input: wanted.map((id) => `${id}\n`).join(""),
  });
  const there = told
    .split("\n")
    .flatMap((line) => (line.endsWith(" commit") ? [line.slice(0, line.indexOf(" "))] : []));
  if (there.length === 0) return new Set(wanted);
  const input = ["^HEAD", ...there].map((id) => `${id}\n`).join("");
  const beside = new Set((await git.text(["rev-list", "--stdin"], { input })).split("\n"));
  return new Set(wanted.filter((one) => !there.includes(one) || beside.has(one)));
}

async function headOf({ git }: RepositoryView): Promise<string | null> {
  const { exitCode, stdout } = await git.run(["rev-parse", "--verify", "-q", "--end-of-options", "HEAD^{commit}"]);
  return exitCode === 0 ? stdout.toString().trim() : null;
}

/** Null when the commit has no such file. */
async function committedBytes({ git }: RepositoryView, head: string, path: string): Promise<Buffer | null> {
  const told = (await git.must(["ls-tree", "-z", "-l", "--full-tree", head, "--", path])).toString("latin1");
  const [, mode = "", id = "", size = ""] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t/.exec(told) ?? [];
  if (id === "") return null;
  if (mode === SUBMODULE || size === "-") throw noFile(path);
  if (Number(size) > BLAME_BYTES_MAX) throw tooLarge(path);
  return git.must(["cat-file", "blob", id]);
}

/** Null when there is no regular file: of a link, the committed target is shown. */
async function localBytes(path: string): Promise<Buffer | null> {
  await using file = await holdFile(path);
  if (file === null) return null;
  if ((await file.stat()).size > BLAME_BYTES_MAX) throw tooLarge(path);
  return file.readFile();
}

/** Of commits that name a session, in one call. A message too many or too large counts as none. */
async function messagesOf({ git }: RepositoryView, commits: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (commits.length === 0) return new Map();
  const args = [
    "log",
    "--no-walk=unsorted",
    "--stdin",
    "-z",
    "--format=%H%n%B",
    "-i",
    "-E",
    "--grep=^[[:space:]]*Nomos-Session:",
  ];
  const told = await git
    .must(args, { input: commits.map((id) => `${id}\n`).join(""), outputBytesMax: MESSAGES_BYTES_MAX })
    .catch((thrown: unknown) => {
      if (thrown instanceof HostError) return Buffer.alloc(0);
      throw thrown;
    });
  const messages = told.toString("utf8").split("\0").filter(Boolean);
  return new Map(messages.map((one) => [one.slice(0, one.indexOf("\n")), one.slice(one.indexOf("\n") + 1)]));
}

/** As git tells: a NUL byte near the start. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0);
}

/** Without their ends; one character for each byte. */
export function linesOf(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function normal(bytes: Buffer): Buffer {
  return bytes.includes("\r\n") ? Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1") : bytes;
}

function notCommitted(path: string, head: string | null): HostError {
  const why = head === null ? "the repository has no commit" : `the commit ${head} has no file ${path}`;
  return new HostError("file_missing", why, {
    remedy: "name a file that `git ls-files` shows, and commit it first",
    details: { path },
  });
}

function noFile(path: string): HostError {
  return new HostError("file_missing", `${path} is a folder or another repository, not a file`, {
    remedy: "name a file in it",
    details: { path },
  });
}

function tooLarge(path: string): HostError {
  return new HostError("file_too_large", `${path} is larger than ${BLAME_BYTES_MAX} bytes`, {
    remedy: "name a smaller file",
    details: { path, max: BLAME_BYTES_MAX },
  });
}
