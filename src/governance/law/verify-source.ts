import { ERROR_CATALOGUE, type ErrorCode } from "../../contract/index.ts";
import type { LawLock, SealedPolicy, SealSources } from "../../domains/index.ts";
import { readConfig } from "../config/config.ts";
import { DEFAULT_CONFIG, type LawConfig } from "../config/law-config.ts";
import { readConstitution } from "./constitution.ts";
import { LAW_FILES, type LawFile, type LawSource, type ReadFile } from "./law-source.ts";
import { areSameRules, type Parsed, parseLock } from "./lock.ts";
import { type PolicyParts, parsePolicy, saysTheSame, sourcesOf } from "./sealed-policy.ts";
import { sha256Hex } from "./stable-json.ts";

/** One thing that is wrong with a law. */
export interface LawProblem {
  readonly code: ErrorCode;
  readonly file: string;
  readonly message: string;
  /** What to do about it, as a command where there is one. */
  readonly remedy: string;
}

/** A law that can be judged by. */
export interface SoundLaw {
  readonly lock: LawLock;
  readonly config: LawConfig;
  readonly sources: SealSources;
  /** Null: none, or not of these sources: it has to be composed anew. */
  readonly policy: SealedPolicy | null;
}

export interface Verified {
  readonly problems: readonly LawProblem[];
  /** Null when nobody should judge by it. A policy that is missing or stale alone makes no law unsound. */
  readonly law: SoundLaw | null;
}

export interface Trust {
  /** Verifier keys; empty: every key. */
  readonly signers: readonly string[];
}

/** Compares all files of one law with each other: whatever was edited, cut off, swapped or taken away is told. */
export async function verifySource(source: LawSource, trust: Trust): Promise<Verified> {
  const files = await readAll(source);
  const problems = oddFiles(files);
  const lock = lockOf(files, problems);
  const config = configOf(files.config, problems);
  const sources = sourcesOf({
    constitution: textOf(files.constitution),
    config: textOf(files.config),
    features: textOf(files.features),
    requirements: textOf(files.requirements),
  });
  const isSound = problems.length === 0 && lock !== null && config !== null;
  if (!isSound) return { problems, law: null };
  const told: LawProblem[] = [];
  const policy = policyOf(files.policy, { lock, config, sources }, trust, told);
  const isTampered = told.some(({ code }) => code !== "policy_missing" && code !== "policy_stale");
  return { problems: told, law: isTampered ? null : { lock, config, sources, policy } };
}

type Files = Readonly<Record<LawFile, ReadFile>>;

async function readAll(source: LawSource): Promise<Files> {
  const [constitution, config, lock, policy, features, requirements] = await Promise.all([
    source("constitution"),
    source("config"),
    source("lock"),
    source("policy"),
    source("features"),
    source("requirements"),
  ]);
  return { constitution, config, lock, policy, features, requirements };
}

const textOf = (file: ReadFile): string | null => ("text" in file ? file.text : null);

function oddFiles(files: Files): LawProblem[] {
  return Object.entries(files).flatMap(([name, file]) => {
    if (!("odd" in file)) return [];
    const path = LAW_FILES[name as LawFile];
    return [
      lawProblem(
        "governance_invalid",
        path,
        `${path} cannot be read: ${file.odd}.`,
        `Restore it: \`git restore ${path}\`.`,
      ),
    ];
  });
}

