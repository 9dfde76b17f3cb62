import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { LawAction, LawRule } from "../constitution/law-rule.ts";
import { compileLaw } from "./compile-law.ts";
import { judgeLaw } from "./judge-law.ts";
import { PROTECTIONS } from "./protected-paths.ts";

const PLACES = { root: "/repo", home: "/home/ada" };
const name = fc.constantFrom("a", "b", "A", "src", ".env", "key.pem", "é", "e\u0301", ".nomos", "ab");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const glob = fc.constantFrom("*", "**", "a*", "*b", "*.pem", "s*c");
const pattern = fc.array(fc.oneof(name, glob), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const action = fc.constantFrom<LawAction>("read", "write", "delete");
const rule: fc.Arbitrary<Omit<LawRule, "id">> = fc.record({
  type: fc.constantFrom("filesystem_deny", "filesystem_allow", "require_lease"),
  patterns: fc.array(pattern, { maxLength: 3 }),
  actions: fc.uniqueArray(action, { maxLength: 2 }),
  message: fc.constant(""),
  checks: fc.constant([]),
});
const rules: fc.Arbitrary<readonly LawRule[]> = fc
  .array(rule, { maxLength: 8 })
  .map((list) => list.map((one, n) => ({ ...one, id: `R${n}` })));

proves("GL-1", "any law: the judge says what reading rule by rule says", () => {
  fc.assert(
    fc.property(rules, path, action, fc.boolean(), (list, where, verb, hasLease) => {
      const ask = { verb, path: where, resolved: null, ticket: null, hasLease, evidence: [] };
      const { verdict, rules: spoke } = judgeLaw(compileLaw(list, PLACES), ask);
      expect({ verdict, spoke: [...spoke].sort() }).toEqual(byHand(list, where, verb, hasLease));
    }),
    { numRuns: 2000 },
  );
});

proves("GL-1", "one more denial never turns a no into a yes", () => {
  const STRICT = ["allow", "ask", "deny"];
  fc.assert(
    fc.property(rules, rules, path, action, (list, more, where, verb) => {
      const denials = more.map((one, n) => ({ ...one, id: `N${n}`, type: "filesystem_deny" as const }));
      const judge = (all: readonly LawRule[]) =>
        judgeLaw(compileLaw(all, PLACES), {
          verb,
          path: where,
          resolved: null,
          ticket: null,
          hasLease: true,
          evidence: [],
        });
      expect(STRICT.indexOf(judge([...list, ...denials]).verdict)).toBeGreaterThanOrEqual(
        STRICT.indexOf(judge(list).verdict),
      );
    }),
    { numRuns: 500 },
  );
});

interface Told {
  readonly verdict: string;
  readonly spoke: readonly string[];
}

/** The same by regular expressions, one rule after the other. */
function byHand(list: readonly LawRule[], where: string, verb: LawAction, hasLease: boolean): Told {
  const speaking = (type: LawRule["type"], matches: typeof covers) =>
    list
      .filter((one) => one.type === type && (one.actions.length === 0 || one.actions.includes(verb)))
      .filter(({ patterns }) => patterns.length === 0 || patterns.some((one) => matches(one, where)))
      .map(({ id }) => id);
  const guards = (isDefault: boolean) =>
    PROTECTIONS.filter((one) => one.isDefault === isDefault && one.actions.includes(verb))
      .flatMap(({ patterns }) => patterns)
      .filter((one) => folded(one, where) || (verb === "delete" && goesWith(one, where)))
      .map((one) => `protected:${one}`);
  const told = (verdict: string, spoke: readonly string[]): Told => ({ verdict, spoke: [...new Set(spoke)].sort() });
  const lawful = guards(false);
  if (lawful.length > 0) return told("deny", lawful);
  const lease = verb === "read" || hasLease ? [] : speaking("require_lease", folded);
  if (lease.length > 0) return told("deny", lease);
  const no = [
    ...speaking("filesystem_deny", folded),
    ...(verb === "delete" ? speaking("filesystem_deny", (one, at) => folded(one, at) || goesWith(one, at)) : []),
  ];
  if (no.length > 0) return told("deny", no);
  const yes = speaking("filesystem_allow", covers);
  const kept = guards(true);
  if (kept.length > 0 && yes.length === 0) return told("deny", kept);
  return verb === "delete" ? told("ask", ["attestation:delete"]) : told("allow", yes);
}

function covers(glob: string, at: string): boolean {
  if (/^[~/]/.test(glob)) return false;
  const inner = glob
    .split("/")
    .map((one) => (one === "**" ? "\0" : one.replace(/[.]/g, "\\.").replaceAll("*", "[^/]*")));
  const text = inner.map((one) => (one === "\0" ? "(?:[^/]+/)*" : `${one}/`)).join("");
  return new RegExp(`^${text}`, "u").test(`${at}/`);
}

const plain = (text: string): string => text.normalize("NFC").toLowerCase();
const folded = (glob: string, at: string): boolean => covers(plain(glob), plain(at));

function goesWith(glob: string, at: string): boolean {
  const parts = plain(glob).split("/");
  const deep = parts.indexOf("**");
  const known = deep < 0 ? parts : parts.slice(0, deep);
  const here = plain(at).split("/");
  return known.length > here.length && here.every((one, n) => covers(known[n] ?? "", one));
}
