import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { compileRules } from "../constitution/compile-rules.ts";
import { compileLaw, denialsOf } from "./compile-law.ts";
import { judgeLaw, type LawAsk, requiredChecks } from "./judge-law.ts";

type Given = Readonly<Record<string, string | readonly string[] | readonly (readonly string[])[]>>;

const PLACES = { root: "/repo", home: "/home/ada" };

function lawOf(...rules: readonly Given[]) {
  const blocks = rules.map((rule, n) => ({ value: { id: `R${n}`, ...rule }, line: 1, dialect: "nomos" as const }));
  const compiled = compileRules(blocks);
  expect(compiled.faults).toEqual([]);
  return { rules: compiled.rules, law: compileLaw(compiled.rules, PLACES) };
}

const ASK: LawAsk = { verb: "write", path: "a", resolved: null, ticket: null, hasLease: true, evidence: [] };

function asker(...rules: readonly Given[]) {
  const { law } = lawOf(...rules);
  return (verb: string, path: string, more: Partial<LawAsk> = {}) => {
    const { verdict, rules: spoke } = judgeLaw(law, { ...ASK, verb, path, ...more });
    return [verdict, ...spoke].join(" ");
  };
}

const SECRETS = {
  id: "SEC",
  type: "filesystem_deny",
  patterns: ["~/.aws/**", "~/.ssh/**", "**/.env*"],
  actions: ["read", "write"],
  message: "Secrets stay here.",
};

proves("GL-1", "case 17: secrets, deletions with and without evidence, the law's own folder, no lease", () => {
  const { law } = lawOf(SECRETS, { id: "LEASE", type: "require_lease", message: "take the ticket first" });
  const judge = (verb: string, path: string, more: Partial<LawAsk> = {}) =>
    judgeLaw(law, { ...ASK, verb, path, ...more });
  expect(judge("write", ".env")).toMatchObject({ verdict: "deny", rules: ["SEC"], reason: "Secrets stay here." });
  expect(judge("read", "a/.env.local").verdict).toBe("deny");
  expect(judge("delete", "src/a.ts")).toMatchObject({ verdict: "ask", requires: ["attestation:delete"] });
  expect(judge("delete", "src/a.ts", { evidence: ["attestation:delete"] }).verdict).toBe("allow");
  expect(judge("write", ".nomos/memory/x")).toMatchObject({ verdict: "deny", rules: ["protected:.nomos"] });
  expect(judge("write", "src/a.ts", { hasLease: false })).toMatchObject({
    verdict: "deny",
    rules: ["LEASE"],
    reason: "A lease is required: take the ticket first",
  });
  expect(judge("read", "src/a.ts", { hasLease: false }).verdict).toBe("allow");
});

proves("GL-1", "case 19: a star stays in its folder, and a pattern covers what it matches and everything below", () => {
  const TABLE: readonly (readonly [pattern: string, path: string, theirs: boolean, ours: boolean])[] = [
    ["src/*.py", "src/a/b.py", true, false],
    ["src/**", "src", false, true],
    ["**/.env*", ".env", true, true],
    ["**/.env*", "x.env", false, false],
    ["*.md", "docs/README.md", true, false],
    ["src/**", "SRC/a.py", false, true],
  ];
  for (const [pattern, path, , ours] of TABLE) {
    const ask = asker({ type: "filesystem_deny", patterns: [pattern] });
    expect(ask("read", path), `${pattern} ~ ${path}`).toBe(ours ? "deny R0" : "allow");
  }
  // Another spelling is denied, and never allowed.
  const lifts = asker({ type: "filesystem_allow", patterns: ["/usr/src/**"] });
  expect([lifts("read", "/usr/src/a"), lifts("read", "/usr/SRC/a")]).toEqual(["allow R0", "deny outside_repository"]);
});

