import { execFile } from "node:child_process";
import { copyFile, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { writeGitConfig } from "../git/config-file.ts";
import { alternates } from "../git/repository-view.ts";
import type { GitRunner } from "../git/run-git.ts";
import { HostError } from "../host-error.ts";
import { copyWithTimes } from "./create-worktree.ts";
import { placeIn, readRecord } from "./worktree-record.ts";

/**
 * What a tree was like when a turn began: to tell what changed since, and to put paths back as they were. What git
 * ignores is not seen. A mark stays until it is dropped: a turn that a crash cut is judged with the next one.
 */
export interface TreeMarks {
  /** Sets a mark, unless one is set. */
  readonly set: (worktreeId: string) => Promise<void>;
  readonly changed: (worktreeId: string) => Promise<readonly ChangedPath[]>;
  readonly putBack: (worktreeId: string, paths: readonly ChangedPath[]) => Promise<void>;
  readonly drop: (worktreeId: string) => Promise<void>;
}

/** A name need not be text; `path` is what can be read of it. */
export interface ChangedPath {
  readonly path: string;
  readonly bytes: Buffer;
}

export interface TreeMarksOptions {
  readonly git: GitRunner;
  readonly folder: string;
  /** Paths that an agent controls are written only where nothing but its tree can be written; null: there is no such place here. */
  readonly bwrapPath: string | null;
}

export function createTreeMarks({ git, folder, bwrapPath }: TreeMarksOptions): TreeMarks {
  const at = (id: string) => {
    const place = placeIn(join(folder, id));
    const gitDir = join(place.folder, "marks");
    return { ...place, gitDir, open: join(gitDir, "open"), next: join(gitDir, "next") };
  };
  type Marks = ReturnType<typeof at>;

  /** All of the tree, byte for byte, into the index; only what changed since the index knew it is read. */
  const record = ({ gitDir, tree }: Marks, indexFile: string) =>
    git.must(["add", "--all", "--ignore-errors", "--", "."], { gitDir, workTree: tree, indexFile });
  const treeOf = ({ gitDir }: Marks, indexFile: string) => git.text(["write-tree"], { gitDir, indexFile });

  const prepare = async (marks: Marks): Promise<void> => {
    if ((await stat(marks.gitDir).catch(() => null)) !== null) return;
    const known = await readRecord(marks);
    if (known === null) throw new HostError("worktree_not_found", "there is no such worktree", { remedy: "list them" });
    const making = `${marks.gitDir}-making`;
    await rm(making, { recursive: true, force: true });
    for (const name of ["objects/info", "objects/pack", "refs/heads", "info"])
      await mkdir(join(making, name), { recursive: true });
    const extensions = known.objectFormat === "sha256" ? ([["objectformat", "sha256"]] as const) : [];
    const version = extensions.length === 0 ? "0" : "1";
    const core = {
      section: "core",
      values: [["repositoryformatversion", version] as const, ["bare", "false"] as const],
    };
    await writeFile(join(making, "config"), writeGitConfig([core, { section: "extensions", values: extensions }]));
    await writeFile(join(making, "HEAD"), "ref: refs/heads/none\n");
    await writeFile(join(making, "objects/info/alternates"), alternates(known.objectDirs));
    // Above whatever the tree's own attributes say: no bytes are converted.
    await writeFile(join(making, "info/attributes"), "* -text -eol -ident -filter -working-tree-encoding -crlf\n");
    await copyFile(marks.exclude, join(making, "info/exclude"));
    await copyWithTimes(marks.index, join(making, "last")).catch(() => undefined);
    await rename(making, marks.gitDir);
  };

  return {
    set: async (id) => {
      const marks = at(id);
      await prepare(marks);
      if ((await stat(marks.open).catch(() => null)) !== null) return;
      const last = join(marks.gitDir, "last");
      await record(marks, last);
      await copyWithTimes(last, marks.next);
      await rename(marks.next, marks.open);
    },
    changed: async (id) => {
      const marks = at(id);
      const last = join(marks.gitDir, "last");
      await record(marks, last);
      const [before, after] = [await treeOf(marks, marks.open), await treeOf(marks, last)];
      const flags = ["-r", "--name-only", "--no-renames", "--ignore-submodules=none", "-z"];
      const listed = await git.must(["diff-tree", ...flags, before, after], { gitDir: marks.gitDir });
      return namesIn(listed).map((bytes) => ({ path: bytes.toString(), bytes }));
    },
    putBack: async (id, paths) => {
      const marks = at(id);
      const known = await git.must(["ls-files", "-z"], { gitDir: marks.gitDir, indexFile: marks.open });
      const before = new Set(namesIn(known).map((bytes) => bytes.toString("latin1")));
      // Shortest first: a link that was put in the way of a folder goes before what lay in that folder.
      const gone = paths.map(({ bytes }) => bytes).toSorted((a, b) => a.length - b.length);
      const restored = gone.filter((bytes) => before.has(bytes.toString("latin1")));
      const place = { bwrapPath, tree: marks.tree };
      const dotted = gone.map((bytes) => Buffer.concat([Buffer.from("./"), bytes]));
      await confined(place, ["xargs", "-0", "rm", "-rf", "--one-file-system", "--"], dotted);
      if (restored.length === 0) return;
      const own = ["--git-dir", marks.gitDir, "--work-tree", marks.tree, "-c", "core.hooksPath=/dev/null"];
      const command = ["git", ...own, "checkout-index", "--force", "--quiet", "-z", "--stdin"];
      await confined(place, command, restored, { GIT_INDEX_FILE: marks.open });
    },
    drop: async (id) => {
      await rm(at(id).open, { force: true });
    },
  };
}

function namesIn(listed: Buffer): readonly Buffer[] {
  const names: Buffer[] = [];
  for (let from = 0, end = listed.indexOf(0); end >= 0; from = end + 1, end = listed.indexOf(0, from))
    names.push(listed.subarray(from, end));
  return names;
}

const CONFINED_TIMEOUT_MS = 120_000;

/** With nothing writable but the tree, and from inside it: a link laid in the way leads nowhere. */
async function confined(
  { bwrapPath, tree }: { readonly bwrapPath: string | null; readonly tree: string },
  command: readonly string[],
  names: readonly Buffer[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const around = dirname(tree);
  const walls = [
    ...["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--ro-bind", around, around, "--bind", tree, tree, "--chdir", tree],
  ];
  const [program = "", ...args] = bwrapPath === null ? command : [bwrapPath, ...walls, "--", ...command];
  const running = promisify(execFile)(program, args, {
    cwd: tree,
    timeout: CONFINED_TIMEOUT_MS,
    env: { ...PLAIN, ...env },
  });
  // A program that does not read its input has said why it ended.
  running.child.stdin?.on("error", () => undefined);
  running.child.stdin?.end(Buffer.concat(names.flatMap((name) => [name, Buffer.of(0)])));
  await running.catch((cause: unknown) => {
    throw new HostError("worktree_failed", `what lies outside of the scope could not be put back: ${cause}`, {
      remedy: "look at the worktree",
      cause,
    });
  });
}

const PLAIN = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  LC_ALL: "C",
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
};
