import type { SealedPolicy } from "../../domains/index.ts";
import { openView, type Repository, type RepositoryGit, readBlobs } from "../../host/index.ts";
import { inTree, LAW_DIR } from "../repository/law-path.ts";
import { LAW_FILE_BYTES_MAX, textFrom } from "../repository/tree-reader.ts";
import { LAW_FILES } from "./law-source.ts";
import { blobsOf } from "./lock-chain.ts";
import { haveSameContent, parsePolicy } from "./sealed-policy.ts";
import { type LawProblem, lawProblem } from "./verify-source.ts";

export interface PolicyPlace {
  readonly repository: Repository;
  /** Null: nothing is committed yet. */
  readonly tip: string | null;
  readonly scratch: string;
  readonly lawFolder?: string;
}

/** How far back: the policy itself, and the one before. */
const NEWEST = 2;

/**
 * A policy without a signature that says what the branch's policy says, or said before it, with one: whoever computed
 * its hash anew took the signature off, because composing keeps a signed policy that says the same.
 */
export async function signatureTakenOff(
  git: RepositoryGit,
  { repository, tip, scratch, lawFolder = LAW_DIR }: PolicyPlace,
  policy: SealedPolicy | null,
): Promise<LawProblem | null> {
  if (policy === null || policy.signature !== null || tip === null) return null;
  await using view = await openView(git, repository, scratch);
  const ids = await blobsOf(view.git, tip, inTree(lawFolder, LAW_FILES.policy), "--first-parent");
  const newest = [...new Set(ids.filter(Boolean))].slice(0, NEWEST);
  const signers: string[] = [];
  await readBlobs({ git: view.git }, newest, (_id, bytes) => {
    if (bytes === null || bytes.length > LAW_FILE_BYTES_MAX) return;
    const parsed = parsePolicy(textFrom(bytes) ?? "");
    if (parsed.is !== "whole" || parsed.value.signature === null) return;
    if (haveSameContent(parsed.value, policy)) signers.push(parsed.value.signature.key);
  });
  const name = signers[0]?.split("+", 1)[0];
  if (name === undefined) return null;
  return lawProblem(
    "policy_tampered",
    LAW_FILES.policy,
    `The signature of ${name.slice(0, 100)} was taken off the policy.`,
    "Restore the signed policy from git (`git log -p .nomos/policy.sealed.json`).",
  );
}
