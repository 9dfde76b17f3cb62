import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { compilePolicy, DEFAULT_RULES, type Rule, type ToolPolicy } from "../../domains/index.ts";
import { systemFiles } from "../../host/index.ts";
import type { SandboxMode } from "../../kernel/index.ts";
import { createTurnGate, groundOf, TURN_VERBS, type UnattendedPolicy, type Wish } from "../../turns/index.ts";
import { createPermits, type PermitSources } from "./permits.ts";

interface Scene {
  readonly sandbox?: SandboxMode;
  /** The agent's policy for every tool; null: none. */
  readonly named?: ToolPolicy | null;
  readonly unattended?: UnattendedPolicy;
  readonly rules?: readonly Rule[];
  readonly scope?: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly widened?: readonly string[];
}

/** One wish of an agent in a worktree `CWD` of the home `HOME`, which has a link to `/etc`. A person answers yes. */
async function wish(scene: Scene, tool: string, paths: readonly string[], more: Partial<Wish> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "permits-")));
  const cwd = join(home, scene.scope === undefined ? "workspaces/w" : "worktrees/one/tree");
  mkdirSync(cwd, { recursive: true });
  symlinkSync("/etc", join(cwd, "link"));
  symlinkSync(home, join(cwd, "up"));
  symlinkSync("loop", join(cwd, "loop"));
  const told: string[] = [];
  const spelled = (path: string) => path.replace("CWD", cwd).replace("HOME", home);
  const { sandbox = "off", named = null, unattended = "ask", rules = [], scope = null, widened = [] } = scene;
  const sources: PermitSources = {
    toolPolicy: async () => named,
    refusedOutside: () => undefined,
    unattended: () => unattended,
    ground: async () => groundOf({ cwd, sandbox, scope }, { home, files: systemFiles(), widened }),
  };
  const policy = compilePolicy(TURN_VERBS, [...rules, ...DEFAULT_RULES]);
  const given = paths.map((path) => ({ path: spelled(path), isChanged: false }));
  const asked: Wish = { tool, question: "?", options: ["once", "always"], resource: "call/x", paths: given, ...more };
  const reply = await createPermits(sources)(asked, {
    gate: createTurnGate({ sessionId: "s", policy: () => policy }),
    ask: async (_question, options) => {
      told.push(`asked ${options.join()}`);
      return { approved: true, option: null };
    },
    noteDenial: async (denial) => void told.push(`denied ${denial.rules.join()}`),
    noteAllowed: async ({ verb, resource }) => void told.push(`allowed ${verb} ${resource}`),
    warn: async (title) => void told.push(`warned ${title}`),
  });
  rmSync(home, { recursive: true });
  return { approved: reply.approved, told };
}

const rule = (effect: Rule["effect"], verb: string, resource: string): Rule => ({ id: "r", effect, verb, resource });
const OUTSIDE = ["/etc/passwd", "link/x", "CWD/../../../x", "CWD/link/x"];
const ASKED = { approved: true, told: ["asked once,always"] };
const ONCE = { approved: true, told: ["asked once"] };

proves(
  "WL-11",
  "enforce refuses a change outside of the workspace, warn writes it down, off says nothing",
  async () => {
    for (const path of OUTSIDE) {
      for (const sandbox of ["enforce", "strict"] as const)
        expect([path, await wish({ sandbox, named: "auto" }, "edit", [path])]).toEqual([
          path,
          { approved: false, told: ["denied default,tool_policy:auto,sandbox:outside_workspace"] },
        ]);
      const warned = await wish({ sandbox: "warn", named: "auto" }, "delete", [path]);
      expect(warned).toMatchObject({ approved: true, told: ["warned outside of the workspace", expect.anything()] });
      const off = await wish({ sandbox: "off", named: "auto" }, "edit", [path]);
      expect(off).toEqual({ approved: true, told: [expect.stringContaining("allowed agent.edit outside/")] });
    }
  },
);