proves("GL-1", "the first check that has something to say decides, in the order of ExoProtocol", () => {
  const rules = [
    { id: "LEASE", type: "require_lease" },
    { id: "DENY", type: "filesystem_deny", patterns: ["src/**"] },
  ];
  const ask = asker(...rules);
  const ticket = (allow: readonly string[], deny: readonly string[] = [], faults: readonly string[] = []) => ({
    ticket: { scope: { allow, deny }, faults },
  });
  const without = { hasLease: false, ...ticket(["docs"]) };
  const { law } = lawOf(...rules);
  expect(judgeLaw(null, { ...ASK, ...ticket([], [], ["over"]) }).rules).toEqual(["governance_invalid"]);
  expect(judgeLaw(law, { ...ASK, verb: "fly", ...ticket([], [], ["over"]) }).rules).toEqual(["ticket_invalid"]);
  expect(ask("fly", "../x", without)).toBe("deny unknown_verb");
  expect(ask("constructor", "a", without)).toBe("deny unknown_verb");
  expect(ask("write", "../x", without)).toBe("deny outside_repository");
  expect(ask("write", ".nomos/config.yaml", without)).toBe("deny protected:.nomos");
  expect(ask("write", "src/a", without)).toBe("deny LEASE");
  expect(ask("write", "src/a", ticket(["docs"]))).toBe("deny scope:no_rule");
  expect(ask("read", "src/a", ticket(["docs"]))).toBe("deny DENY");
  expect(ask("read", "lib/a", ticket(["docs"], ["lib/**"]))).toBe("deny scope:deny:lib/**");
  expect(ask("write", "src/a", ticket(["**"]))).toBe("deny DENY");
  expect(ask("delete", "docs/a", ticket(["docs"]))).toBe("ask attestation:delete");
  expect(ask("write", "docs/a", ticket(["docs"]))).toBe("allow");
});

proves("GL-1", "a denial beats any number of allowances, and speaks for its own actions only", () => {
  const { rules, law } = lawOf(
    { id: "YES", type: "filesystem_allow", patterns: ["**"] },
    { id: "NO", type: "filesystem_deny", patterns: ["src/**"], actions: ["delete"] },
  );
  const judge = (verb: string) => judgeLaw(law, { ...ASK, verb, path: "src/a", evidence: ["attestation:delete"] });
  expect(["read", "write", "delete"].map((verb) => judge(verb).verdict)).toEqual(["allow", "allow", "deny"]);
  const { read, write, delete: deleted } = denialsOf(rules);
  expect([read, write, deleted].map((list) => list.includes("src/**"))).toEqual([false, false, true]);
});

proves(
  "GL-1",
  "what takes a folder away takes away what lies below: the folder of a denied path cannot be deleted",
  () => {
    const ask = asker({ id: "NO", type: "filesystem_deny", patterns: ["src/*/keep/**"], actions: ["delete"] });
    expect(["src", "src/a", "src/a/keep", "SRC/a/keep/x"].map((path) => ask("delete", path))).toEqual(
      Array(4).fill("deny NO"),
    );
    expect(["rename", "move"].map((verb) => ask(verb, "src"))).toEqual(Array(2).fill("deny NO"));
    expect([ask("delete", "src/a/other"), ask("write", "src/a"), ask("rename", "lib")]).toEqual([
      "ask attestation:delete",
      "allow",
      "allow",
    ]);
    expect([ask("delete", "."), ask("delete", "/repo"), ask("delete", ".github")]).toEqual([
      "deny protected:.nomos",
      "deny protected:.nomos",
      "deny protected:.github/workflows protected:.github/actions",
    ]);
  },
);

proves("GL-2", "a path outside of the repository is denied, however it is spelled and wherever its links lead", () => {
  const ask = asker(SECRETS);
  const outside = ["../x", "/etc/passwd", "~/x", "src/../../x", "/repo/../x", "/repository/x", "//etc", "/", "~"];
  for (const path of outside) expect(ask("read", path), path).toBe("deny outside_repository");
  expect(ask("read", "src/link", { resolved: "/etc/passwd" })).toBe("deny outside_repository");
  expect(ask("read", "src/link", { resolved: "/home/ada/.ssh/id" })).toBe("deny SEC outside_repository");
  expect(ask("write", "src/link", { resolved: "/repo/.nomos/config.yaml" })).toBe("deny protected:.nomos");
  expect(ask("write", "/repo/./src//a/../b")).toBe("allow");
  for (const path of ["", "a\0b", "a\nb", "a\\b", "a\ud800", "x/".repeat(2500)])
    expect(ask("read", path), JSON.stringify(path.slice(0, 9))).toBe("deny path_invalid");
});

