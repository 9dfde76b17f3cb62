import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { needs } from "../../support/needs.ts";
import { LAW_STORY } from "./law-story.ts";
import { TICKET_STORY } from "./ticket-story.ts";
import { WORK_STORY } from "./work-story.ts";

/** Values that earlier steps found: mostly ids. */
export type Memory = Record<string, string>;

export interface Step {
  readonly syscall: string;
  readonly input: (memory: Memory) => Record<string, unknown>;
  /** The expected refusal code; absent: it succeeds. */
  readonly refused?: string;
  readonly keep?: (value: unknown, memory: Memory) => void;
  /** The answer shows a session that is changing its state. */
  readonly volatile?: true;
  /** The answer consists of hashes and signatures, different on every daemon: only its member names are compared. */
  readonly shape?: true;
  /** Repeated until the answer matches. */
  readonly until?: (value: unknown) => boolean;
}

const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce((found, key) => Reflect.get(Object(found), key), value);
const keepAs =
  (name: string, ...path: readonly (string | number)[]) =>
  (value: unknown, memory: Memory): void => {
    memory[name] = String(at(value, ...path));
  };
const keepEvent = (name: string, type: string) => (value: unknown, memory: Memory) => {
  const events = at(value, "events");
  const found = Array.isArray(events) ? events.find((event) => at(event, "type") === type) : undefined;
  memory[name] = String(at(found, "id"));
};
const hasApproval = (value: unknown): boolean => at(value, "approvals", 0, "id") !== undefined;
const ofSession =
  (name = "session") =>
  (memory: Memory) => ({ id: memory[name] });
const nothing = () => ({});
const FIRST_TIME = "2020-01-01T00:00:00Z";
export const UNKNOWN_ID = "01900000-0000-7000-8000-000000000000";
const HELLO = "hello from the parity test";
const HELLO_SHA256 = createHash("sha256").update(HELLO).digest("hex");

const EVERYDAY = join(import.meta.dirname, "../../fixtures/mcp-servers/everyday.ts");

const TINY_MANIFEST = JSON.stringify({
  id: "tiny",
  name: "Tiny",
  description: "an agent that installs and speaks no protocol",
  protocol: "acp",
  bin: "tiny-agent",
  install: [{ method: "npm", packages: [join(import.meta.dirname, "../../fixtures/tiny-agent")] }],
  version_check: { package: "tiny-agent", range: ">=1.0.0 <2.0.0" },
});

const SLOW = [["sleep", "60"]];

const landed = (name: string, of: string): readonly Step[] => [
  {
    syscall: "session.start",
    input: ({ cwd }) => ({ adapter: "demo", cwd: `${cwd}/repo`, worktree: true, prompt: `write ${name}.txt x` }),
    keep: keepAs(of, "id"),
    volatile: true,
  },
  { syscall: "session.wait", input: ofSession(of) },
  { syscall: "session.land", input: ofSession(of), keep: keepAs(name, "id") },
];

/** One that lands, and a queue that a person works on. */
const LANDING_STORY: readonly Step[] = [
  {
    syscall: "session.start",
    input: ({ cwd }) => ({ adapter: "demo", cwd: `${cwd}/repo`, worktree: true, prompt: "write landed.txt x" }),
    keep: keepAs("lander", "id"),
    volatile: true,
  },
  { syscall: "session.wait", input: ofSession("lander") },
  { syscall: "landing.draft", input: ofSession("lander") },
  { syscall: "session.land", input: ({ lander }) => ({ id: lander, waitMs: 60_000 }), keep: keepAs("landing", "id") },
  { syscall: "session.land", input: ofSession("lander"), refused: "nothing_to_land" },
  { syscall: "session.drift", input: ({ lander }) => ({ id: lander }), refused: "work_not_found" },
  { syscall: "session.handover", input: ({ lander }) => ({ id: lander, summary: "x" }), refused: "work_not_found" },
  { syscall: "session.finish", input: ({ lander }) => ({ id: lander, summary: "" }), refused: "summary_required" },
  { syscall: "session.land", input: ({ lander }) => ({ id: lander, into: "gone" }), refused: "branch_not_found" },
  { syscall: "landing.wait", input: ofSession("landing") },
  { syscall: "landing.show", input: ofSession("landing") },
  { syscall: "landing.show", input: () => ({ id: UNKNOWN_ID }), refused: "landing_not_found" },
  { syscall: "landing.list", input: ({ lander }) => ({ session: lander }) },
  { syscall: "landing.why", input: ofSession("landing"), shape: true },
  { syscall: "session.why", input: ofSession("lander"), shape: true },
  { syscall: "blame.file", input: ({ cwd }) => ({ cwd: `${cwd}/repo`, path: "landed.txt" }), shape: true },
  { syscall: "landing.hold", input: ofSession("landing"), refused: "landing_settled" },
  { syscall: "session.prompt", input: ({ lander }) => ({ id: lander, prompt: "write more.txt more" }) },
  { syscall: "session.wait", input: ofSession("lander") },
  { syscall: "session.land", input: ({ lander }) => ({ id: lander, dryRun: true }) },
  { syscall: "session.land", input: ({ lander }) => ({ id: lander, checks: SLOW }), keep: keepAs("slow", "id") },
  { syscall: "session.land", input: ofSession("lander"), refused: "landing_exists" },
  ...landed("second", "treed2"),
  ...landed("third", "treed3"),
  { syscall: "landing.hold", input: ({ second }) => ({ id: second, reason: "not yet" }) },
  { syscall: "landing.release", input: ofSession("second") },
  { syscall: "landing.move", input: ({ third, second }) => ({ id: third, before: second }) },
  { syscall: "landing.move", input: ({ third }) => ({ id: third, before: third }), refused: "landing_unmovable" },
  { syscall: "landing.eject", input: ({ third }) => ({ id: third, reason: "not now" }) },
  { syscall: "landing.eject", input: ofSession("second") },
  { syscall: "landing.eject", input: ofSession("slow") },
  { syscall: "landing.list", input: () => ({ state: "ejected" }) },
];

