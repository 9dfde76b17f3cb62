import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { isRefusal } from "../../kernel/refusal.ts";
import { compileScope, judgeChange, parseScope, type Scope, type ScopeWalls, scopeWalls } from "./scope.ts";

const name = fc.constantFrom("src", "lib", "a", "b", "x.ts", "y.ts", "secret");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const segment = fc.oneof(name, fc.constantFrom("*", "**", "*.ts", "s*"));
const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const scopes = fc.record({ allow: fc.array(pattern, { maxLength: 4 }), deny: fc.array(pattern, { maxLength: 4 }) });
const directories = fc.array(path, { maxLength: 8 }).map((paths) => {
  const all = paths.flatMap((one) => one.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/")));
  return new Set(all);
});

proves("K43", "deny beats allow, and a path that no rule allows is denied", () => {
  fc.assert(
    fc.property(scopes, path, (scope, where) => {
      const denied = scope.deny.some((one) => naive(one, where));
      const allowed = scope.allow.some((one) => naive(one, where));
      const { verdict, rule } = judgeChange(where, scope);
      expect(verdict).toBe(!denied && allowed ? "allow" : "deny");
      expect(compileScope(scope)(where)).toBe(!denied && allowed);
      const [kind = "", spoke = ""] = rule.split(/:(.*)/s);
      if (denied) expect([kind, scope.deny.includes(spoke), naive(spoke, where)]).toEqual(["deny", true, true]);
      else if (allowed) expect([kind, scope.allow.includes(spoke), naive(spoke, where)]).toEqual(["allow", true, true]);
      else expect(rule).toBe("no_rule");
    }),
    { numRuns: 3000 },
  );
});

proves("K43", "one more deny rule never allows a path, and one more allow rule never denies one", () => {
  fc.assert(
    fc.property(scopes, pattern, path, (scope, more, where) => {
      const before = judgeChange(where, scope).verdict;
      if (before === "deny") expect(judgeChange(where, { ...scope, deny: [...scope.deny, more] }).verdict).toBe("deny");
      if (before === "allow")
        expect(judgeChange(where, { ...scope, allow: [...scope.allow, more] }).verdict).toBe("allow");
    }),
    { numRuns: 1000 },
  );
});

proves("K44", "every allowed path is writable; where no rule is left to judge, every writable path is allowed", () => {
  let [walled, judged] = [0, 0];
  fc.assert(
    fc.property(scopes, directories, path, (scope, there, where) => {
      const { mounts, residue } = scopeWalls(scope, (one) => there.has(one));
      expect(mounts[0]?.path).toBe("");
      for (const { path: point } of mounts) expect(point === "" || there.has(point)).toBe(true);
      const isWritable = accessOf(mounts, where) === "write";
      const isAllowed = judgeChange(where, scope).verdict === "allow";
      if (isAllowed) expect(isWritable).toBe(true);
      if (residue.length > 0) judged += 1;
      else {
        walled += 1;
        expect(isWritable).toBe(isAllowed);
      }
    }),
    { numRuns: 5000 },
  );
  expect(Math.min(walled, judged)).toBeGreaterThan(100);
});

proves("K44", "folders become mounts; files, patterns and missing paths are judged after the turn", () => {
  const there = new Set(["src", "src/secret", "docs"]);
  const scope: Scope = { allow: ["src/**", "docs/*.md", "new/**", "README.md"], deny: ["src/secret", "**/*.pem"] };
  expect(scopeWalls(scope, (one) => there.has(one))).toEqual({
    mounts: [
      { path: "", access: "write" },
      { path: "docs", access: "write" },
      { path: "src", access: "write" },
      { path: "src/secret", access: "read" },
    ],
    residue: ["allow:docs/*.md", "allow:new/**", "allow:README.md", "deny:**/*.pem"],
  });
  expect(scopeWalls({ allow: ["src/**"], deny: [] }, (one) => there.has(one))).toEqual({
    mounts: [
      { path: "", access: "read" },
      { path: "src", access: "write" },
    ],
    residue: [],
  });
});

proves("K45", "an invalid path, and a pattern that could mean another place, are refused", () => {
  const everything: Scope = { allow: ["**"], deny: [] };
  for (const bad of ["", "/etc/passwd", "../x", "a/../b", "a/./b", "a//b", "a\\b", "a\0b", "a/", "a\nb"])
    expect(judgeChange(bad, everything)).toEqual({ verdict: "deny", rule: "path_invalid" });
  const odd = ["", "/", "/etc", "../x", "a/../b", "a\\b", "a\0", "{a,b}", "a?", "[ab]", "!a", ".git", ".GIT/hooks"];
  for (const bad of [...odd, "x".repeat(2000)]) expect(isRefusal(parseScope({ allow: [bad] })), bad).toBe(true);
  expect(isRefusal(parseScope({ deny: Array(300).fill("a") }))).toBe(true);
  expect(parseScope({ allow: ["src/"], deny: ["a/**"] })).toEqual({ allow: ["src"], deny: ["a/**"] });
  expect(parseScope({ deny: ["secret"] })).toEqual({ allow: ["**"], deny: ["secret"] });
  expect(parseScope({ allow: [] })).toEqual({ allow: [], deny: [] });
});

proves(
  "K45",
  "a scope is refused for any one pattern, with a reason, and has as many and as long ones as its limits",
  () => {
    expect(parseScope({ allow: ["src"], deny: ["a?"] })).toMatchObject({
      refused: "scope_invalid",
      details: { pattern: "a?", reason: "only * and ** are understood" },
    });
    expect(parseScope({ allow: [`${"x".repeat(200)}?`] })).toMatchObject({ details: { pattern: "x".repeat(100) } });
    expect(isRefusal(parseScope({ allow: Array(128).fill("a"), deny: Array(128).fill("b") }))).toBe(false);
    expect(isRefusal(parseScope({ allow: Array(128).fill("a"), deny: Array(129).fill("b") }))).toBe(true);
    expect(isRefusal(parseScope({ allow: ["x".repeat(1024)] }))).toBe(false);
    expect(isRefusal(parseScope({ allow: ["x".repeat(1025)] }))).toBe(true);
  },
);

proves("K44", "the mounts of a scope, written out", () => {
  const there = new Set(["src", "src/lib", "docs"]);
  const walls = (allow: readonly string[], deny: readonly string[]) => {
    const { mounts, residue } = scopeWalls({ allow, deny }, (path) => there.has(path));
    return [...mounts.map(({ path, access }) => `${access} ${path}`), ...residue];
  };
  expect(walls(["**"], [])).toEqual(["write "]);
  expect(walls(["src"], [])).toEqual(["read ", "write src"]);
  expect(walls(["src/**"], ["src/lib"])).toEqual(["read ", "write src", "read src/lib"]);
  expect(walls(["src/lib"], ["src"])).toEqual(["read ", "read src"]);
  expect(walls(["src/lib", "docs"], ["src"])).toEqual(["read ", "write docs", "read src"]);
  expect(walls(["src", "src/lib/*.ts"], [])).toEqual(["read ", "write src", "write src/lib"]);
  expect(walls(["src/lib/*.ts"], [])).toEqual(["read ", "write src/lib", "allow:src/lib/*.ts"]);
  expect(walls(["src/new/deep"], [])).toEqual(["read ", "write src", "allow:src/new/deep"]);
  expect(walls(["src/lib/new"], [])).toEqual(["read ", "write src/lib", "allow:src/lib/new"]);
  expect(walls(["new"], ["src/*.key"])).toEqual(["write ", "allow:new", "deny:src/*.key"]);
  expect(walls(["*.md"], [])).toEqual(["write ", "allow:*.md"]);
  expect(walls(["srcs"], ["src"])).toEqual(["write ", "read src", "allow:srcs"]);
  expect(walls(["docs"], ["**"])).toEqual(["read "]);
});

proves("K44", "a folder whose name looks like a pattern is no mount for that pattern", () => {
  const walls = scopeWalls({ allow: ["*", "src/*"], deny: [] }, (path) => ["*", "src", "src/*"].includes(path));
  expect(walls).toEqual({
    mounts: [
      { path: "", access: "write" },
      { path: "src", access: "write" },
    ],
    residue: ["allow:*", "allow:src/*"],
  });
});

proves("K45", "another spelling of a name never evades a deny rule and never matches an allow rule", () => {
  const scope: Scope = { allow: ["src", "CAFE\u0301"], deny: ["src/Secret", "src/caf\u00e9"] };
  const verdict = (where: string) => judgeChange(where, scope).verdict;
  const others = ["src/secret/x", "src/SECRET", "src/cafe\u0301", "SRC/a", "caf\u00e9"];
  expect(others.map(verdict)).toEqual(Array(5).fill("deny"));
  expect(verdict("src/secrets")).toBe("allow");
});

proves("K45", "any path is judged without an exception, and always the same way", () => {
  fc.assert(
    fc.property(scopes, fc.string(), (scope, where) => {
      const { verdict, rule } = judgeChange(where, scope);
      expect(["allow", "deny"]).toContain(verdict);
      expect(compileScope(scope)(where)).toBe(verdict === "allow");
      expect(rule).not.toBe("");
      expect(judgeChange(where, scope)).toEqual({ verdict, rule });
    }),
    { numRuns: 1000 },
  );
});

/** The innermost mount decides. */
function accessOf(mounts: ScopeWalls["mounts"], where: string): string | undefined {
  return mounts.findLast(({ path: point }) => point === "" || where === point || where.startsWith(`${point}/`))?.access;
}

/** A pattern covers what it matches and everything below. */
function naive(given: string, where: string): boolean {
  const source = `${given}/**`
    .split("/")
    .map((part) => (part === "**" ? "(?:[^/]*/)*" : `${part.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}/`));
  return new RegExp(`^${source.join("")}$`).test(`${where}/`);
}