proves("WL-11", "what lies inside, and what only reads, goes on to the policy in every mode", async () => {
  for (const sandbox of ["off", "warn", "enforce", "strict"] as const) {
    const edit = await wish({ sandbox, named: "auto" }, "edit", ["CWD/a/b"]);
    expect(edit).toEqual({ approved: true, told: ["allowed agent.edit path/a/b"] });
    expect(await wish({ sandbox, named: "auto" }, "read", ["/etc/passwd"])).toEqual({ approved: true, told: [] });
  }
});

proves("GATE-1", "without a rule a person is asked, unless the agent's or the driver's policy answers", async () => {
  expect(await wish({}, "edit", ["a"])).toEqual(ASKED);
  expect(await wish({ named: "on_demand" }, "execute", [])).toEqual(ASKED);
  expect(await wish({ named: "always_ask", unattended: "allow" }, "execute", [])).toEqual(ONCE);
  expect(await wish({ unattended: "allow" }, "execute", [])).toMatchObject({ approved: true });
  expect(await wish({ unattended: "reject" }, "execute", [])).toEqual({
    approved: false,
    told: ["denied default,tool_policy:never"],
  });
  expect(await wish({ named: "never", unattended: "allow" }, "read", ["a"])).toMatchObject({ approved: false });
});

proves("GATE-1", "a rule that denies is a no nobody is asked about; one that allows needs no person", async () => {
  const deny = [rule("deny", "agent.edit", "session/*/path/law/**")];
  expect(await wish({ rules: deny }, "edit", ["law/a"])).toEqual({ approved: false, told: ["denied r"] });
  expect(await wish({ rules: deny, named: "auto" }, "edit", ["x", "law/a"])).toMatchObject({ approved: false });
  expect(await wish({ rules: deny }, "edit", ["src/a"])).toEqual(ASKED);
  const allow = [rule("allow", "agent.read", "**")];
  expect(await wish({ rules: allow }, "read", ["a"])).toEqual({ approved: true, told: [] });
  expect(await wish({ rules: allow }, "edit", ["a"])).toEqual(ASKED);
  expect(await wish({ rules: allow, named: "never" }, "read", ["a"])).toMatchObject({ approved: false });
  expect(await wish({ rules: [rule("ask", "agent.*", "**")], unattended: "allow" }, "edit", ["a"])).toEqual(ONCE);
  const silent = [rule("deny", "tool.ask", "**")];
  expect(await wish({ rules: silent }, "edit", ["a"])).toMatchObject({ approved: false });
  expect(await wish({ rules: silent, named: "auto" }, "edit", ["a"])).toMatchObject({ approved: true });
});

proves("GATE-2", "no spelling of a path gets around a rule: links, `..`, upper case, composed letters", async () => {
  const rules = [
    rule("deny", "agent.*", "session/*/path/Caf\u00e9/**"),
    rule("deny", "agent.*", "session/*/outside/etc/**"),
  ];
  const ways = [
    "Caf\u00e9/a",
    "x/../Caf\u00e9/a",
    "caf\u00e9/a",
    "CAFE\u0301/a",
    "CWD/Caf\u00e9/a",
    "link/passwd",
    `up/${"../".repeat(12)}etc/x`,
  ];
  for (const path of ways)
    expect([path, await wish({ rules, unattended: "allow" }, "edit", [path])]).toMatchObject([
      path,
      { approved: false },
    ]);
  expect(await wish({ rules, unattended: "allow" }, "edit", ["Cafe/a"])).toMatchObject({ approved: true });
});

proves("GATE-2", "a path that cannot be resolved is denied, for reading too", async () => {
  for (const path of ["loop/x", "a\0b"])
    for (const tool of ["read", "edit", "other", "execute"])
      expect([path, tool, await wish({ named: "auto" }, tool, [path])]).toEqual([
        ...[path, tool],
        { approved: false, told: ["denied default,tool_policy:auto,unresolved_path"] },
      ]);
});

