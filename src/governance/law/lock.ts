import * as z from "zod";
import { LAW_ACTIONS, LAW_KERNEL, type LawLock, type LawRule, RULE_TYPES } from "../../domains/index.ts";
import { canonicalJson, type Json } from "../../kernel/index.ts";
import { hashOf, sha256Hex, stableJson } from "./stable-json.ts";

export const Sha256Text = z.string().regex(/^[0-9a-f]{64}$/);

export const RuleShape = z.strictObject({
  id: z.string(),
  type: z.enum(RULE_TYPES),
  patterns: z.array(z.string()),
  actions: z.array(z.enum(LAW_ACTIONS)),
  message: z.string(),
  checks: z.array(z.array(z.string())),
});

const LockShape = z.strictObject({
  version: z.literal(1),
  kernel: z.strictObject({ name: z.string(), version: z.string() }),
  sources: z.strictObject({ constitution: Sha256Text }),
  rules: z.array(RuleShape),
  rulesHash: Sha256Text,
  previous: Sha256Text.nullable(),
  hash: Sha256Text,
});

/** What a file says, or which error it is: edited by hand or half written, or of a newer version. */
export type Parsed<T> =
  | { readonly is: "whole"; readonly value: T }
  | { readonly is: "damaged" | "newer"; readonly reason: string };

export function makeLock(constitution: string, rules: readonly LawRule[], previous: string | null): LawLock {
  const lock = {
    version: 1,
    kernel: LAW_KERNEL,
    sources: { constitution: sha256Hex(constitution) },
    rules,
    rulesHash: hashOfRules(rules),
    previous,
  } as const;
  return { ...lock, hash: hashOfLock(lock) };
}

export const writeLock = (lock: LawLock): string => stableJson(asJson(lock));

/** Only the very text that `writeLock` writes is a lock: any other byte is an edit. */
export function parseLock(text: string): Parsed<LawLock> {
  const given = parseJson(text);
  const newer = newerThan(given) ?? newerJudge(given);
  if (newer !== null) return newer;
  const { data: lock } = LockShape.safeParse(given);
  if (lock === undefined || writeLock(lock) !== text) return damaged("it is not as it was written");
  if (lock.rulesHash !== hashOfRules(lock.rules)) return damaged("its rules do not have the hash that it names");
  if (lock.hash !== hashOfLock(lock)) return damaged("its content does not have the hash that it names");
  if (lock.kernel.name !== LAW_KERNEL.name) return damaged(`it was compiled for ${lock.kernel.name.slice(0, 40)}`);
  return { is: "whole", value: lock };
}

/** Whether two lists of rules are the same, in the same order. */
export function areSameRules(some: readonly LawRule[], others: readonly LawRule[]): boolean {
  return canonicalJson(asJson(some)) === canonicalJson(asJson(others));
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

export function newerThan(given: unknown): { readonly is: "newer"; readonly reason: string } | null {
  const version = typeof given === "object" && given !== null && "version" in given ? given.version : null;
  if (typeof version !== "number" || version <= 1) return null;
  return { is: "newer", reason: `its version is ${version}; this program knows 1` };
}

/** Another major version may hash otherwise. Whether it is older or newer, this judge does not know it. */
function newerJudge(given: unknown): { readonly is: "newer"; readonly reason: string } | null {
  const { data } = z.object({ kernel: z.object({ version: z.string() }) }).safeParse(given);
  const version = data?.kernel.version ?? LAW_KERNEL.version;
  if (majorOf(version) === majorOf(LAW_KERNEL.version)) return null;
  const reason = `it was compiled for the judge ${version.slice(0, 40)}; this one is ${LAW_KERNEL.version}`;
  return { is: "newer", reason };
}

/** Why a lock or a policy must not be written anew by this version: a newer one made it. Null: it was not. */
export function newerThanOurs(text: string): string | null {
  const given = parseJson(text);
  const { data } = z.object({ kernel: z.object({ version: z.string() }) }).safeParse(given);
  const major = Number(majorOf(data?.kernel.version ?? LAW_KERNEL.version));
  const judge = major > Number(majorOf(LAW_KERNEL.version)) ? newerJudge(given) : null;
  return (newerThan(given) ?? judge)?.reason ?? null;
}

export function damaged(reason: string): { readonly is: "damaged"; readonly reason: string } {
  return { is: "damaged", reason };
}

const majorOf = (version: string): string => /^\d+(?=\.\d+\.\d+$)/.exec(version)?.[0] ?? "unknown";

function hashOfRules(rules: readonly LawRule[]): string {
  return hashOf("nomos-law-rules-v1", asJson(rules));
}

function hashOfLock({ hash: _own, ...rest }: Omit<LawLock, "hash"> & { readonly hash?: string }): string {
  return hashOf("nomos-law-lock-v1", asJson(rest));
}

/** Plain data by its type, which the compiler cannot see in an interface. */
export function asJson(value: object): Json {
  return value as unknown as Json;
}
