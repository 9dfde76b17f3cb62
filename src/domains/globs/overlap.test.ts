import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { sampled } from "../../../test/support/sampled.ts";
import { folded } from "../gate/pattern-index.ts";
import { judgeChange, type Scope } from "../scope/scope.ts";
import { GLOB_LIMITS, overlapOf, scopeWithin, UNPROVEN } from "./overlap.ts";

const scope = (allow: readonly string[], deny: readonly string[] = []): Scope => ({ allow, deny });
const between = (a: readonly string[], b: readonly string[]) => overlapOf(scope(a), scope(b));

proves("GD-3", "case 14: overlaps as the reference has them, and as they are", () => {
  // The reference: none, because nobody said anything. Both may change every file.
  expect(between(["**"], ["**"])).toBe("x");
  // The reference: both patterns. We name one path.
  expect(between(["**"], ["src/**", "tests/**"])).toBe("src");
  expect(between(["src/**"], ["docs/**"])).toBeNull();
  // The reference: `src/**`.
  expect(between(["src/**"], ["src/api/**"])).toBe("src/api");
  // The reference: `src/api/**`, though they are two files.
  expect(between(["src/api/auth.py"], ["src/api/routes.py"])).toBeNull();
  // The reference: `src/**`, a false alarm.
  expect(between(["src/a/**"], ["src/b/**"])).toBeNull();
});

proves("GD-3", "deny lists and spellings count: what one scope denies in any case is no overlap", () => {
  const against = (deny: readonly string[], allow: readonly string[]) =>
    overlapOf(scope(["src/**"], deny), scope(allow));
  expect(against(["src/api/**"], ["src/api/**"])).toBeNull();
  expect(against(["src/api"], ["src/API/**"])).toBeNull();
  expect(against(["src/api/*.ts"], ["src/api/**"])).toBe("src/api");
  expect(against(["src/api", "**/*.ts"], ["src/**/*.ts", "src/web"])).toBe("src/web");
  expect(against(["src/caf\u00e9"], ["src/cafe\u0301/*"])).toBeNull();
  expect(against(["src/cafe"], ["src/cafe\u0301/*"])).toBe("src/cafe\u0301/\u4e00");
  expect(against(["**/ÅÄÖ"], ["src/åäö", "src/åä"])).toBe("src/åä");
  expect(between(["src"], ["src/a/b"])).toBe("src/a/b");
  expect(between([], ["**"])).toBeNull();
  expect(between([".*"], ["*"])).toBe(".x");
  expect(between(["src/*/x.ts"], ["src/**/y/*.ts"])).toBe("src/y/x.ts");
});

proves("GD-3", "a letter whose small form depends on its neighbours is never proven apart by mistake", () => {
  const greek = scope(["ΟΔΟΣ/**"], ["οδος/a"]);
  expect(overlapOf(greek, scope(["ΟΔΟΣ/a"]))).toBe(UNPROVEN);
  expect(overlapOf(greek, scope(["ΟΔΟΣ/b"]))).toBe("ΟΔΟΣ/b");
});

const LETTERS = ["a", "b", "A", "."] as const;
const segment = fc.oneof(
  fc.constantFrom("**", "*"),
  fc
    .string({ unit: fc.constantFrom(...LETTERS, "*"), minLength: 1, maxLength: 3 })
    .filter((one) => !/^\.{1,2}$/.test(one)),
);
const pattern = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const scopes = fc.record({ allow: fc.array(pattern, { maxLength: 3 }), deny: fc.array(pattern, { maxLength: 3 }) });
/** All paths of up to five letters. */
const PATHS = [...LETTERS, "x", "/"]
  .reduce<readonly string[]>(
    (all) => ["", ...all.flatMap((one) => [...LETTERS, "x", "/"].map((letter) => one + letter))],
    [""],
  )
  .filter((path) => judgeChange(path, scope(["**"])).verdict === "allow");

proves("GD-3", "two scopes overlap exactly when a path exists that both allow", () => {
  const seen = { apart: 0, together: 0 };
  fc.assert(
    fc.property(scopes, scopes, (a, b) => {
      const found = overlapOf(a, b);
      expect(found).not.toBe(UNPROVEN);
      expect(overlapOf(b, a) === null).toBe(found === null);
      if (found !== null) {
        seen.together += 1;
        for (const one of [a, b]) expect(judgeChange(found, one).verdict).toBe("allow");
      } else {
        seen.apart += 1;
        const [first, second] = [naive(a), naive(b)];
        expect(PATHS.filter((path) => first(path) && second(path))).toEqual([]);
      }
    }),
    { numRuns: sampled(3000, 250) },
  );
  expect(Math.min(seen.apart, seen.together)).toBeGreaterThan(20);
});

