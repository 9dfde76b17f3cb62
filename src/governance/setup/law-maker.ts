import type { LawLock } from "../../domains/index.ts";
import type { RepositoryGit } from "../../host/index.ts";
import { parseLock } from "../law/lock.ts";
import { lockHistory } from "../law/lock-chain.ts";
import { buildLock, composeFrom } from "../law/make-law.ts";
import { parsePolicy, type Signer } from "../law/sealed-policy.ts";
import { type FoundTip, folderOf } from "../repository/open-governed.ts";
import { LAW_NAMES } from "./law-names.ts";

export interface MadeLaw {
  /** File names in the folder of the law, with their texts. */
  readonly files: ReadonlyMap<string, string>;
  readonly lock: { readonly lockHash: string; readonly previous: string | null; readonly rulesHash: string };
  /** The hash that the policy's signature covers. */
  readonly seal: string;
  readonly rules: number;
}

/** Compiles and seals the texts of a law. Throws what is wrong with them. */
export type MakeLaw = (tip: FoundTip, textOf: (name: string) => string | null) => Promise<MadeLaw>;

export interface LawMaking {
  readonly git: RepositoryGit;
  readonly scratch: string;
  /** Null: the policy is not signed. */
  readonly signer: Signer | null;
  readonly nowMs: () => number;
}

export function createLawMaker({ git, scratch, signer, nowMs }: LawMaking): MakeLaw {
  return async ({ repository, law }, textOf) => {
    const history = await lockHistory(git, { repository, tip: law?.tip ?? null, scratch, ...folderOf({ law }) });
    const constitution = textOf(LAW_NAMES.constitution) ?? "";
    const lock = buildLock(constitution, history);
    const given = (["config", "features", "requirements"] as const).flatMap((name) => {
      const text = textOf(LAW_NAMES[name]);
      return text === null ? [] : [[name, text] as const];
    });
    const composing = { signer, nowMs: nowMs(), policy: textOf(LAW_NAMES.seal) };
    const policy = await composeFrom({ constitution, ...Object.fromEntries(given) }, lock.text, composing);
    const names = namesOf(lock.text, policy.text);
    if (names.lock === undefined || names.seal === undefined)
      throw new Error("a law that was just made cannot be read");
    const files = new Map([
      [LAW_NAMES.lock, lock.text],
      [LAW_NAMES.seal, policy.text],
    ]);
    return { files, lock: names.lock, seal: names.seal, rules: lock.rules.length };
  };
}

/** What the log keeps of a law. Nothing of a file that is missing or damaged. */
export function namesOf(
  lockText: string | null,
  policyText: string | null,
): { readonly lock?: MadeLaw["lock"]; readonly seal?: string } {
  const lock = lockText === null ? null : parseLock(lockText);
  const policy = policyText === null ? null : parsePolicy(policyText);
  return {
    ...(lock?.is === "whole" ? { lock: lockNames(lock.value) } : {}),
    ...(policy?.is === "whole" ? { seal: policy.value.integrity } : {}),
  };
}

function lockNames({ hash, previous, rulesHash }: LawLock): MadeLaw["lock"] {
  return { lockHash: hash, previous, rulesHash };
}