function lockOf({ constitution, lock }: Files, problems: LawProblem[]): LawLock | null {
  const text = textOf(constitution);
  if (text === null) {
    if ("text" in constitution) problems.push(missing(LAW_FILES.constitution));
    return null;
  }
  const { rules, faults } = readConstitution(text);
  for (const { line, id, reason } of faults)
    problems.push(
      lawProblem(
        "rule_invalid",
        LAW_FILES.constitution,
        `Line ${line}${id === null ? "" : ` (${id.slice(0, 100)})`}: ${reason}.`,
        "Correct it, then run `nomos governance build`.",
      ),
    );
  const locked = textOf(lock);
  if (locked === null) {
    if ("text" in lock) problems.push(missing(LAW_FILES.lock));
    return null;
  }
  const value = wholeOf(parseLock(locked), LAW_FILES.lock, "governance_invalid", problems);
  if (value === null || faults.length > 0) return null;
  if (value.sources.constitution !== sha256Hex(text))
    problems.push(
      lawProblem("governance_drift", LAW_FILES.constitution, "The constitution was edited after it was compiled."),
    );
  else if (!areSameRules(value.rules, rules))
    problems.push(
      lawProblem(
        "governance_invalid",
        LAW_FILES.lock,
        "The lock's rules are not those that the constitution makes.",
        REBUILD,
      ),
    );
  return value;
}

const REBUILD = "Run `nomos governance build`, then `nomos governance compose`; or restore the files from git.";

function configOf(file: ReadFile, problems: LawProblem[]): LawConfig | null {
  const text = textOf(file);
  if (text === null) return "odd" in file ? null : DEFAULT_CONFIG;
  const { config, problems: told } = readConfig(text);
  for (const { level, key, message, isNewer } of told)
    if (level === "error")
      problems.push(
        lawProblem(
          isNewer === true ? "governance_newer" : "config_invalid",
          LAW_FILES.config,
          `${key === "" ? "The configuration" : `\`${key}\``}: ${message}.`,
        ),
      );
  return config;
}

function policyOf(file: ReadFile, parts: PolicyParts, trust: Trust, problems: LawProblem[]): SealedPolicy | null {
  const text = textOf(file);
  if (text === null) {
    problems.push(lawProblem("policy_missing", LAW_FILES.policy, "The policy was not composed."));
    return null;
  }
  const policy = wholeOf(parsePolicy(text), LAW_FILES.policy, "policy_tampered", problems);
  if (policy === null) return null;
  problems.push(...signerProblems(policy, trust));
  const stale = staleOf(policy, parts);
  if (stale.length > 0)
    problems.push(
      lawProblem("policy_stale", LAW_FILES.policy, `Since the policy was composed, ${stale.join(", ")} changed.`),
    );
  else if (!saysTheSame(policy, parts))
    problems.push(lawProblem("policy_tampered", LAW_FILES.policy, "The policy does not say what its sources say."));
  return problems.length === 0 ? policy : null;
}

function signerProblems({ signature }: SealedPolicy, { signers }: Trust): readonly LawProblem[] {
  if (signers.length === 0 || (signature !== null && signers.includes(signature.key))) return [];
  const name = signature?.key.split("+", 1)[0];
  const by = signature === null ? "The policy is not signed" : `The policy is signed by ${name?.slice(0, 100)}`;
  return [lawProblem("signer_unknown", LAW_FILES.policy, `${by}, and only these keys count: ${namesOf(signers)}.`)];
}

const namesOf = (keys: readonly string[]): string => keys.map((key) => key.split("+", 1)[0]).join(", ");

function staleOf(policy: SealedPolicy, { lock, sources }: PolicyParts): readonly string[] {
  const changed = (["config", "features", "requirements"] as const).filter(
    (name) => policy.sources[name] !== sources[name],
  );
  const isOther = policy.lock !== lock.hash || policy.sources.constitution !== sources.constitution;
  return [...(isOther ? [LAW_FILES.lock] : []), ...changed.map((name) => LAW_FILES[name])];
}

function wholeOf<T>(parsed: Parsed<T>, file: string, code: ErrorCode, problems: LawProblem[]): T | null {
  if (parsed.is === "whole") return parsed.value;
  const isNewer = parsed.is === "newer";
  problems.push(lawProblem(isNewer ? "governance_newer" : code, file, `${file} cannot be used: ${parsed.reason}.`));
  return null;
}

function missing(file: string): LawProblem {
  return lawProblem("governance_missing", file, `${file} is missing.`);
}

export function lawProblem(code: ErrorCode, file: string, message: string, remedy?: string): LawProblem {
  return { code, file, message, remedy: remedy ?? ERROR_CATALOGUE[code].remedy };
}
