import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { HostError, type LandingRepository, removeTree } from "../../host/index.ts";
import { inTree, LAW_DIR } from "../repository/law-path.ts";
import type { FileChanges, FileCommit } from "./file-commit.ts";
import { CALL, callName } from "./find-call.ts";

type Wish = Pick<FileCommit, "message" | "actor" | "trailers" | "author" | "call"> & {
  readonly changes: FileChanges;
  /** Null: it will be the first commit. */
  readonly onto: string | null;
  readonly scratch: string;
  readonly lawFolder: string;
};

const COMMIT_TIMEOUT_MS = 120_000;
const PLAIN = "100644";
const GONE = "0";

/** Makes the commit in the view, with an index of its own. Null: the files are so already. */
export async function makeFileCommit(opened: LandingRepository, wish: Wish): Promise<string | null> {
  const { onto, author, scratch, lawFolder } = wish;
  const { git, settings } = opened;
  for (const path of wish.changes.keys()) refuseElsewhere(path);
  const changes = new Map([...wish.changes].map(([path, bytes]) => [inTree(lawFolder, path), bytes]));
  if (changes.size === 0) return null;
  const folder = await mkdtemp(join(scratch, "files-"));
  try {
    const ids = await blobsOf(opened, changes, folder);
    const indexFile = join(folder, "index");
    await git.must(onto === null ? ["read-tree", "--empty"] : ["read-tree", onto], { indexFile });
    const noId = "0".repeat(opened.repository.objectFormat === "sha256" ? 64 : 40);
    const modes = onto === null ? new Map() : await modesOf(opened, onto, [...changes.keys()], lawFolder);
    const lines = [...ids].map(([path, id]) =>
      id === null ? `${GONE} ${noId}\t${path}\0` : `${modes.get(path) ?? PLAIN} ${id}\t${path}\0`,
    );
    await git.must(["update-index", "-z", "--index-info"], { indexFile, input: lines.join("") });
    const tree = await git.text(["write-tree"], { indexFile });
    if (onto !== null && tree === (await git.text(["rev-parse", `${onto}^{tree}`]))) return null;
    const { identity, signing } = settings;
    const named = wish.call === undefined ? [] : [`${CALL}: ${callName(wish.call)}`];
    const message = await opened.spell(wish.message, [
      `Nomos-Actor: ${plainLine(wish.actor)}`,
      ...(wish.trailers ?? []),
      ...named,
    ]);
    const parents = onto === null ? [] : ["-p", onto];
    const sign = signing === null ? [] : ["-S"];
    return await git
      .text(["commit-tree", tree, ...sign, ...parents, "-F", "-"], {
        ...{ input: message, identity, timeoutMs: COMMIT_TIMEOUT_MS },
        ...(signing === null ? {} : { signing }),
        ...(author === undefined ? {} : { author: { ...author, date: `@${Math.floor(Date.now() / 1000)} +0000` } }),
      })
      .catch(signing === null ? fail : unsigned);
  } finally {
    await removeTree(folder);
  }
}

/** Whatever a caller was told: nothing else of the repository is ever written. */
function refuseElsewhere(path: string): void {
  const parts = path.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== ".." && !/[\0\n]/.test(part));
  if (!path.startsWith(`${LAW_DIR}/`) || !isPlain) throw new NomosError("path_outside", { path });
}

/** All at once: a process for each file would take most of the time. */
async function blobsOf(
  { git }: LandingRepository,
  changes: FileChanges,
  folder: string,
): Promise<ReadonlyMap<string, string | null>> {
  const written = [...changes].filter(([, bytes]) => bytes !== null);
  const files = written.map((_, at) => join(folder, String(at)));
  for (const [at, [, bytes]] of written.entries()) await writeFile(files[at] ?? "", bytes ?? "");
  const told = await git.text(["hash-object", "-w", "--no-filters", "--stdin-paths"], {
    input: files.map((path) => `${path}\n`).join(""),
    timeoutMs: COMMIT_TIMEOUT_MS,
  });
  const ids = told.split("\n");
  const made = new Map(written.map(([path], at) => [path, ids[at] ?? ""]));
  return new Map([...changes.keys()].map((path) => [path, made.get(path) ?? null]));
}

/** A file keeps its right to run. */
async function modesOf(
  { git }: LandingRepository,
  tip: string,
  paths: readonly string[],
  lawFolder: string,
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(paths);
  const below = lawFolder === "" ? [] : ["--", `${lawFolder}/`];
  const told = (await git.must(["ls-tree", "-r", "-z", "--full-tree", tip, ...below])).toString();
  return new Map(
    told.split("\0").flatMap((line) => {
      const [, mode = "", path = ""] = /^(100\d{3}) blob [0-9a-f]+\t(.*)$/s.exec(line) ?? [];
      return wanted.has(path) ? [[path, mode] as const] : [];
    }),
  );
}

/** A line break in a name would begin a trailer of somebody else's. */
const plainLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").slice(0, 200);

function fail(thrown: unknown): never {
  throw thrown;
}

function unsigned(cause: unknown): never {
  if (!(cause instanceof HostError) || cause.code !== "git_failed") throw cause;
  const reason = String(cause.details["reason"]);
  throw new NomosError(
    "law_branch_blocked",
    { reason },
    {
      message: `You sign commits, and this one could not be signed: ${reason}`,
      remedy: "Run `git commit -S --allow-empty` in the repository to see why, then try again.",
    },
  );
}
