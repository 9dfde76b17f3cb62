import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type LawfulRepository, lawfulRepository } from "../../../test/support/lawful-repository.ts";
import { proves } from "../../../test/support/proves.ts";
import { readConfig } from "../config/config.ts";
import { readConstitution } from "../law/constitution.ts";
import { verifyLaw } from "../law/verify-law.ts";
import { parseTicketFile } from "../tickets/parse-ticket-file.ts";
import { commandFromExo, patternsFromExo } from "./exo-pattern.ts";
import { importExo } from "./import-exo.ts";

const CONSTITUTION = `# Rules

\`\`\`yaml exo-policy
{"id": "RULE-SEC-001", "type": "filesystem_deny", "patterns": ["~/.ssh/**", "**/.env*", "*.pem"], "actions": ["read", "write"], "message": "no"}
\`\`\`

\`\`\`yaml exo-policy
id: RULE-LOCK-001
type: require_lock
\`\`\`

\`\`\`yaml exo-policy
id: RULE-ODD-001
type: filesystem_deny
patterns: ["src/[ab].py"]
\`\`\`

\`\`\`yaml exo-policy
id: RULE-EVO-001
type: evolution_gate
requires: { approvals: 1 }
\`\`\`
`;

const CONFIG = `version: 1
defaults: { ticket_budgets: { max_files_changed: 7, max_loc_changed: 90 } }
global_checks: [npm test, "make lint && make types"]
checks_allowlist: [npm test]
scheduler: { global_concurrency_limit: 2, lanes: [{ name: Bugs, allowed_types: [bug], count: 1 }] }
coherence: { co_update_rules: [{ files: [a.md, b.md], label: docs }] }
git_controls: { base_branch_fallback: main }
`;

const TICKET = `id: TICKET-12
kind: epic
title: Log in
status: done
priority: 1
parent_id: INTENT-3
scope: { allow: ["src/*.py", ".exo/tickets/**"], deny: [".git/**", "src/secret/**"] }
budgets: { max_files_changed: 3, max_loc_changed: 30 }
checks: [pytest, "echo $HOME"]
notes: [first, second]
labels: [two words]
blockers: [TKT-20260102-030405-A1B2]
boundary: do not touch infra/**
created_at: "2026-01-02T03:04:05+01:00"
`;

function exoFiles({ write }: LawfulRepository): void {
  write(".exo/CONSTITUTION.md", CONSTITUTION);
  write(".exo/config.yaml", CONFIG);
  write(".exo/tickets/TICKET-12.yaml", TICKET);
  write(".exo/tickets/INTENT-3.yaml", "id: INTENT-3\nkind: intent\nstatus: active\nintent: People log in\n");
  write(".exo/tickets/broken.yaml", "id: [\n");
  write(".exo/features.yaml", "features: []\n");
  write(".exo/logs/audit.log.jsonl", "{}\n");
}

proves("GL-13", "a law of ExoProtocol is taken over, and everything that was left out is named", async () => {
  const law = await lawfulRepository();
  law.run("rm", "-rq", ".nomos");
  exoFiles(law);
  const planned = await importExo(law.git, law.root, true);
  expect(existsSync(join(law.root, ".nomos"))).toBe(false);
  const { written, kept, leftOut } = await importExo(law.git, law.root);
  expect(planned).toEqual({ written, kept, leftOut });
  expect(kept).toEqual([]);
  expect(written).toEqual([
    ...[".nomos/CONSTITUTION.md", ".nomos/config.yaml", ".nomos/features.yaml"],
    ...[".nomos/tickets/INTENT-3.yaml", ".nomos/tickets/ARCHIVE/TICKET-12.yaml"],
  ]);
  const read = (path: string) => readFileSync(join(law.root, path), "utf8");
  const { rules, faults } = readConstitution(read(".nomos/CONSTITUTION.md"));
  expect(faults).toEqual([]);
  expect(rules.map(({ id, type, patterns }) => [id, type, ...patterns])).toEqual([
    ["RULE-SEC-001", "filesystem_deny", "~/.ssh/**", "**/.env*", "**/*.pem"],
    ["RULE-LOCK-001", "require_lease"],
    ["RULE-EVO-001", "evolution_gate"],
  ]);
  expect(readConfig(read(".nomos/config.yaml"))).toMatchObject({
    problems: [],
    config: {
      branch: "main",
      budgets: { files: 7, lines: 90 },
      checks: [["npm", "test"]],
      lanes: [{ name: "Bugs", types: ["bug"], count: 1 }],
      ticketsAtOnceMax: 2,
      coUpdates: [{ files: ["a.md", "b.md"], label: "docs" }],
    },
  });
  expect(parseTicketFile(Buffer.from(read(".nomos/tickets/ARCHIVE/TICKET-12.yaml")), "TICKET-12")).toMatchObject({
    kind: "epic",
    priority: 1,
    parent: "INTENT-3",
    scope: { allow: ["src/**/*.py"], deny: ["src/secret/**"] },
    fileBudget: { files: 3, lines: 30 },
    checks: [["pytest"]],
    body: "- first\n- second",
    labels: ["two-words"],
    createdAt: "2026-01-02T02:04:05.000Z",
  });
  const said = leftOut.map(({ what, reason }) => `${what}: ${reason}`).join("\n");
  for (const part of [
    "RULE-ODD-001",
    "requires",
    "checks_allowlist",
    "make lint",
    "broken.yaml",
    "echo $HOME",
    "logs",
    "status active",
  ])
    expect(said).toContain(part);
  await law.enact();
  expect((await verifyLaw(law.git, law.root)).ok).toBe(true);
});

