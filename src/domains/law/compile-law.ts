import { alike } from "../constitution/law-pattern.ts";
import { type Denials, LAW_ACTIONS, type LawAction, type LawRule } from "../constitution/law-rule.ts";
import { indexPatterns, type PatternIndex } from "../gate/pattern-index.ts";
import type { LawPlaces, Subject } from "./law-path.ts";
import { PROTECTIONS, type Protection } from "./protected-paths.ts";

/** One law at one place, ready to be asked. Compiled once: an answer takes the same time however many rules there are. */
export interface CompiledLaw {
  readonly places: LawPlaces;
  readonly rules: readonly LawRule[];
  readonly denied: (action: LawAction, subject: Subject) => readonly LawRule[];
  /** Rules that deny something below the path, which goes when the path goes. */
  readonly deniedBelow: (action: LawAction, subject: Subject) => readonly LawRule[];
  readonly allowed: (action: LawAction, subject: Subject) => readonly LawRule[];
  readonly lease: (action: LawAction, subject: Subject) => readonly LawRule[];
  /** Rules whose checks a change of these paths has to pass; those without patterns always. */
  readonly requiring: (subjects: readonly Subject[]) => readonly LawRule[];
  /** Protected whatever the rules say. */
  readonly protections: (action: LawAction, subject: Subject) => readonly Guard[];
  readonly protectionsBelow: (action: LawAction, subject: Subject) => readonly Guard[];
}

/** One pattern of a protection. */
export interface Guard extends Pick<Protection, "isDefault" | "message"> {
  readonly pattern: string;
}

interface Entry<T> {
  readonly patterns: readonly string[];
  readonly value: T;
}

type Find<T> = (subject: Subject) => readonly T[];

export function compileLaw(rules: readonly LawRule[], places: LawPlaces): CompiledLaw {
  const of = (type: LawRule["type"], action: LawAction) =>
    rules.filter((rule) => rule.type === type && speaksOf(rule, action)).map(entryOf);
  const finders = <T>(
    make: (action: LawAction) => Find<T>,
  ): ((action: LawAction, subject: Subject) => readonly T[]) => {
    const byAction = new Map(LAW_ACTIONS.map((action) => [action, make(action)]));
    return (action, subject) => byAction.get(action)?.(subject) ?? [];
  };
  const checked = rules.filter(({ type }) => type === "require_checks");
  const always = checked.filter(({ patterns }) => patterns.length === 0);
  const requires = finder(checked.filter((rule) => !always.includes(rule)).map(entryOf), places, alike);
  return {
    places,
    rules,
    requiring: (subjects) => [...new Set([...always, ...subjects.flatMap((one) => requires(one))])],
    denied: finders((action) => finder(of("filesystem_deny", action), places, alike)),
    deniedBelow: finders((action) => belowFinder(of("filesystem_deny", action), places)),
    allowed: finders((action) => finder(of("filesystem_allow", action), places, exact)),
    lease: finders((action) => (action === "read" ? () => [] : finder(of("require_lease", action), places, alike))),
    protections: finders((action) => finder(guardsOf(action), places, alike)),
    protectionsBelow: finders((action) => belowFinder(guardsOf(action), places)),
  };
}

const exact = (text: string): string => text;

/** A rule without patterns is about every path; to allow a path outside of the repository it has to be named. */
const patternsOf = ({ patterns, type }: LawRule): readonly string[] =>
  patterns.length > 0 ? patterns : type === "filesystem_allow" ? ["**"] : ["**", "/**"];

const entryOf = (rule: LawRule): Entry<LawRule> => ({ patterns: patternsOf(rule), value: rule });

function speaksOf({ actions }: LawRule, action: LawAction): boolean {
  return actions.length === 0 || actions.includes(action);
}