proves("GD-3", "a scope is within another exactly when it allows nothing that the other does not", () => {
  const seen = { within: 0, beyond: 0 };
  fc.assert(
    fc.property(scopes, scopes, (inner, outer) => {
      const isWithin = scopeWithin(inner, outer);
      seen[isWithin ? "within" : "beyond"] += 1;
      const [first, second] = [naive(inner), naive(outer)];
      if (isWithin) expect(PATHS.filter((path) => first(path) && !second(path))).toEqual([]);
      const [one, other] = [small(inner), small(outer)];
      const outside = [{ allow: ["**"], deny: other.allow }, ...other.deny.map((name) => scope([name]))];
      expect(scopeWithin(one, other)).toBe(outside.every((beyond) => overlapOf(one, beyond) === null));
    }),
    { numRuns: sampled(3000, 250) },
  );
  expect(Math.min(seen.within, seen.beyond)).toBeGreaterThan(20);
  expect(scopeWithin(scope(["src/a/**"]), scope(["src/**"]))).toBe(true);
  expect(scopeWithin(scope(["src/**"]), scope(["src/a/**"]))).toBe(false);
  expect(scopeWithin(scope(["src/**"], ["src/b"]), scope(["src/**"], ["src/b/c"]))).toBe(true);
  expect(scopeWithin(scope(["src/**"], ["src/b/c"]), scope(["src/**"], ["src/b"]))).toBe(false);
  expect(scopeWithin(scope(["*"], ["a*"]), scope(["*"], ["**/abc"]))).toBe(false);
  expect(scopeWithin(scope([]), scope([]))).toBe(true);
  expect(scopeWithin(scope(["a/*", "b/**"]), scope(["a", "b"]))).toBe(true);
});

proves(
  "GD-4",
  "scopes of 256 hostile patterns are compared within a bounded effort; what is undecided counts as overlap",
  () => {
    const L = [..."abcdefghijklmnopqrstuvwxyz0123456789"];
    const shapes: readonly ((n: number) => string)[] = [
      (n) => `**/*${L[n % 36]}*/**`,
      (n) => `**/*${L[n % 36]}*${L[(n * 7 + 3) % 36]}*/**`,
      (n) => `**/${L[n % 36]}/**/${L[(n * 5 + 1) % 36]}*z/**`,
      (n) => `*${L[n % 36]}`.repeat(200),
      (n) => `*${"a".repeat(1000)}${n}`,
      (n) => `${"**/*a/".repeat(150)}${n}`,
      (n) => String.fromCodePoint(...Array.from({ length: 300 }, (_, at) => 0x4e00 + n * 300 + at)),
    ];
    for (const shape of shapes) {
      const all = Array.from({ length: 256 }, (_, n) => shape(n));
      const [half, rest] = [all.slice(0, 128), all.slice(128)];
      const begun = performance.now();
      const found = overlapOf(scope(half, rest), scope(half, rest));
      if (found !== null && found !== UNPROVEN) expect(judgeChange(found, scope(half, rest)).verdict).toBe("allow");
      expect(overlapOf(scope(all), scope(all))).not.toBeNull();
      scopeWithin(scope(half, rest), scope(rest, half));
      // Seconds even on a busy machine; without a bound it would be years.
      expect(performance.now() - begun).toBeLessThan(20_000);
    }
    expect(GLOB_LIMITS).toEqual({ states: 20_000, moves: 500_000 });
    expect(scopeWithin(scope([`*${"a*".repeat(500)}`]), scope(["x"], ["*b*".repeat(300)]))).toBe(false);
  },
);

const small = ({ allow, deny }: Scope): Scope => ({ allow: allow.map(folded), deny: deny.map(folded) });

/** A matcher of regular expressions, made once for many paths. */
function naive({ allow, deny }: Scope): (path: string) => boolean {
  const [yes, no] = [allow.map(regexOf), deny.map((one) => regexOf(folded(one)))];
  return (path) => yes.some((one) => one.test(`${path}/`)) && !no.some((one) => one.test(`${folded(path)}/`));
}

function regexOf(given: string): RegExp {
  const parts = `${given}/**`
    .split("/")
    .map((part) => (part === "**" ? "(?:[^/]*/)*" : `${part.replaceAll(".", "\\.").replaceAll(/\*+/g, "[^/]*")}/`));
  return new RegExp(`^${parts.join("")}$`);
}