proves(
  "GATE-2",
  "the home is out of reach by any path, whatever the kind, and the own directory in it is not",
  async () => {
    for (const path of ["HOME/token", "../../token", "up/token", "HOME/worktrees/two/tree/a"])
      for (const tool of ["read", "delete", "other", "execute"])
        expect([path, tool, await wish({ named: "auto" }, tool, [path])]).toMatchObject([
          path,
          tool,
          { approved: false },
        ]);
    expect(await wish({ named: "auto" }, "edit", ["HOME/workspaces/w/a"])).toMatchObject({ approved: true });
  },
);

proves("GATE-2", "a git dir that is not the session's own is refused where the sandbox guards it", async () => {
  for (const path of [".git/hooks/x", "sub/.GIT/config", "a/../.git/x"]) {
    expect(await wish({ sandbox: "enforce", named: "auto" }, "edit", [path])).toMatchObject({ approved: false });
    expect(await wish({ sandbox: "off" }, "edit", [path])).toEqual(ASKED);
  }
  expect(await wish({ sandbox: "enforce", named: "auto" }, "edit", [".gitignore"])).toMatchObject({ approved: true });
});

proves(
  "GATE-2",
  "a change that the scope would undo is refused, unless a person widened the scope for it",
  async () => {
    const scope = { allow: ["src"], deny: ["src/Secret"] };
    for (const path of ["README.md", "src/secret/a", "src/../x", "HOME/worktrees/one/tree/b"])
      expect([path, await wish({ scope }, "edit", [path])]).toMatchObject([path, { approved: false }]);
    expect(await wish({ scope }, "edit", ["src/a"])).toEqual(ASKED);
    expect(await wish({ scope }, "read", ["README.md"])).toEqual(ASKED);
    expect(await wish({ scope, widened: ["README.md"] }, "edit", ["README.md"])).toEqual(ASKED);
  },
);

proves("GATE-3", "an agent that hides what it does makes a person decide, and is never allowed by that", async () => {
  // An unknown kind, even where everything else is allowed.
  expect(await wish({ unattended: "allow" }, "teleport", ["a"])).toEqual(ONCE);
  expect(await wish({ rules: [rule("allow", "*", "**")] }, "teleport", ["a"])).toEqual(ONCE);
  expect(await wish({ named: "auto" }, "teleport", ["a"])).toMatchObject({ approved: true });
  // `other`, where a rule denies a kind that it could be.
  const rules = [rule("deny", "agent.edit", "session/*/path/law/**")];
  expect(await wish({ rules, unattended: "allow" }, "other", ["law/a"])).toEqual(ONCE);
  expect(await wish({ rules, unattended: "allow" }, "other", ["b"])).toMatchObject({ approved: true });
  // A change without a file.
  expect(await wish({ rules, unattended: "allow" }, "edit", [])).toEqual(ONCE);
  expect(await wish({ scope: { allow: ["src"], deny: [] }, unattended: "allow" }, "move", [])).toEqual(ONCE);
  expect(await wish({ unattended: "allow" }, "edit", [])).toMatchObject({ approved: true });
});

proves("GATE-3", "new content is an edit and a command is run, whatever kind the agent calls it", async () => {
  const rules = [rule("deny", "agent.edit", "**"), rule("deny", "agent.execute", "session/*/command/*rm -rf*")];
  const diff = { paths: [{ path: "a", isChanged: true }] };
  for (const tool of ["read", "other", "think", "execute"])
    expect([tool, await wish({ rules, unattended: "allow" }, tool, [], diff)]).toMatchObject([
      tool,
      { approved: false },
    ]);
  const command = `command/${"x ".repeat(3000)}; rm -rf y`;
  for (const tool of ["read", "search", "execute"])
    expect([
      tool,
      await wish({ rules, unattended: "allow" }, tool, ["a"], { command, resource: command }),
    ]).toMatchObject([tool, { approved: false }]);
});
