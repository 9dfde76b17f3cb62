import { lstat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import type { RuleFault } from "../../domains/index.ts";
import { type RepositoryGit, systemFiles, writeFileAtomic } from "../../host/index.ts";
import { agentFiles } from "../agent-files/agent-files.ts";
import { LAW_DIR } from "../repository/law-path.ts";
import { type FoundTip, findTip, folderOf } from "../repository/open-governed.ts";
import { checkedOutLaw, LAW_FILES, type LawFile } from "./law-source.ts";
import { newerThanOurs } from "./lock.ts";
import { lockHistory } from "./lock-chain.ts";
import { buildLock, composeFrom, lawError } from "./make-law.ts";
import { throwRefused } from "./refused-rights.ts";
import type { Signer } from "./sealed-policy.ts";
import { lawProblem } from "./verify-source.ts";

export interface BuiltFile {
  readonly file: string;
  /** Whether the file is another one now. */
  readonly isNew: boolean;
}

export interface BuiltLaw extends BuiltFile {
  readonly rules: number;
  readonly notes: readonly RuleFault[];
}

export interface ComposedLaw extends BuiltFile {
  /** Null: not signed, because there is no key here. */
  readonly signer: string | null;
}

const FILE_MODE = 0o644;

/** Compiles the constitution that is checked out at `cwd` into its lock. */
export async function buildLaw(git: RepositoryGit, cwd: string, scratch = tmpdir()): Promise<BuiltLaw> {
  const found = await checkedOut(git, cwd, scratch);
  const { repository, root, law } = found;
  const history = await lockHistory(git, {
    repository,
    tip: law?.tip ?? null,
    scratch,
    ...folderOf(found),
  });
  const made = buildLock(await textIn(root, "constitution", true), history);
  const isNew = await write(root, "lock", made.text);
  for (const [path, text] of agentFiles(made.rules)) await systemFiles().write(root, path, text);
  return { file: LAW_FILES.lock, isNew, rules: made.rules.length, notes: made.notes };
}

/** Composes and signs the policy of the law that is checked out at `cwd`. */
export async function composeLaw(
  git: RepositoryGit,
  cwd: string,
  {
    signer,
    nowMs,
    scratch = tmpdir(),
  }: { readonly signer: Signer | null; readonly nowMs: number; readonly scratch?: string },
): Promise<ComposedLaw> {
  const { root } = await checkedOut(git, cwd, scratch);
  const constitution = await textIn(root, "constitution", true);
  const lock = await textIn(root, "lock", true);
  const others = {
    ...given("config", await textIn(root, "config")),
    ...given("features", await textIn(root, "features")),
    ...given("requirements", await textIn(root, "requirements")),
  };
  const policy = await textIn(root, "policy").catch(() => null);
  const made = await composeFrom({ constitution, ...others }, lock, { signer, nowMs, policy });
  return { file: LAW_FILES.policy, isNew: await write(root, "policy", made.text), signer: made.signer };
}

function given<K extends string>(name: K, text: string | null): { readonly [key in K]?: string } {
  return text === null ? {} : ({ [name]: text } as { readonly [key in K]?: string });
}

async function checkedOut(
  git: RepositoryGit,
  cwd: string,
  scratch: string,
): Promise<FoundTip & { readonly root: string }> {
  const found = await findTip(git, cwd, scratch);
  if (found === null) throw new NomosError("not_a_repository", { path: cwd });
  if (found.root === null)
    throw new NomosError("not_governed", { path: cwd }, { remedy: "Run it in a clone with files." });
  return { ...found, root: found.root };
}

async function textIn(root: string, file: LawFile, isNeeded: true): Promise<string>;
async function textIn(root: string, file: LawFile): Promise<string | null>;
async function textIn(root: string, file: LawFile, isNeeded = false): Promise<string | null> {
  const read = await checkedOutLaw(root)(file);
  const path = LAW_FILES[file];
  if ("odd" in read) throw lawError([lawProblem("governance_invalid", path, `${path} cannot be read: ${read.odd}.`)]);
  if (read.text === null && isNeeded) throw lawError([lawProblem("governance_missing", path, `${path} is missing.`)]);
  return read.text;
}

/** Whether it was another text before. */
async function write(root: string, file: LawFile, text: string): Promise<boolean> {
  if (!(await lstat(join(root, LAW_DIR))).isDirectory())
    throw lawError([lawProblem("governance_invalid", LAW_DIR, `${LAW_DIR} is a link and no folder.`)]);
  const before = await checkedOutLaw(root)(file);
  if ("text" in before && before.text === text) return false;
  const newer = "text" in before && before.text !== null ? newerThanOurs(before.text) : null;
  if (newer !== null) throw new NomosError("governance_newer", { file: LAW_FILES[file], reason: newer });
  await writeFileAtomic(join(root, LAW_FILES[file]), text, { mode: FILE_MODE }).catch((thrown: unknown) =>
    throwRefused(thrown, join(root, LAW_DIR)),
  );
  return true;
}