proves("GL-2", "`~/` patterns mean the files of the person's home, and nothing where nobody has one", () => {
  const ask = asker(SECRETS);
  const own = ["~/.ssh/id_rsa", "/home/ada/.ssh/id_rsa", "/home/ada/.SSH/id", "~/x/../.aws/credentials"];
  for (const path of own) expect(ask("read", path), path).toBe("deny SEC outside_repository");
  const { rules } = lawOf(SECRETS, {
    id: "USR",
    type: "filesystem_allow",
    patterns: ["/usr/**", "~/tools"],
    actions: ["read"],
  });
  const judge = (home: string | null, path: string) =>
    judgeLaw(compileLaw(rules, { root: "/repo", home }), { ...ASK, verb: "read", path });
  expect([judge("/home/ada", "/usr/lib/a").verdict, judge("/home/ada", "~/tools/a").verdict]).toEqual([
    "allow",
    "allow",
  ]);
  expect(judge(null, "~/tools/a")).toMatchObject({ verdict: "allow", rules: [] });
  expect(judge(null, "/home/ada/tools/a").rules).toEqual(["outside_repository"]);
});

proves(
  "GL-2",
  "no other spelling of a denied name gets through: case, composition, unseen characters, dots at the end",
  () => {
    const ask = asker({ id: "NO", type: "filesystem_deny", patterns: ["café/Straße/**", "src/key", "οδοΣ*"] });
    const twins = [
      ...["café/Straße/a", "CAFÉ/STRASSE/a", "cafe\u0301/strasse/a", "caf\u00e9/Stra\u1e9ee/a"],
      ...[
        "src/KEY",
        "src/key.",
        "src/key ",
        "src/k\u200bey",
        "\u017frc/key",
        "src/\u212aey",
        "src/\uff4bey",
        "ſrc/key/x",
        "ΟΔΟΣ",
        "οδος1",
      ],
    ];
    for (const path of twins) expect(ask("write", path), JSON.stringify(path)).toBe("deny NO");
    expect([ask("write", "src/keys"), ask("write", "src/k.ey"), ask("write", "caf/Straße")]).toEqual(
      Array(3).fill("allow"),
    );
  },
);

proves(
  "GL-3",
  "law, CI, hooks, settings of agents and secrets are protected by default; a written rule lifts the default",
  () => {
    const silent = asker();
    const changed = [
      ...[
        ".nomos",
        ".nomos/tickets/A.yaml",
        ".git/config",
        "packages/a/.git",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
      ],
      ...[".husky/pre-commit", ".githooks/x", ".claude/settings.json", "packages/a/.claude/settings.local.json"],
      ...[".codex/config.toml", ".cursor/rules", ".gemini/settings.json", ".mcp.json", ".NOMOS/config.yaml"],
    ];
    for (const path of changed) {
      expect(silent("write", path), path).toMatch(/^deny protected:/);
      expect(silent("delete", path), path).toMatch(/^deny protected:/);
      expect(silent("read", path), path).toBe("allow");
    }
    for (const path of [".env", "a/.env.local", "tls/server.key", "b.PEM", "keys/id_ed25519"])
      for (const verb of ["read", "write", "delete"]) expect(silent(verb, path), path).toMatch(/^deny protected:/);
    expect(silent("write", "AGENTS.md")).toBe("allow");
    const lifted = asker({
      id: "YES",
      type: "filesystem_allow",
      patterns: ["test/keys/**", ".github/**", ".nomos/**"],
    });
    expect([lifted("read", "test/keys/a.pem"), lifted("write", ".github/workflows/ci.yml")]).toEqual([
      "allow YES",
      "allow YES",
    ]);
    expect([lifted("read", "src/a.pem"), lifted("write", ".nomos/config.yaml")]).toEqual([
      "deny protected:**/*.pem",
      "deny protected:.nomos",
    ]);
  },
);

proves(
  "GL-1",
  "checks that a change has to pass come from the rules for its files, and from those for every file",
  () => {
    const { law } = lawOf(
      { id: "ALL", type: "require_checks", checks: [["npm", "test"]] },
      { id: "DB", type: "require_checks", patterns: ["db/**"], checks: [["make", "migrate"]] },
    );
    expect(requiredChecks(law, ["src/a"])).toEqual([["npm", "test"]]);
    expect(requiredChecks(law, ["src/a", "DB/x.sql"])).toEqual([
      ["npm", "test"],
      ["make", "migrate"],
    ]);
  },
);