/** Two that do the same; which is better depends on the machine. */
const FANOUT_STORY: readonly Step[] = [
  {
    syscall: "fan-out.start",
    input: ({ cwd }) => ({ prompt: "write fan.txt x", agents: ["demo", "demo"], cwd: `${cwd}/repo` }),
    keep: keepAs("fan", "id"),
    shape: true,
  },
  {
    syscall: "fan-out.start",
    input: ({ cwd }) => ({ prompt: "x", agents: ["nobody", "demo"], cwd }),
    refused: "invalid_agent",
  },
  { syscall: "fan-out.wait", input: ofSession("fan"), shape: true },
  { syscall: "fan-out.show", input: ofSession("fan"), shape: true },
  { syscall: "fan-out.show", input: () => ({ id: UNKNOWN_ID }), refused: "fanout_not_found" },
  { syscall: "fan-out.watch", input: ofSession("fan"), shape: true },
  { syscall: "fan-out.list", input: nothing, shape: true },
  { syscall: "fan-out.diff", input: ofSession("fan"), shape: true },
  { syscall: "fan-out.drop", input: ofSession("fan"), refused: "fanout_undecided" },
  {
    syscall: "fan-out.land",
    input: ({ fan }) => ({ id: fan, session: "best" }),
    keep: keepAs("fanned", "landing", "id"),
    shape: true,
  },
  { syscall: "landing.wait", input: ofSession("fanned"), shape: true },
  { syscall: "fan-out.drop", input: ofSession("fan"), shape: true },
];

