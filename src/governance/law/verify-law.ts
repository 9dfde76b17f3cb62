import { lstat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { openView, type RepositoryGit } from "../../host/index.ts";
import { LAW_DIR } from "../repository/law-path.ts";
import { type FoundTip, findTip, folderOf } from "../repository/open-governed.ts";
import { removedLaw } from "../repository/removed-law.ts";
import { readTree } from "../repository/tree-reader.ts";
import { checkedOutLaw, committedLaw, LAW_FILES } from "./law-source.ts";
import { chainFault, type LockHistory, lockHistory } from "./lock-chain.ts";
import { signatureTakenOff } from "./stripped-signature.ts";
import {
  type LawProblem,
  lawProblem,
  type SoundLaw,
  type Trust,
  type Verified,
  verifySource,
} from "./verify-source.ts";

export interface LawReport {
  /** Nothing is wrong, neither with what is committed nor with what is checked out. */
  readonly ok: boolean;
  readonly problems: readonly PlacedProblem[];
  /** Null: the law is not committed yet. */
  readonly branch: string | null;
  readonly tip: string | null;
  /** Who signed what is committed; null: nobody. */
  readonly signer: string | null;
  /** The committed law, to judge by; null: not sound. */
  readonly law: SoundLaw | null;
  /** The history is cut off, as in a shallow clone: the chain of locks could not be followed to its beginning. */
  readonly isHistoryCut: boolean;
}

export interface PlacedProblem extends LawProblem {
  /** In the law's branch, or only in the files that are checked out. */
  readonly at: "committed" | "checkout";
}

export interface VerifyOptions extends Partial<Trust> {
  /** For temporary files. */
  readonly scratch?: string;
  /** Default: true. Without it only what is committed is looked at. */
  readonly withCheckout?: boolean;
}

/** Verifies the law of the repository at `cwd`. Refuses `not_governed`; whatever else is wrong is in the report. */
export async function verifyLaw(git: RepositoryGit, cwd: string, options: VerifyOptions = {}): Promise<LawReport> {
  const found = await findTip(git, cwd, options.scratch);
  if (found === null) throw new NomosError("not_a_repository", { path: cwd });
  return verifyFound(git, found, options);
}

export async function verifyFound(git: RepositoryGit, found: FoundTip, options: VerifyOptions): Promise<LawReport> {
  const { scratch = tmpdir(), withCheckout = true, signers = [] } = options;
  const tip = found.isGoverned ? (found.law?.tip ?? null) : null;
  const history = await lockHistory(git, { repository: found.repository, tip, scratch, ...folderOf(found) });
  const committed =
    tip === null
      ? await verifyAbsence(git, found, scratch)
      : await verifyTip(git, found, tip, { scratch, signers, history });
  // Whoever edits the files could name a key of their own in them.
  const trust = { signers: [...signers, ...(committed.law?.config.signers ?? [])] };
  const root = withCheckout ? found.root : null;
  const local = root === null ? null : await verifyCheckout(git, { found, root, history, trust, scratch });
  if (tip === null && local === null && committed.problems.length === 0)
    throw new NomosError("not_governed", { path: found.root ?? found.commonDir });
  const known = new Set(committed.problems.map(keyOf));
  const problems: readonly PlacedProblem[] = [
    ...committed.problems.map((one) => ({ ...one, at: "committed" as const })),
    ...(local ?? []).filter((one) => !known.has(keyOf(one))).map((one) => ({ ...one, at: "checkout" as const })),
  ];
  return {
    ok: problems.length === 0,
    problems,
    branch: tip === null && committed.problems.length === 0 ? null : (found.law?.branch ?? null),
    tip,
    signer: committed.law?.policy?.signature?.key ?? null,
    law: committed.law,
    isHistoryCut: history.isCut,
  };
}

const NOTHING: Verified = { problems: [], law: null };
const keyOf = ({ code, file, message }: LawProblem): string => `${code}\n${file}\n${message}`;

interface TipParts extends Trust {
  readonly scratch: string;
  readonly history: LockHistory;
}

async function verifyTip(git: RepositoryGit, found: FoundTip, tip: string, parts: TipParts): Promise<Verified> {
  const { scratch, signers, history } = parts;
  const source = committedLaw(
    readTree({ git, repository: found.repository, commit: tip, scratch, ...folderOf(found) }),
  );
  const first = await verifySource(source, { signers });
  const own = first.law?.config.signers ?? [];
  const verified = own.length === 0 ? first : await verifySource(source, { signers: [...signers, ...own] });
  const { law } = verified;
  const fault = law === null ? null : chainFault(law.lock, history);
  const place = { repository: found.repository, tip, scratch, ...folderOf(found) };
  const stripped = law === null ? null : await signatureTakenOff(git, place, law.policy);
  if (fault === null && stripped === null) return verified;
  const told = [...(fault === null ? [] : [brokenChain(fault)]), ...(stripped === null ? [] : [stripped])];
  return { problems: [...verified.problems, ...told], law: null };
}

/** A branch without a law: nothing is wrong, unless somebody took it out of the branch. */
async function verifyAbsence(git: RepositoryGit, found: FoundTip, scratch: string): Promise<Verified> {
  const commit = await removedLaw(git, found, scratch);
  if (commit === null) return NOTHING;
  const short = commit.slice(0, SHORT);
  const problem: LawProblem = {
    code: "governance_missing",
    file: LAW_DIR,
    message: `${found.law?.branch} had a law, and lost it in ${short} or after it, not by \`nomos deinit\`.`,
    remedy: `Run \`git revert\` on the commit that removed it (\`git log --full-history -- .nomos\` shows it). If the law was meant to go, run \`nomos deinit\` then.`,
  };
  return { problems: [problem], law: null };
}

const SHORT = 8;

interface CheckoutParts {
  readonly found: FoundTip;
  readonly root: string;
  readonly history: LockHistory;
  readonly trust: Trust;
  readonly scratch: string;
}

/** Null: there is none, as in a checkout of an older commit. */
async function verifyCheckout(git: RepositoryGit, parts: CheckoutParts): Promise<readonly LawProblem[] | null> {
  const { found, root, history, trust, scratch } = parts;
  const source = checkedOutLaw(root);
  const constitution = await source("constitution");
  const lock = await source("lock");
  const isEmpty = [constitution, lock].every((file) => "text" in file && file.text === null);
  if (isEmpty && !(await isCheckedOut(git, found, scratch))) return null;
  const { problems: own, law } = await verifySource(source, trust);
  if (law === null) return own;
  const tip = found.isGoverned ? (found.law?.tip ?? null) : null;
  const place = { repository: found.repository, tip, scratch, ...folderOf(found) };
  const stripped = await signatureTakenOff(git, place, law.policy);
  const problems = stripped === null ? own : [...own, stripped];
  const { hash, previous } = law.lock;
  const follows = previous === null ? history.all.size === 0 : history.all.has(previous);
  if (follows || history.all.has(hash) || history.isCut) return problems;
  return [...problems, brokenChain("the lock that it names as the one before it was never committed")];
}

/** False where HEAD has no law, and where the person's sparse checkout leaves its files out. */
async function isCheckedOut(git: RepositoryGit, { repository }: FoundTip, scratch: string): Promise<boolean> {
  await using view = await openView(git, repository, scratch);
  const files = [LAW_FILES.constitution, LAW_FILES.lock];
  const { stdout } = await view.git.run(["ls-tree", "HEAD", "--", ...files]);
  if (stdout.length === 0) return false;
  const indexFile = join(repository.gitDir, "index");
  if ((await lstat(indexFile).catch(() => null))?.isFile() !== true) return true;
  const { exitCode, stdout: listed } = await view.git.run(["ls-files", "-t", "-z", "--", ...files], { indexFile });
  const marks = listed.toString().split("\0").filter(Boolean);
  return exitCode !== 0 || marks.length === 0 || !marks.every((line) => line.startsWith(LEFT_OUT));
}

/** How git marks a file that a sparse checkout does not write. */
const LEFT_OUT = "S ";

function brokenChain(reason: string): LawProblem {
  return lawProblem(
    "governance_invalid",
    LAW_FILES.lock,
    `The chain of locks is broken: ${reason}.`,
    "Find out who changed it (`git log -p .nomos/governance.lock.json`), then run `nomos governance build` and `compose`.",
  );
}
