import type { Json } from "../../kernel/index.ts";
import { didYouMean } from "../names/nearest.ts";
import { patternFault, spelledPattern } from "./law-pattern.ts";
import { LAW_ACTIONS, type LawAction, type LawRule, RULE_TYPES, type RuleType } from "./law-rule.ts";

/** A block of a constitution as plain data. */
export interface RuleBlock {
  readonly value: Json;
  /** Where the block begins, for the person who has to correct it. */
  readonly line: number;
  /** `exo`: written for ExoProtocol: other members are left out instead of refused. */
  readonly dialect: "nomos" | "exo";
}

export interface RuleFault {
  readonly line: number;
  /** Null when the block does not say. */
  readonly id: string | null;
  readonly reason: string;
}

export interface CompiledRules {
  readonly rules: readonly LawRule[];
  readonly faults: readonly RuleFault[];
  /** What is allowed and probably not meant. */
  readonly notes: readonly RuleFault[];
}

export const LAW_LIMITS = {
  rules: 2000,
  patternsOfRule: 256,
  patterns: 10_000,
  idChars: 100,
  messageChars: 1000,
} as const;

const TYPES: Readonly<Record<string, RuleType>> = {
  ...Object.fromEntries(RULE_TYPES.map((type) => [type, type])),
  require_lock: "require_lease",
};
const MEMBERS = ["id", "type", "patterns", "actions", "message", "checks"] as const;
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Every fault at once; no rules of a constitution with a fault count. */
export function compileRules(blocks: readonly RuleBlock[]): CompiledRules {
  const rules: LawRule[] = [];
  const [faults, notes]: [RuleFault[], RuleFault[]] = [[], []];
  const seen = new Map<string, number>();
  for (const block of blocks) {
    const told = tell(block);
    const rule = compileRule(block, told);
    faults.push(...told.faults);
    notes.push(...told.notes);
    if (rule === null) continue;
    const before = seen.get(rule.id);
    if (before !== undefined)
      faults.push({ line: block.line, id: rule.id, reason: `the block in line ${before} has the same id` });
    seen.set(rule.id, block.line);
    rules.push(rule);
  }
  const patterns = rules.reduce((sum, rule) => sum + rule.patterns.length, 0);
  if (rules.length > LAW_LIMITS.rules || patterns > LAW_LIMITS.patterns)
    faults.push({
      line: 1,
      id: null,
      reason: `there are more than ${LAW_LIMITS.rules} rules or ${LAW_LIMITS.patterns} patterns`,
    });
  return { rules: faults.length > 0 ? [] : rules, faults, notes };
}

interface Told {
  readonly faults: RuleFault[];
  readonly notes: RuleFault[];
  readonly id: string | null;
  readonly line: number;
}

function tell({ value, line }: RuleBlock): Told {
  const id = isMapping(value) && typeof value["id"] === "string" ? value["id"] : null;
  return { faults: [], notes: [], id, line };
}

function compileRule({ value, dialect }: RuleBlock, told: Told): LawRule | null {
  if (!isMapping(value)) return refused(told, "it is no rule: a rule is a mapping of names to values");
  const { id, type: named } = value;
  if (typeof id !== "string" || !ID.test(id) || id.length > LAW_LIMITS.idChars)
    return refused(told, "it has no `id` of letters, digits, `.`, `_` and `-`");
  if (typeof named !== "string") return refused(told, "it has no `type`");
  const type = Object.hasOwn(TYPES, named) ? TYPES[named] : undefined;
  if (type === undefined) return refused(told, `its type \`${named}\` is unknown.${didYouMean(named, RULE_TYPES)}`);
  const odd = Object.keys(value).filter((key) => !MEMBERS.some((one) => one === key));
  for (const key of dialect === "nomos" ? odd : [])
    refused(told, `it has an unknown member \`${key}\`.${didYouMean(key, MEMBERS)}`);
  const patterns = patternsOf(value["patterns"], told, isAboutFiles(type) && dialect === "nomos");
  const message = value["message"] ?? "";
  if (typeof message !== "string" || message.length > LAW_LIMITS.messageChars)
    return refused(told, `its \`message\` is no text of at most ${LAW_LIMITS.messageChars} characters`);
  const checks = checksOf(value["checks"], told);
  if (type === "require_checks" && dialect === "nomos" && checks.length === 0)
    refused(told, "it requires no checks: name them as `checks: [[npm, test]]`");
  const actions = actionsOf(value["actions"], told);
  return told.faults.length > 0 ? null : { id, type, patterns, actions, message, checks };
}

const isAboutFiles = (type: RuleType): boolean => type === "filesystem_deny" || type === "filesystem_allow";

function patternsOf(given: Json | undefined, told: Told, isNeeded: boolean): readonly string[] {
  if (given === undefined && !isNeeded) return [];
  const texts = textsOf(given);
  if (texts === null || texts.length > LAW_LIMITS.patternsOfRule || (isNeeded && texts.length === 0)) {
    refused(told, `its \`patterns\` are no list of 1 to ${LAW_LIMITS.patternsOfRule} patterns; \`**\` is every path`);
    return [];
  }
  for (const pattern of texts) {
    const reason = patternFault(pattern);
    if (reason !== null) refused(told, `its pattern \`${pattern.slice(0, SHOWN)}\` cannot be used: ${reason}`);
    else if (!pattern.includes("/") && pattern !== "**")
      note(told, `its pattern \`${pattern}\` means the root alone; \`**/${pattern}\` means every folder`);
  }
  return texts.map(spelledPattern);
}

const SHOWN = 100;

function actionsOf(given: Json | undefined, told: Told): readonly LawAction[] {
  if (given === undefined) return [];
  const texts = textsOf(given);
  const known = LAW_ACTIONS.filter((action) => texts?.includes(action) === true);
  if (texts === null || known.length !== new Set(texts).size)
    refused(told, `its \`actions\` are no list of ${LAW_ACTIONS.join(", ")}`);
  return known.length === LAW_ACTIONS.length ? [] : known;
}

function checksOf(given: Json | undefined, told: Told): readonly (readonly string[])[] {
  if (given === undefined) return [];
  const checks = Array.isArray(given) ? given.map(textsOf) : [null];
  const whole = checks.filter((argv) => argv !== null && argv.length > 0 && argv[0] !== "");
  if (whole.length !== checks.length) refused(told, "its `checks` are no list of commands, each a list: [[npm, test]]");
  return whole.filter((argv) => argv !== null);
}

function textsOf(given: Json | undefined): readonly string[] | null {
  if (!Array.isArray(given)) return null;
  const texts = given.filter((one) => typeof one === "string");
  return texts.length === given.length ? texts : null;
}

function isMapping(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused({ faults, line, id }: Told, reason: string): null {
  faults.push({ line, id, reason });
  return null;
}

function note({ notes, line, id }: Told, reason: string): void {
  notes.push({ line, id, reason });
}