/** All steps in one daemon's life: every syscall succeeds at least once, and each kind of refusal occurs. */
export const STORY: readonly Step[] = [
  { syscall: "system.status", input: nothing },
  { syscall: "system.metrics", input: nothing, shape: true },
  { syscall: "driver.list", input: nothing },
  { syscall: "driver.add", input: () => ({ manifest: TINY_MANIFEST }) },
  { syscall: "driver.add", input: () => ({ manifest: "{}" }), refused: "invalid_request" },
  { syscall: "driver.show", input: () => ({ slug: "tiny" }) },
  { syscall: "driver.show", input: () => ({ slug: "nobody" }), refused: "not_installed" },
  { syscall: "driver.install", input: () => ({ slug: "tiny" }) },
  { syscall: "driver.install", input: () => ({ slug: "cursor" }), refused: "setup_required" },
  { syscall: "driver.check", input: () => ({ slug: "tiny" }) },
  { syscall: "driver.remove", input: () => ({ slug: "tiny" }) },
  { syscall: "model.list", input: nothing },
  { syscall: "model.test", input: nothing, refused: "no_model" },
  { syscall: "model.test", input: () => ({ model: "demo/script" }), shape: true },
  { syscall: "model.add", input: () => ({ name: "local", api: "ollama", model: "tiny" }) },
  { syscall: "model.add", input: () => ({ name: "local", api: "ollama" }), refused: "model_exists" },
  { syscall: "model.add", input: () => ({ name: "other" }), refused: "model_invalid" },
  { syscall: "model.add", input: () => ({ name: "anthropic", key: "no source of a key" }), refused: "key_in_argument" },
  { syscall: "model.default", input: () => ({ model: "demo/script" }) },
  { syscall: "model.default", input: () => ({ model: "nobody/tiny" }), refused: "model_not_found" },
  { syscall: "model.update", input: () => ({ reset: true }) },
  { syscall: "model.update", input: nothing, refused: "model_invalid" },
  { syscall: "model.update", input: () => ({ file: "/does/not/exist" }), refused: "catalogue_invalid" },
  { syscall: "model.login", input: () => ({ name: "local" }), refused: "login_unsupported" },
  { syscall: "model.login", input: () => ({ name: "nobody" }), refused: "model_not_found" },
  { syscall: "model.remove", input: () => ({ name: "local" }) },
  { syscall: "model.remove", input: () => ({ name: "local" }), refused: "model_not_found" },
  {
    syscall: "config.set",
    input: ({ login }) => ({
      config: { models: { providers: { gh: { api: "copilot", options: { clientId: "mine", loginUrl: login } } } } },
    }),
    shape: true,
  },
  { syscall: "model.login", input: () => ({ name: "gh" }) },
  { syscall: "model.remove", input: () => ({ name: "gh" }) },
  { syscall: "mcp-server.add", input: () => ({ name: "every", argv: [process.execPath, EVERYDAY] }) },
  { syscall: "mcp-server.add", input: () => ({ name: "every", argv: ["true"] }), refused: "mcp_server_exists" },
  { syscall: "mcp-server.add", input: () => ({ name: "other" }), refused: "mcp_server_invalid" },
  { syscall: "mcp-server.add", input: ({ remote }) => ({ name: "remote", url: remote }), shape: true },
  { syscall: "mcp-server.list", input: nothing, shape: true },
  { syscall: "mcp-server.test", input: () => ({ name: "every" }), shape: true },
  { syscall: "mcp-server.test", input: () => ({ name: "nobody" }), refused: "mcp_server_not_found" },
  { syscall: "mcp-server.login", input: () => ({ name: "remote" }), shape: true },
  { syscall: "mcp-server.login", input: () => ({ name: "every" }), refused: "mcp_login_unsupported" },
  { syscall: "mcp-server.remove", input: () => ({ name: "remote" }) },
  {
    syscall: "sandbox.run",
    input: ({ cwd }) => ({ argv: ["sh", "-c", "echo inside; exit 3"], cwd }),
    ...(needs("bwrap") ? {} : { refused: "sandbox_unavailable" }),
  },
  {
    syscall: "sandbox.run",
    input: ({ cwd }) => ({ argv: ["true"], cwd, network: { allow: ["no host"] } }),
    refused: needs("bwrap") ? "invalid_request" : "sandbox_unavailable",
  },
  { syscall: "agent.list", input: nothing },
  {
    syscall: "agent.create",
    input: () => ({
      slug: "tester",
      name: "Tester",
      driver: "demo",
      tools: { run: "always_ask" },
      delegatesTo: ["aip://42/demo@1"],
    }),
  },
  { syscall: "agent.create", input: () => ({ slug: "tester", driver: "demo" }), refused: "agent_exists" },
  { syscall: "agent.create", input: () => ({ slug: "other", driver: "nobody" }), refused: "not_installed" },
  { syscall: "agent.show", input: () => ({ slug: "tester" }) },
  { syscall: "agent.show", input: () => ({ slug: "nobody" }), refused: "agent_not_found" },
  { syscall: "agent.show", input: () => ({ slug: "NO SLUG" }), refused: "invalid_request" },
  { syscall: "agent.default", input: () => ({ slug: "tester" }) },
  { syscall: "agent.default", input: () => ({ slug: "demo" }) },

  { syscall: "system.conformance", input: nothing },
  { syscall: "workspace.add", input: ({ cwd }) => ({ slug: "here", path: cwd, label: "a place" }) },
  { syscall: "workspace.add", input: () => ({ slug: "../up", path: "/" }), refused: "invalid_request" },
  { syscall: "workspace.add", input: () => ({ slug: "default", path: "/" }), refused: "workspace_reserved" },
  { syscall: "workspace.add", input: () => ({ slug: "gone", path: "/does/not/exist" }), refused: "cwd_missing" },
  { syscall: "workspace.use", input: () => ({ slug: "here" }) },
  { syscall: "workspace.use", input: () => ({ slug: "nobody" }), refused: "workspace_not_found" },
  { syscall: "workspace.list", input: nothing },
  {
    syscall: "session.start",
    input: () => ({ adapter: "demo", agent: "agent:tester", ground: "ws://workspaces/here" }),
    keep: keepAs("grounded", "id"),
    volatile: true,
  },
  {
    syscall: "session.start",
    input: () => ({ adapter: "demo", ground: "ws://workspaces/here/../up" }),
    refused: "invalid_ground",
  },
  { syscall: "session.start", input: () => ({ adapter: "demo", agent: "no agent!" }), refused: "invalid_agent" },
  {
    syscall: "session.start",
    input: () => ({ adapter: "demo", ground: "ws://workspaces/nobody" }),
    refused: "workspace_not_found",
  },
  { syscall: "session.delegates", input: ofSession("grounded") },
  {
    syscall: "session.list",
    input: () => ({ workspaceSlug: "here", limit: 1 }),
    until: (value) => !JSON.stringify(value).includes('"starting"'),
    volatile: true,
  },
  { syscall: "session.forget", input: ofSession("grounded") },
  { syscall: "workspace.remove", input: () => ({ slug: "here" }) },
  { syscall: "workspace.remove", input: () => ({ slug: "here" }), refused: "workspace_not_found" },

  { syscall: "conflict.list", input: nothing },
  { syscall: "worktree.list", input: nothing },
  {
    syscall: "session.start",
    input: ({ cwd }) => ({ adapter: "demo", cwd: `${cwd}/repo`, worktree: true, prompt: "write kept.txt kept" }),
    keep: (value, memory) => {
      keepAs("treed", "id")(value, memory);
      keepAs("tree", "cwd")(value, memory);
    },
    volatile: true,
  },
  {
    syscall: "session.start",
    input: ({ cwd }) => ({ adapter: "demo", cwd: `${cwd}/repo`, worktree: true, base: "no-such-branch" }),
    refused: "worktree_base_missing",
  },
  { syscall: "session.start", input: ({ cwd }) => ({ adapter: "demo", cwd, scope: {} }), refused: "not_a_repository" },
  { syscall: "session.wait", input: ofSession("treed") },
  { syscall: "worktree.remove", input: ofSession("treed"), refused: "worktree_in_use" },
  { syscall: "session.kill", input: ofSession("treed") },
  { syscall: "worktree.list", input: nothing },
  { syscall: "worktree.show", input: ofSession("treed") },
  { syscall: "worktree.show", input: () => ({ id: UNKNOWN_ID }), refused: "worktree_not_found" },
  { syscall: "worktree.path", input: ofSession("treed") },
  { syscall: "worktree.apply", input: ({ treed }) => ({ id: treed, dryRun: true }) },
  { syscall: "worktree.apply", input: ofSession("treed") },
  { syscall: "worktree.apply", input: ofSession("treed") },
  { syscall: "worktree.remove", input: ofSession("treed"), refused: "worktree_has_work" },
  { syscall: "worktree.gc", input: nothing },
  {
    syscall: "worktree.attach",
    input: ({ treed }) => ({ id: treed, adapter: "demo" }),
    keep: keepAs("attached", "id"),
    volatile: true,
  },
  { syscall: "worktree.attach", input: ({ treed }) => ({ id: treed, adapter: "demo" }), refused: "worktree_in_use" },
  { syscall: "session.forget", input: ofSession("attached") },
  {
    syscall: "worktree.remove",
    input: ({ treed, tree }) => {
      for (const file of ["kept.txt", "more.txt"]) rmSync(join(tree ?? "", file), { force: true });
      return { id: treed };
    },
  },
  { syscall: "worktree.remove", input: ofSession("treed"), refused: "worktree_not_found" },
  {
    syscall: "session.start",
    input: ({ cwd }) => ({ adapter: "demo", cwd, label: "first", prompt: "say hello\nwrite note.txt some text" }),
    keep: keepAs("session", "id"),
    volatile: true,
  },
  { syscall: "session.start", input: ({ cwd }) => ({ adapter: "nobody", cwd }), refused: "not_installed" },
  { syscall: "session.start", input: () => ({ adapter: "demo", cwd: "/does/not/exist" }), refused: "cwd_missing" },
  {
    syscall: "session.start",
    input: ({ cwd }) => ({ adapter: "demo", cwd, label: "x".repeat(201) }),
    refused: "invalid_request",
  },
  { syscall: "session.wait", input: ofSession() },
  { syscall: "session.wait", input: ({ session }) => ({ id: session, turnId: UNKNOWN_ID }), refused: "turn_not_found" },
  { syscall: "sandbox.explain", input: ofSession() },
  { syscall: "sandbox.explain", input: () => ({ id: UNKNOWN_ID }), refused: "session_not_found" },
  { syscall: "session.show", input: ofSession() },
  {
    syscall: "session.events",
    input: ({ session }) => ({ id: session, limit: 50 }),
    keep: (value, memory) => {
      keepEvent("opened", "session.opened@1")(value, memory);
      keepEvent("ended", "turn.ended@1")(value, memory);
      keepEvent("said", "message.completed@1")(value, memory);
    },
  },
  { syscall: "session.events", input: ({ session }) => ({ id: session, types: ["turn.ended"], order: "desc" }) },
  { syscall: "session.events", input: ({ session }) => ({ id: session, limit: 0 }), refused: "invalid_request" },
  {
    syscall: "session.events",
    input: ({ session }) => ({ id: session, after: UNKNOWN_ID }),
    refused: "event_not_found",
  },
  { syscall: "session.output", input: ({ session }) => ({ id: session, lastN: 3 }) },
  { syscall: "session.handoff", input: ofSession() },
  { syscall: "session.offer", input: ofSession() },
  { syscall: "session.configure", input: ofSession(), volatile: true },
  { syscall: "session.configure", input: ({ session }) => ({ id: session, mode: "any" }), refused: "unknown_mode" },
  { syscall: "session.siblings", input: ofSession() },
  { syscall: "session.note", input: ({ session }) => ({ id: session, text: "a note" }) },
  { syscall: "session.ask", input: ({ session }) => ({ id: session, question: "now?" }), refused: "turn_not_found" },
  {
    syscall: "session.start",
    input: ({ cwd }) => ({ adapter: "nomos", cwd, model: "demo/script", prompt: "say hello" }),
    keep: keepAs("own", "id"),
    volatile: true,
  },
  { syscall: "session.start", input: ({ cwd }) => ({ adapter: "nomos", cwd, model: "x/y" }), refused: "unknown_model" },
  { syscall: "session.wait", input: ofSession("own"), shape: true },
  { syscall: "session.context", input: ofSession("own"), shape: true },
  { syscall: "session.replay", input: ofSession("own"), shape: true },
  { syscall: "session.replay", input: ({ own }) => ({ id: own, until: "bad" }), refused: "event_not_found" },
  { syscall: "session.compact", input: ({ own }) => ({ id: own, focus: "the tests" }), shape: true },
  { syscall: "session.compact", input: ofSession(), refused: "compact_unsupported" },
  { syscall: "session.switch", input: ({ own }) => ({ id: own, agent: "demo" }), shape: true },
  { syscall: "session.switch", input: ({ own }) => ({ id: own, agent: "nobody" }), refused: "invalid_agent" },
  { syscall: "session.forget", input: ofSession("own") },
  { syscall: "queue.list", input: () => ({ limit: 10 }), volatile: true },
  { syscall: "session.list", input: () => ({ onlyAlive: true, limit: 10 }) },
  { syscall: "session.search", input: () => ({ q: "nobody said this" }) },
  { syscall: "event.show", input: ({ opened }) => ({ eventId: opened }) },
  { syscall: "event.show", input: () => ({ eventId: UNKNOWN_ID }), refused: "event_not_found" },
  { syscall: "audit.entries", input: () => ({ limit: 4 }) },
  { syscall: "audit.entries", input: () => ({ limit: 0 }), refused: "invalid_request" },
  { syscall: "audit.entries", input: () => ({ limit: 2, stream: "system", actor: "daemon", until: FIRST_TIME }) },
  { syscall: "audit.entries", input: () => ({ from: "yesterday" }), refused: "invalid_request" },
  { syscall: "system.activity", input: () => ({ step: 15 }), shape: true },
  { syscall: "system.activity", input: () => ({ until: FIRST_TIME }) },
  { syscall: "system.activity", input: () => ({ since: "yesterday" }), refused: "invalid_request" },
  { syscall: "audit.agent", input: () => ({ id: "demo", limit: 2 }) },
  { syscall: "audit.agent", input: () => ({ id: "nobody" }), refused: "agent_not_found" },
  { syscall: "audit.checkpoint", input: nothing, shape: true },
  { syscall: "audit.proof", input: ({ opened }) => ({ eventId: opened }), shape: true },
  { syscall: "audit.proof", input: () => ({ eventId: UNKNOWN_ID }), refused: "event_not_found" },
  { syscall: "audit.consistency", input: () => ({ from: 1, to: 5 }), shape: true },
  { syscall: "audit.tile", input: () => ({ level: 0, index: 0 }), shape: true },
  { syscall: "audit.tile", input: () => ({ level: 0, index: 1000 }), refused: "tile_not_found" },
  { syscall: "audit.verify", input: nothing, shape: true },
  { syscall: "audit.export", input: nothing, keep: keepAs("bundle", "path"), shape: true },
  { syscall: "audit.export", input: ({ bundle }) => ({ to: bundle }), refused: "export_exists" },
  { syscall: "audit.export", input: () => ({ to: "not/absolute" }), refused: "export_refused" },

  { syscall: "system.backup", input: nothing, keep: keepAs("backup", "path"), shape: true },
  { syscall: "system.backup", input: ({ backup }) => ({ to: backup }), refused: "backup_exists" },
  { syscall: "system.backup", input: () => ({ to: "not/absolute" }), refused: "backup_refused" },

  { syscall: "artifact.write", input: ({ session }) => ({ id: session, path: "notes/a b.txt", content: HELLO }) },
  { syscall: "artifact.list", input: ofSession() },
  { syscall: "artifact.read", input: ({ session }) => ({ id: session, path: "notes/a b.txt" }) },
  {
    syscall: "artifact.read",
    input: ({ session }) => ({ id: session, path: "nobody" }),
    refused: "artifact_not_found",
  },
  {
    syscall: "artifact.read",
    input: ({ session }) => ({ id: session, path: "notes/a b.txt", version: 9 }),
    refused: "artifact_not_found",
  },
  { syscall: "blob.read", input: () => ({ sha256: HELLO_SHA256 }) },
  { syscall: "blob.read", input: () => ({ sha256: "0".repeat(64) }), refused: "artifact_not_found" },
  { syscall: "blob.read", input: () => ({ sha256: "no hash" }), refused: "invalid_request" },
  {
    syscall: "todo.replace",
    input: ({ session }) => ({ id: session, items: [{ text: "compare surfaces", status: "active" }] }),
  },
  {
    syscall: "todo.replace",
    input: ({ session }) => ({ id: session, items: [{ text: 5 }] }),
    refused: "invalid_request",
  },
  { syscall: "todo.show", input: ofSession() },
  {
    syscall: "event.add",
    input: ({ session }) => ({ id: session, events: [{ type: "note", payload: { deep: [1, null, "ü€😀\u2028"] } }] }),
  },
  {
    syscall: "event.add",
    input: ({ session }) => ({ id: session, events: [{ type: "NO TYPE", payload: 1 }] }),
    refused: "invalid_request",
  },
  { syscall: "session.label", input: ({ session }) => ({ id: session, label: "renamed ü\u2028" }) },
  { syscall: "session.rename", input: ({ session }) => ({ id: session, title: "titled ü\u2028" }) },

  {
    syscall: "session.prompt",
    input: ({ session }) => ({ id: session, prompt: "say again" }),
    keep: keepAs("turn", "turnId"),
  },
  { syscall: "session.wait", input: ({ session, turn }) => ({ id: session, turnId: turn }) },
  { syscall: "session.prompt", input: ({ session }) => ({ id: session, prompt: "sleep 60000" }) },
  { syscall: "session.prompt", input: ({ session }) => ({ id: session, prompt: "say no" }), refused: "session_busy" },
  {
    syscall: "session.prompt",
    input: ({ session }) => ({ id: session, prompt: "say no", steer: true }),
    refused: "steer_unsupported",
  },
  {
    syscall: "session.wait",
    input: ({ session }) => ({ id: session, timeoutMs: 1 }),
    refused: "wait_timeout",
  },
  { syscall: "session.interrupt", input: ofSession() },
  { syscall: "session.interrupt", input: ofSession() },
  {
    syscall: "session.fork",
    input: ({ session }) => ({ id: session, label: "forked" }),
    keep: keepAs("fork", "id"),
    volatile: true,
  },
  { syscall: "session.fork", input: ({ session }) => ({ id: session, at: UNKNOWN_ID }), refused: "event_not_found" },
  { syscall: "session.mark", input: ({ session, ended }) => ({ id: session, event: ended, label: "good" }) },
  { syscall: "session.marks", input: ({ session }) => ({ id: session, limit: 2 }) },
  { syscall: "session.rewind", input: ({ session }) => ({ id: session, to: "bad" }), refused: "event_not_found" },
  {
    syscall: "session.rewind",
    input: ({ session, ended }) => ({ id: session, to: ended, summarize: true }),
    refused: "branch_unsupported",
  },
  { syscall: "session.rewind", input: ({ session }) => ({ id: session, to: "good" }) },
  { syscall: "session.snapshot", input: ofSession() },
  { syscall: "session.diff", input: ofSession() },
  { syscall: "session.turns", input: ({ session }) => ({ id: session, limit: 2 }) },
  { syscall: "session.diff", input: ({ session }) => ({ id: session, turn: UNKNOWN_ID }), refused: "turn_not_found" },
  { syscall: "session.suspend", input: ({ session }) => ({ id: session, reason: "to see" }) },
  {
    syscall: "session.prompt",
    input: ({ session }) => ({ id: session, prompt: "say no" }),
    refused: "session_suspended",
  },
  { syscall: "session.resume", input: ofSession(), volatile: true },
  { syscall: "session.resume", input: ofSession(), refused: "session_not_suspended" },
  { syscall: "session.hibernate", input: ofSession() },
  { syscall: "session.erase", input: ({ session, said }) => ({ id: session, events: [said], reason: "to see" }) },
  {
    syscall: "session.erase",
    input: ({ session, opened }) => ({ id: session, events: [opened] }),
    refused: "not_erasable",
  },

  {
    syscall: "session.start",
    input: ({ cwd }) => ({ adapter: "demo", cwd, prompt: "ask May I?" }),
    keep: keepAs("asking", "id"),
    volatile: true,
  },
  {
    syscall: "approval.list",
    input: () => ({ status: "pending" }),
    until: hasApproval,
    keep: keepAs("approval", "approvals", 0, "id"),
  },
  { syscall: "approval.show", input: ({ approval }) => ({ approvalId: approval }) },
  { syscall: "approval.show", input: () => ({ approvalId: UNKNOWN_ID }), refused: "approval_not_found" },
  {
    syscall: "approval.approve",
    input: ({ approval }) => ({ approvalId: approval, option: "no such" }),
    refused: "invalid_option",
  },
  { syscall: "approval.approve", input: ({ approval }) => ({ approvalId: approval }) },
  { syscall: "approval.approve", input: ({ approval }) => ({ approvalId: approval }), refused: "already_answered" },
  { syscall: "session.wait", input: ofSession("asking") },
  { syscall: "session.prompt", input: ({ asking }) => ({ id: asking, prompt: "ask And now?" }) },
  {
    syscall: "approval.list",
    input: ({ asking }) => ({ status: "pending", sessionId: asking }),
    until: hasApproval,
    keep: keepAs("second", "approvals", 0, "id"),
  },
  { syscall: "session.ask", input: ({ asking }) => ({ id: asking, question: "Else?", options: ["x"], wait: false }) },
  { syscall: "tool.list", input: ({ asking }) => ({ id: asking, waitMs: 20_000 }), shape: true },
  {
    syscall: "tool.call",
    input: ({ asking }) => ({ id: asking, name: "mcp__every__echo", arguments: { text: "hello" } }),
  },
  { syscall: "tool.call", input: ({ asking }) => ({ id: asking, name: "nobody" }), refused: "tool_not_found" },
  { syscall: "tool.call", input: ({ session }) => ({ id: session, name: "nobody" }), refused: "no_running_turn" },
  { syscall: "mcp-server.remove", input: () => ({ name: "every" }) },
  { syscall: "approval.reject", input: ({ second }) => ({ approvalId: second, reason: "not now" }) },
  { syscall: "approval.reject", input: () => ({ approvalId: UNKNOWN_ID }), refused: "approval_not_found" },

  {
    syscall: "session.open",
    input: ({ cwd }) => ({ pid: process.pid, cwd, label: "mine" }),
    keep: keepAs("external", "id"),
    volatile: true,
  },
  { syscall: "session.open", input: ({ cwd }) => ({ pid: 4_194_304, cwd }), refused: "invalid_request" },
  {
    syscall: "turn.begin",
    input: ({ external }) => ({ id: external, input: "do it" }),
    keep: keepAs("externalTurn", "turnId"),
  },
  { syscall: "turn.begin", input: ({ external }) => ({ id: external, input: "again" }), refused: "turn_open" },
  { syscall: "session.interrupt", input: ofSession("external"), refused: "not_interruptible" },
  {
    syscall: "turn.say",
    input: ({ external, externalTurn }) => ({ id: external, turnId: externalTurn, text: "done it" }),
  },
  { syscall: "turn.end", input: ({ external, externalTurn }) => ({ id: external, turnId: externalTurn }) },
  {
    syscall: "turn.say",
    input: ({ external, externalTurn }) => ({ id: external, turnId: externalTurn, text: "too late" }),
    refused: "turn_ended",
  },
  { syscall: "session.prompt", input: ({ external }) => ({ id: external, prompt: "no" }), refused: "not_promptable" },
  { syscall: "session.finish", input: ({ external }) => ({ id: external, exitCode: 3 }) },

  { syscall: "config.show", input: nothing },
  { syscall: "config.explain", input: () => ({ key: "limits.homeBytes" }) },
  { syscall: "config.explain", input: () => ({ key: "turnTimoutMs" }), refused: "unknown_setting" },
  { syscall: "config.set", input: () => ({ config: { turnTimeoutMs: 600_000 } }) },
  { syscall: "config.set", input: () => ({ config: { turnTimeoutMs: -1 } }), refused: "invalid_request" },
  {
    syscall: "token.issue",
    input: () => ({ capabilities: ["session.read", "session.list"], label: "reader" }),
    keep: keepAs("token", "tokenId"),
  },
  { syscall: "token.list", input: nothing },
  { syscall: "token.revoke", input: ({ token }) => ({ tokenId: token }) },
  { syscall: "token.revoke", input: ({ token }) => ({ tokenId: token }), refused: "token_revoked" },
  { syscall: "token.revoke", input: () => ({ tokenId: UNKNOWN_ID }), refused: "token_not_found" },
  { syscall: "secret.set", input: () => ({ name: "TOLD", value: "fake-value-of-the-story", scope: "agent:demo" }) },
  {
    syscall: "secret.set",
    input: () => ({ name: "TOLD", value: "fake-value-of-the-story", scope: "agent:demo" }),
    refused: "secret_exists",
  },
  { syscall: "secret.set", input: () => ({ name: "SHORT", value: "short" }), refused: "secret_value_refused" },
  { syscall: "secret.import", input: () => ({ entries: [{ name: "LINE", value: "fake-value-of-a-line" }] }) },
  { syscall: "secret.plaintext", input: nothing },
  { syscall: "secret.adopt", input: nothing },
  { syscall: "secret.list", input: () => ({ scope: "agent:demo" }) },
  { syscall: "secret.scan", input: () => ({ session: "nothing-of-the-kind" }), refused: "session_not_found" },
  { syscall: "secret.scan", input: () => ({ limit: 1 }) },
  { syscall: "secret.show", input: () => ({ name: "TOLD" }) },
  { syscall: "secret.show", input: () => ({ name: "UNTOLD" }), refused: "secret_not_found" },
  { syscall: "secret.rotate", input: () => ({ name: "TOLD", value: "fake-value-that-is-new" }) },
  { syscall: "secret.bind", input: () => ({ name: "TOLD", bind: [{ host: "api.example.com" }] }) },
  { syscall: "secret.remove", input: () => ({ name: "TOLD" }) },
  { syscall: "secret.remove", input: () => ({ name: "TOLD" }), refused: "secret_not_found" },
  { syscall: "secret.unlock", input: nothing },
  { syscall: "secret.rekey", input: () => ({ to: "file" }) },
  { syscall: "secret.rekey", input: () => ({ to: "passphrase", passphrase: "short" }), refused: "invalid_request" },
  { syscall: "secret.recover", input: () => ({ discard: true }) },
  {
    syscall: "permission.explain",
    input: () => ({ principal: "role:viewer", verb: "session.kill", resource: "session/any" }),
  },
  {
    syscall: "permission.explain",
    input: () => ({ principal: "nobody", verb: "session.kill", resource: "session/any" }),
    refused: "principal_not_found",
  },
  { syscall: "doc.list", input: nothing },
  { syscall: "doc.read", input: () => ({ path: "docs/reference/mcp.md" }) },
  { syscall: "doc.read", input: () => ({ path: "../package.json" }), refused: "doc_not_found" },
  { syscall: "system.log", input: () => ({ limit: 1, onlyProblems: true, before: "0:0" }) },
  { syscall: "system.backups", input: nothing },
  { syscall: "ws.ticket", input: nothing },
  { syscall: "dashboard.open", input: () => ({ for: "phone" }), refused: "public_url_missing" },
  {
    syscall: "dashboard.open",
    input: () => ({ label: "parity", capabilities: ["session.read"] }),
    keep: (value, memory) => {
      memory["link"] = String(at(value, "url")).split("#link=")[1] ?? "";
    },
  },
  { syscall: "dashboard.enter", input: ({ link }) => ({ link }) },
  { syscall: "dashboard.enter", input: ({ link }) => ({ link }), refused: "link_invalid" },
  { syscall: "dashboard.leave", input: nothing },
  { syscall: "system.doctor", input: () => ({ rebuild: true }) },
  { syscall: "agent.delete", input: () => ({ slug: "tester" }) },
  { syscall: "agent.delete", input: () => ({ slug: "demo" }), refused: "agent_in_use" },

  { syscall: "session.kill", input: ({ session }) => ({ id: session, reason: "the story ends" }) },
  { syscall: "session.kill", input: ofSession() },
  { syscall: "session.prompt", input: ({ session }) => ({ id: session, prompt: "say no" }), refused: "session_ended" },
  { syscall: "session.stream", input: ofSession() },
  { syscall: "event.stream", input: () => ({ after: 0 }) },
  { syscall: "session.watch", input: () => ({ after: 0 }) },
  { syscall: "archive.read", input: ofSession(), refused: "archive_not_found" },
  { syscall: "system.gc", input: () => ({ maxAgeDays: 0, dryRun: true }), shape: true },
  { syscall: "session.forget", input: ofSession("fork") },
  { syscall: "session.prune", input: () => ({ olderThanMs: 3_600_000, label: "nobody's" }) },
  { syscall: "session.prune", input: () => ({ olderThanMs: -1 }), refused: "invalid_request" },
  { syscall: "session.show", input: ofSession("fork"), refused: "session_not_found" },
  { syscall: "system.gc", input: () => ({ maxAgeDays: 0 }), shape: true },
  { syscall: "system.gc", input: () => ({ maxAgeDays: -1 }), refused: "invalid_request" },
  { syscall: "archive.read", input: ({ session }) => ({ id: session, limit: 3 }) },
  { syscall: "archive.verify", input: ofSession() },
  { syscall: "session.fork", input: ofSession(), refused: "session_archived" },
  ...LANDING_STORY,
  ...FANOUT_STORY,
  ...TICKET_STORY,
  ...WORK_STORY,
  ...LAW_STORY,
];

/** These run last. */
export const LAST_STEP: Step = { syscall: "system.shutdown", input: nothing };
