import { ANCHOR_BYTES, isBreak, type WordBytes } from "../filter/filter.ts";

/** The form of a well-known key. */
export interface Shape {
  /** Stable: it stands in markers. */
  readonly id: string;
  /**
   * Literal text and classes with lengths: `ghp_<w:36>`, `sk-<u:20-80>`. The first part is literal, two characters at least.
   * `|` ends what is no part of the secret: `AccountKey=|<b:86>==`.
   * Each class takes as much as it can and gives nothing back, so matching is linear.
   */
  readonly patterns: readonly string[];
  /** Where set, patterns are what is assigned to one of these names; letters alone count, in any case. */
  readonly names?: readonly string[] | undefined;
  /** Refuses what only looks like it. Without one: too few different characters, or an example of a manual. */
  readonly check?: ((secret: string) => boolean) | undefined;
}

export interface CompiledPattern {
  readonly shape: Shape;
  /** Parts at the beginning that are no secret, such as a key's name or a URL's scheme. */
  readonly keptParts: number;
  readonly parts: readonly Part[];
  /** Its first literal bytes, up to seven. */
  readonly opening: Uint8Array;
}

export type Part = { readonly literal: Uint8Array } | ClassPart;

export interface ClassPart {
  readonly members: Uint8Array;
  readonly min: number;
  readonly max: number;
}

export function compilePattern(shape: Shape, pattern: string): CompiledPattern {
  const kept = partsOf(pattern.slice(0, Math.max(0, pattern.indexOf("|"))));
  const parts = [...kept, ...partsOf(pattern.slice(pattern.indexOf("|") + 1))];
  if (shape.names !== undefined) return { shape, parts, opening: new Uint8Array(), keptParts: 0 };
  const [first] = parts;
  const opening =
    first !== undefined && "literal" in first ? first.literal.subarray(0, ANCHOR_BYTES) : new Uint8Array();
  if (opening.length < 2)
    throw new Error(`the pattern of ${shape.id} begins with too few literal characters: ${pattern}`);
  const compiled = { shape, parts, opening, keptParts: kept.length };
  if (!beginsAsWord(compiled) && opening.length < ANCHOR_BYTES)
    throw new Error(`the filter cannot see the beginning of ${shape.id}: ${pattern}`);
  return compiled;
}

function partsOf(pattern: string): readonly Part[] {
  return [...pattern.matchAll(/<(.):(\d+)(?:-(\d+))?>|[^<]+/g)].map(([whole, name, min, max]): Part => {
    if (name === undefined || min === undefined) return { literal: Buffer.from(whole, "latin1") };
    return { members: membersOf(name), min: Number(min), max: Number(max ?? min) };
  });
}

/** Whether the filter reports it by its first two bytes: its shortest form begins with 16 that are no breaks. */
export function beginsAsWord({ parts }: CompiledPattern): boolean {
  let bytes = 0;
  for (const part of parts) {
    const members = "literal" in part ? part.literal : BYTES.filter((byte) => part.members[byte] === 1);
    if ([...members].some(isBreak)) return false;
    bytes += "literal" in part ? part.literal.length : part.min;
    if (bytes >= WORD_BYTES) return true;
  }
  return false;
}

/** What its first four bytes may be. */
export function firstBytes({ parts }: CompiledPattern): WordBytes {
  const each = parts.flatMap((part) =>
    "literal" in part
      ? [...part.literal].map((byte) => [byte])
      : Array.from({ length: Math.min(part.min, 4) }, () => BYTES.filter((byte) => part.members[byte] === 1)),
  );
  const [first = [], second = [], third = [], fourth = []] = each;
  return [first, second, third, fourth];
}

// As filter.wat has it.
const WORD_BYTES = 16;
const BYTES = Array.from({ length: 0x100 }, (_, byte) => byte);

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const CLASSES: { readonly [name: string]: string } = {
  d: DIGITS,
  x: `${DIGITS}abcdef`,
  X: `${DIGITS}abcdefABCDEF`,
  l: `${DIGITS}${LOWER}`,
  U: `${DIGITS}${UPPER}`,
  A: UPPER,
  "2": `${UPPER}234567`,
  w: `${DIGITS}${LOWER}${UPPER}`,
  i: `${DIGITS}${LOWER}${UPPER}_`,
  u: `${DIGITS}${LOWER}${UPPER}_-`,
  k: `${DIGITS}${LOWER}${UPPER}_-.`,
  b: `${DIGITS}${LOWER}${UPPER}+/`,
  B: `${DIGITS}${LOWER}${UPPER}+/=`,
  p: `${DIGITS}${LOWER}${UPPER}_-.~!$&*+,;=%:^`,
  c: `${DIGITS}${LOWER}${UPPER}_-.~!$&*+,=%:^`,
  h: `${DIGITS}${LOWER}${UPPER}_-.`,
  S: `${DIGITS}${LOWER}${UPPER}_-.~+/=%`,
  t: `${DIGITS}${LOWER}${UPPER}_-.~`,
  /** The lines of a key in a file, also as JSON writes them. */
  P: `${DIGITS}${LOWER}${UPPER}+/= \t\r\n\\`,
};

/** One object a class, so that its runs can be remembered. */
const MEMBERS: ReadonlyMap<string, Uint8Array> = new Map(
  Object.entries(CLASSES).map(([name, characters]) => {
    const members = new Uint8Array(256);
    for (const character of characters) members[character.charCodeAt(0)] = 1;
    return [name, members];
  }),
);

/** The characters of a class, for whoever makes a key. */
export function classMembers(name: string): string {
  return CLASSES[name] ?? "";
}

function membersOf(name: string): Uint8Array {
  const members = MEMBERS.get(name);
  if (members === undefined) throw new Error(`no such class of characters: ${name}`);
  return members;
}