proves("GL-13", "what is there already stays, links are not followed, and `.exo` stays as it is", async () => {
  const law = await lawfulRepository();
  exoFiles(law);
  symlinkSync("/etc/passwd", join(law.root, ".exo/requirements.yaml"));
  law.commit();
  const { written, kept } = await importExo(law.git, law.root);
  expect(kept).toEqual([".nomos/CONSTITUTION.md", ".nomos/config.yaml"]);
  expect(written).not.toContain(".nomos/requirements.yaml");
  expect(law.run("status", "--porcelain", ".exo")).toBe("");
  const bare = law.beside("none");
  mkdirSync(bare);
  await expect(importExo(law.git, bare)).rejects.toMatchObject({ code: "not_a_repository" });
  law.run("rm", "-rq", ".exo");
  await expect(importExo(law.git, law.root)).rejects.toMatchObject({ code: "file_missing" });
  expect(existsSync(join(law.root, ".exo"))).toBe(false);
});

proves(
  "GL-13",
  "nothing is left out in silence: links, other files, actions; a rule in a list stays in it",
  async () => {
    const law = await lawfulRepository();
    law.run("rm", "-rq", ".nomos");
    const rule = '{"id": "A", "type": "filesystem_deny", "patterns": ["x"], "actions": ["write", "execute"]}';
    law.write(".exo/CONSTITUTION.md", `- here:\n  \`\`\`yaml exo-policy\n  ${rule}\n  \`\`\`\n`);
    law.write(".exo/tickets/NOTES.md", "");
    symlinkSync("/etc/hostname", join(law.root, ".exo/config.yaml"));
    symlinkSync("/etc/hostname", join(law.root, ".exo/tickets/TICKET-1.yaml"));
    const { written, leftOut } = await importExo(law.git, law.root);
    expect(written).toEqual([".nomos/CONSTITUTION.md"]);
    expect(leftOut.map(({ what, reason }) => `${what}: ${reason}`)).toEqual([
      "A (line 2): its actions execute have no equal",
      "config.yaml: it is a link, or no plain file",
      "NOTES.md: it is no ticket, which ends in .yaml",
      "TICKET-1.yaml: it is a link, or no plain file",
    ]);
    const page = readFileSync(join(law.root, ".nomos/CONSTITUTION.md"), "utf8").split("\n");
    expect(page.slice(1, -1).every((line) => line.startsWith("  "))).toBe(true);
    expect(readConstitution(page.join("\n")).rules).toMatchObject([{ id: "A", actions: ["write"] }]);
  },
);

proves("GL-13", "patterns of fnmatch become patterns that mean the same, and commands become lists of words", () => {
  const TABLE: readonly (readonly [theirs: string, ours: readonly string[] | null])[] = [
    ["*.md", ["**/*.md"]],
    ["src/*.py", ["src/**/*.py"]],
    ["src/**", ["src/**"]],
    ["**/.env*", ["**/.env*"]],
    ["~/.aws/**", ["~/.aws/**"]],
    ["/etc/*", ["/etc/**"]],
    ["a*b/c", ["a*b/c", "a*/**/*b/c"]],
    ["docs/", ["docs"]],
    ["a?c", null],
    ["[ab]", null],
  ];
  for (const [theirs, ours] of TABLE) expect(patternsFromExo(theirs), theirs).toEqual(ours);
  expect(commandFromExo(" npm  run lint ")).toEqual(["npm", "run", "lint"]);
  for (const command of ["a && b", "a | b", "A=1 b", "a '$x'", "a > b", "", "a; b", "a *"])
    expect(commandFromExo(command), command).toBeNull();
});