function guardsOf(action: LawAction): readonly Entry<Guard>[] {
  return PROTECTIONS.filter(({ actions }) => actions.includes(action)).flatMap(({ patterns, isDefault, message }) =>
    patterns.map((pattern) => ({ patterns: [pattern], value: { pattern, isDefault, message } })),
  );
}

function finder<T>(entries: readonly Entry<T>[], places: LawPlaces, spelling: (text: string) => string): Find<T> {
  const { inside, anywhere } = indexes(entries, places, spelling);
  return ({ relative, absolute }) => [
    ...new Set([
      ...(relative === null ? [] : inside.match(spelling(relative))),
      ...anywhere.match(spelling(absolute.slice(1))),
    ]),
  ];
}

/** A pattern covers what it matches, and everything below. */
function indexes<T>(
  entries: readonly Entry<T>[],
  places: LawPlaces,
  spelling: (text: string) => string,
): { readonly inside: PatternIndex<T>; readonly anywhere: PatternIndex<T> } {
  const [inside, anywhere]: [{ pattern: string; value: T }[], { pattern: string; value: T }[]] = [[], []];
  for (const { patterns, value } of entries)
    for (const pattern of patterns) {
      const from = absoluteOf(pattern, places);
      if (from === undefined) inside.push({ pattern: `${spelling(pattern)}/**`, value });
      else if (from !== null) anywhere.push({ pattern: `${spelling(from)}/**`, value });
    }
  return { inside: indexPatterns(inside), anywhere: indexPatterns(anywhere) };
}

/** Without the first slash. Undefined: within the repository; null: in a home that nobody has. */
function absoluteOf(pattern: string, { home }: LawPlaces): string | null | undefined {
  if (pattern.startsWith("/")) return pattern.slice(1);
  if (!pattern.startsWith("~/")) return undefined;
  return home === null ? null : `${home.slice(1)}${pattern.slice(1)}`;
}

/** Finds by the folders that a pattern names before its first `**`: whoever takes one of them away takes all below it. */
function belowFinder<T>(entries: readonly Entry<T>[], places: LawPlaces): Find<T> {
  const [inside, anywhere]: [Placed<T>[], Placed<T>[]] = [[], []];
  for (const { patterns, value } of entries)
    for (const pattern of patterns) {
      const from = absoluteOf(pattern, places);
      if (from !== null) (from === undefined ? inside : anywhere).push(...foldersOf(alike(from ?? pattern), value));
    }
  const [own, all] = [indexPatterns(inside), indexPatterns(anywhere)];
  const root = inside.filter(({ isRoot }) => isRoot).map(({ value }) => value);
  return ({ relative, absolute }) => {
    const within = relative === null ? [] : relative === "" ? root : own.match(alike(relative));
    return [...new Set([...within, ...all.match(alike(absolute.slice(1)))])];
  };
}

interface Placed<T> {
  readonly pattern: string;
  readonly value: T;
  readonly isRoot: boolean;
}

function foldersOf<T>(pattern: string, value: T): readonly Placed<T>[] {
  const parts = pattern.split("/");
  const deep = parts.indexOf("**");
  const named = deep < 0 ? parts : parts.slice(0, deep);
  return named.map((_, at) => ({ pattern: named.slice(0, at).join("/"), value, isRoot: at === 0 }));
}

/** What nobody may do, apart for each action. `isLifted`: whether a rule lifts a default for all that it covers. */
export function denialsOf(
  rules: readonly LawRule[],
  isLifted: (action: LawAction, pattern: string) => boolean = () => false,
): Denials {
  const of = (action: LawAction): readonly string[] => {
    const written = rules
      .filter((rule) => rule.type === "filesystem_deny" && speaksOf(rule, action))
      .flatMap(patternsOf);
    const guards = guardsOf(action)
      .filter(({ value }) => !(value.isDefault && isLifted(action, value.pattern)))
      .map(({ value }) => value.pattern);
    return [...new Set([...written, ...guards])].sort();
  };
  return { read: of("read"), write: of("write"), delete: of("delete") };
}
