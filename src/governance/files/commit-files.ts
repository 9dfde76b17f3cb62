import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { NomosError } from "../../contract/index.ts";
import { createLandingGit, type LandingGit, type LandingRepository } from "../../host/index.ts";
import { inTree, LAW_DIR } from "../repository/law-path.ts";
import { blockedBy, isPassing, neverQuiet } from "./blocked.ts";
import type { FileCommit, FileCommitted, FilesNow } from "./file-commit.ts";
import { findCall } from "./find-call.ts";
import { type CommitJournals, openCommitJournals } from "./journals.ts";
import { makeFileCommit } from "./make-file-commit.ts";

/** Commits of `.nomos/` files on the default branch, whatever is checked out and changed there. */
export interface FileCommits {
  readonly commit: (wish: FileCommit) => Promise<FileCommitted>;
  /** Finishes or takes back what a crash left. Also done before each commit. */
  readonly recover: () => Promise<void>;
}

export interface FileCommitsOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For journals, out of any agent's reach: what a crash leaves here tells the next process what was done. */
  readonly folder: string;
  /** For temporary files. */
  readonly scratch: string;
  readonly log?: (message: string, details: object) => void;
}

const quiet = (): void => undefined;
const BYTES_MAX = 1_073_741_824;
const MOVED_MAX = 60;
const MOVED_PAUSE_MS = 40;
/** A person's own git holds its locks for moments. */
const BUSY_MAX = 20;
const BUSY_PAUSE_MS = 150;

export function createFileCommits({ environment, folder, scratch, log = quiet }: FileCommitsOptions): FileCommits {
  const carry = () => ({ patterns: [], bytesMax: 0 });
  const git = createLandingGit({ environment, scratch, carry, bytesMax: () => BYTES_MAX });
  const journals = openCommitJournals(folder, git, log);
  // In one process they wait for each other, instead of making commits in vain.
  const queues = new Map<string, Promise<unknown>>();
  return {
    recover: () => journals.recover(null),
    commit: async (wish) => {
      const { repoKey } = wish.governed;
      const mine = (queues.get(repoKey) ?? Promise.resolve())
        .catch(() => undefined)
        .then(() => commitWhenFree({ git, journals, scratch }, wish));
      queues.set(repoKey, mine);
      return mine.finally(() => {
        if (queues.get(repoKey) === mine) queues.delete(repoKey);
      });
    },
  };
}

interface Parts {
  readonly git: LandingGit;
  readonly journals: CommitJournals;
  readonly scratch: string;
}

async function commitWhenFree(parts: Parts, wish: FileCommit): Promise<FileCommitted> {
  const { git, journals } = parts;
  const { governed } = wish;
  if (governed.branch === "HEAD") throw detached();
  await journals.recover(governed.repoKey);
  for (let [moves, waits] = [0, 0]; ; ) {
    await using opened = await git.open({ root: governed.root, gitDir: governed.commonDir }, []);
    const tried = await tryCommit(opened, parts, wish);
    if ("commit" in tried) return tried;
    if (tried.why === "tip") moves += 1;
    else if (isPassing(tried)) waits += 1;
    else throw blockedBy(tried, governed.branch);
    if (waits >= BUSY_MAX) throw blockedBy(tried, governed.branch);
    if (moves >= MOVED_MAX) throw neverQuiet(governed.branch, moves);
    await setTimeout(tried.why === "tip" ? Math.random() * MOVED_PAUSE_MS * Math.min(moves, 10) : BUSY_PAUSE_MS);
  }
}

type Moved = Awaited<ReturnType<LandingRepository["move"]>>;
type NotMoved = Extract<Moved, { readonly moved: false }>;

async function tryCommit(
  opened: LandingRepository,
  { journals, scratch }: Parts,
  wish: FileCommit,
): Promise<FileCommitted | NotMoved> {
  const { branch, repoKey } = wish.governed;
  const blocked = await blockedAt(opened, branch);
  if (blocked !== null) return blocked;
  const from = await opened.tip(branch);
  const onto = from ?? (await remoteTip(opened, branch));
  const before = onto === null || wish.call === undefined ? null : await findCall(opened, onto, wish.call);
  if (before !== null) return { ...before, isNew: false };
  const { lawFolder = LAW_DIR } = wish.governed;
  const now: FilesNow = { tip: onto, read: (path) => readFrom(opened, onto, inTree(lawFolder, path)) };
  const changes = typeof wish.changes === "function" ? await wish.changes(now) : wish.changes;
  const to = await makeFileCommit(opened, { ...wish, changes, onto, scratch, lawFolder });
  if (to === null) return { commit: onto ?? "", isNew: false };
  const id = randomUUID();
  const journal = await journals.begin(repoKey, id, {
    place: { root: wish.governed.root, gitDir: wish.governed.commonDir },
    ...{ branch, to },
  });
  const reason = `nomos: ${wish.message.split("\n", 1)[0] ?? ""}`;
  const ref = { branch, from, to, reason, isLight: true, folder: journal.folder, owner: id };
  const moved = await opened.move(ref).catch((thrown: unknown) => {
    journal.leave();
    throw thrown;
  });
  await journal.drop();
  return moved.moved ? { commit: to, isNew: true } : moved;
}

/** Looked at before the work is done. The move looks again. */
async function blockedAt(opened: LandingRepository, branch: string): Promise<NotMoved | null> {
  const { checkouts, blocked } = await opened.places(branch);
  const because = (why: "tip" | "checkout", words: string): NotMoved => ({ moved: false, why, words, paths: [] });
  if (blocked !== null) return because("checkout", blocked);
  for (const { gitDir, root } of checkouts) {
    const holder = await readFile(join(gitDir, "index.lock"), "utf8").catch(() => null);
    // Another Nomos is about to move the branch; that is no reason to give up soon.
    if (holder?.startsWith("nomos ") === true) return because("tip", "another Nomos moves the branch");
    if (holder !== null) return because("checkout", `another git works in ${root} (index.lock is there)`);
  }
  return null;
}

/** In a clone without the local branch, it begins where its remote's is. */
async function remoteTip({ git }: LandingRepository, branch: string): Promise<string | null> {
  const ref = `refs/remotes/origin/${branch}^{commit}`;
  const { exitCode, stdout } = await git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
  return exitCode === 0 ? stdout.toString().trim() : null;
}

async function readFrom({ git }: LandingRepository, tip: string | null, path: string): Promise<Buffer | null> {
  if (tip === null) return null;
  const told = (await git.must(["ls-tree", "-z", "--full-tree", tip, "--", path])).toString();
  const [, id] = /^100\d{3} blob ([0-9a-f]+)\t/.exec(told) ?? [];
  return id === undefined ? null : git.must(["cat-file", "blob", id]);
}

function detached(): NomosError {
  return new NomosError(
    "law_branch_blocked",
    { branch: "HEAD" },
    {
      message: "HEAD is detached, and no branch holds the law.",
      remedy: "Check out the branch that holds it: `git switch <branch>`.",
    },
  );
}
