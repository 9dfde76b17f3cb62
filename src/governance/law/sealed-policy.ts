import { verify } from "node:crypto";
import * as z from "zod";
import {
  denialsOf,
  type LawLock,
  type SealedPolicy,
  type SealSignature,
  type SealSources,
} from "../../domains/index.ts";
import { canonicalJson } from "../../kernel/index.ts";
import { parseVerifierKey } from "../../store/index.ts";
import type { LawConfig } from "../config/law-config.ts";
import { asJson, damaged, newerThan, type Parsed, parseJson, RuleShape, Sha256Text } from "./lock.ts";
import { hashOf, sha256Hex, stableJson } from "./stable-json.ts";

/** Who signs a law: in a daemon, the key that signs the log's checkpoints. */
export interface Signer {
  /** A verifier key: `name+id+base64`. */
  readonly key: string;
  readonly sign: (text: string) => Uint8Array;
}

/** What a policy is composed from. */
export interface PolicyParts {
  readonly lock: LawLock;
  readonly config: LawConfig;
  readonly sources: SealSources;
}

type Content = Omit<SealedPolicy, "composedAt" | "integrity" | "signature">;

const Texts = z.array(z.string());

const SealShape = z.strictObject({
  version: z.literal(1),
  composedAt: z.iso.datetime(),
  sources: z.strictObject({
    constitution: Sha256Text,
    config: Sha256Text.nullable(),
    features: Sha256Text.nullable(),
    requirements: Sha256Text.nullable(),
  }),
  lock: Sha256Text,
  rules: z.array(RuleShape),
  denials: z.strictObject({ read: Texts, write: Texts, delete: Texts }),
  budgets: z.strictObject({ files: z.number().int(), lines: z.number().int() }),
  checks: z.array(Texts),
  integrity: Sha256Text,
  signature: z.strictObject({ key: z.string(), value: z.string() }).nullable(),
});

/** The hashes of the sources' texts. */
export function sourcesOf(texts: { readonly [K in keyof SealSources]: string | null }): SealSources {
  const hash = (text: string | null): string | null => (text === null ? null : sha256Hex(text));
  return {
    constitution: sha256Hex(texts.constitution ?? ""),
    config: hash(texts.config),
    features: hash(texts.features),
    requirements: hash(texts.requirements),
  };
}

/** No signer: composed where there is no home, and not signed. */
export function composePolicy(parts: PolicyParts, signer: Signer | null, composedAt: string): SealedPolicy {
  const rest = { ...contentOf(parts), composedAt };
  const integrity = integrityOf(rest, signer?.key ?? null);
  const signature =
    signer === null
      ? null
      : { key: signer.key, value: Buffer.from(signer.sign(signedText(integrity))).toString("base64") };
  return { ...rest, integrity, signature };
}

export const writePolicy = (policy: SealedPolicy): string => stableJson(asJson(policy));

/** Whether the policy says what these parts make, whenever and by whomever it was composed. */
export function saysTheSame(policy: SealedPolicy, parts: PolicyParts): boolean {
  return textOfContent(policy) === canonicalJson(asJson(contentOf(parts)));
}

/** Whether two policies differ in time and signature alone. */
export function haveSameContent(some: SealedPolicy, other: SealedPolicy): boolean {
  return textOfContent(some) === textOfContent(other);
}

function textOfContent({ composedAt: _at, integrity: _hash, signature: _by, ...content }: SealedPolicy): string {
  return canonicalJson(asJson(content));
}

/** Only the very text that `writePolicy` writes, with a signature that verifies if there is one. */
export function parsePolicy(text: string): Parsed<SealedPolicy> {
  const given = parseJson(text);
  const newer = newerThan(given);
  if (newer !== null) return newer;
  const { data: policy } = SealShape.safeParse(given);
  if (policy === undefined || writePolicy(policy) !== text) return damaged("it is not as it was written");
  const { integrity, signature, ...rest } = policy;
  if (integrity !== integrityOf(rest, signature?.key ?? null))
    return damaged("its content does not have the hash that it names");
  if (signature !== null && !isSigned(integrity, signature)) return damaged("its signature is wrong");
  return { is: "whole", value: policy };
}

function contentOf({ lock, config, sources }: PolicyParts): Content {
  const { rules } = lock;
  const { budgets, checks } = config;
  return { version: 1, sources, lock: lock.hash, rules, denials: denialsOf(rules), budgets, checks };
}

/** The key is part of it, so that a signature cannot be taken off or replaced without a trace. */
function integrityOf(rest: Omit<SealedPolicy, "integrity" | "signature">, key: string | null): string {
  return hashOf("nomos-law-policy-v1", asJson({ ...rest, key }));
}

/** No checkpoint has this form: the key signs both. */
function signedText(integrity: string): string {
  return `nomos law policy v1\n${integrity}\n`;
}

function isSigned(integrity: string, { key, value }: SealSignature): boolean {
  const verifier = parseVerifierKey(key);
  const bytes = Buffer.from(value, "base64");
  if (verifier === null || verifier.text !== key || bytes.toString("base64") !== value) return false;
  return verify(null, Buffer.from(signedText(integrity)), verifier.publicKey, bytes);
}
