import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  AccessToken,
  AGENT_EVENTS,
  AgentIdentity,
  recordDiscard,
  recordRekey,
  recordUnlock,
  SECRET_EVENTS,
  SecretStream,
  SYSTEM_EVENTS,
  TOKEN_EVENTS,
  uuidv7Maker,
} from "../src/domains/index.ts";
import {
  type AnyFact,
  factsOf,
  idIn,
  inheritView,
  isRefusal,
  rewindView,
  SESSION_EVENTS,
  SESSIONS,
  Session,
  type SessionSpec,
  type SessionState,
  sessionStream,
  streamOf,
} from "../src/kernel/index.ts";
import {
  type AppendOptions,
  type NewEvent,
  openSqliteStore,
  type RecordedEvent,
  type Store,
} from "../src/store/index.ts";

/**
 * Writes test/golden/v8: a small home with every kind of event there is, and what its folds and lists say. Once a
 * version has been released its golden log is never written again: later versions must read it for ever.
 */
const VERSION = 8;
const folder = fileURLToPath(new URL(`../test/golden/v${VERSION}/`, import.meta.url));
const home = join(folder, "home");
const fact = factsOf({ ...SESSION_EVENTS, ...AGENT_EVENTS, ...TOKEN_EVENTS, ...SECRET_EVENTS, ...SYSTEM_EVENTS });

const SPEC: SessionSpec = {
  name: "calm-otter-07",
  adapter: "demo",
  agent: "demo",
  workspace: "home",
  ground: "ground",
  cwd: "ground",
  sandbox: "strict",
  scope: { allow: ["src/**"], deny: ["src/secret/**"] },
  network: { allow: ["example.org"] },
  parentSessionId: null,
  depth: 0,
  file: null,
  external: { pid: 4711, startTime: "123456" },
  delegates: ["reviewer"],
};
const AGENT = {
  name: "Demo",
  driver: "demo",
  tools: { run: "always_ask", read: "auto" },
  builtIn: false,
  delegatesTo: ["reviewer"],
} as const;
const FILES = { restored: ["a"], removed: ["b"], kept: ["c"], more: 0 };
const TOKEN = {
  label: "for a friend",
  capabilities: ["session.read"],
  sessionId: null,
  expiresAtMs: 1_800_000_000_000,
};
const QUESTION = {
  question: "May I run it?",
  options: ["yes", "always"],
  action: { verb: "tool.run", resource: "path/ground" },
  checkpoint: { step: 3 },
};

const SNAPSHOT = {
  files: 3,
  directories: 1,
  bytes: 4096,
  leftOut: { count: 1, first: [{ path: "node_modules", why: "rule" }] },
  special: ["pipe"],
  unsettled: ["busy.log"],
  tookMs: 2.5,
} as const;

/** The same ids and times in every run; only salts, and hashes made with them, differ. */
let clockMs = Date.UTC(2026, 10, 15, 9, 0, 0);
let randomness = 0;
const newId = uuidv7Maker({
  random: () => Uint8Array.from({ length: 10 }, () => (randomness = (randomness * 73 + 41) % 251)),
  nowMs: () => clockMs,
});

await rm(folder, { recursive: true, force: true });
await mkdir(home, { recursive: true });
const fail = (error: Error): never => {
  throw error;
};
const store = await openSqliteStore({ home, onFatal: fail });
await writeStory(store);
const expected = await describeLog(store);
await store.close();
for (const name of ["search.db", "search.db-wal", "search.db-shm"]) await rm(join(home, name), { force: true });
await writeFile(join(folder, "expected.jsonl"), expected.map((line) => `${JSON.stringify(line)}\n`).join(""));
console.log(`${folder}: ${expected.length} lines`);

async function writeSecrets(add: Add): Promise<void> {
  const sealed = (valueId: string) => ({ valueId, bytes: 48, fingerprint: "0123456789ab" });
  const bind = [{ host: "api.example.org", header: "Authorization", format: "Bearer {secret}", env: "API_KEY" }];
  const about = { name: "API_KEY", scope: "agent:demo", owner: "operator", bind: [] };
  await add(streamOf(SecretStream, "s1"), [
    fact("secret.sealed@1", { ...about, ...sealed("s1.1") }),
    fact("secret.bound@1", { bind }),
    fact("secret.used@1", { use: "env API_KEY", sessionId: null }),
    fact("secret.rotated@1", sealed("s1.2")),
  ]);
  await add(streamOf(SecretStream, "s2"), [
    fact("secret.sealed@1", { ...about, name: "GONE", ...sealed("s2.1") }),
    fact("secret.removed@1", {}),
  ]);
  for (const decision of [recordRekey("passphrase"), recordUnlock("passphrase"), recordDiscard("aside")])
    if (!isRefusal(decision)) await add("vault", decision);
  const found = { kind: "vault", fingerprint: "0123456789ab", count: 1 };
  await add("system", [
    fact("log.scanned@1", {
      ...{ sessionId: null, all: true, erase: true, vault: "open", count: 1, moreSecrets: 0, next: null, more: false },
      looked: { events: 60, blobs: 2, files: 1, bytes: 4096 },
      secrets: [{ ...found, events: 1, erasable: 1, sessions: ["s1"], moreSessions: false, files: 0 }],
      ...{ places: [], files: [], moreFiles: 0, unread: [{ as: "gzip", count: 1, names: ["a.gz"] }] },
      erased: { events: 1, streams: 1 },
      left: [{ stream: "session/s1", events: 1, code: "session_busy" }],
    }),
  ]);
}

async function writeStory(log: Store): Promise<void> {
  const fence = 1;
  const add = (stream: string, facts: readonly AnyFact[], more: Partial<AppendOptions> = {}) =>
    append(log, stream, facts, { fence, ...more });
  await add("system", [fact("lease.acquired@1", { resource: "home", holder: "golden", fence })]);
  const rules = [{ id: "law", effect: "deny", verb: "agent.edit", resource: "session/*/path/law/**" }] as const;
  await add("system", [fact("policy.changed@1", { hash: "d".repeat(64), rules })]);
  await add(streamOf(AgentIdentity, "demo"), [fact("agent.created@1", { ...AGENT, slug: "demo" })]);
  await add(streamOf(AgentIdentity, "gone"), [
    fact("agent.created@1", { ...AGENT, slug: "gone" }),
    fact("agent.deleted@1", {}),
  ]);
  await add("system", [fact("agent.defaulted@1", { slug: "demo" })]);
  await add(streamOf(AccessToken, "k1"), [
    fact("token.issued@1", { ...TOKEN, tokenId: "k1", secretHash: "a".repeat(64) }),
  ]);
  await add(streamOf(AccessToken, "k2"), [
    fact("token.issued@1", { ...TOKEN, sandbox: "enforce", tokenId: "k2", secretHash: "b".repeat(64) }),
    fact("token.revoked@1", {}),
  ]);
  const w1 = { slug: "w1", path: "ground/w1", label: "the first" };
  await add("system", [fact("workspace.added@1", w1), fact("workspace.used@1", { slug: "w1" })]);
  await add("system", [
    fact("workspace.added@1", { slug: "w2", path: "ground/w2", label: null }),
    fact("workspace.removed@1", { slug: "w2" }),
  ]);
  const one = sessionStream(newId());
  await writeSession(log, add, one);
  await writeEnds(add);
  await writeFork(log, add, one);
  await writeForeign(log, add);
  await writeSteps(log, add);
  await writeTrees(add);
  await writeSecrets(add);
  await add("system", [fact("log.exported@1", { path: "exports/golden", size: 60 })]);
  const root = "c".repeat(64);
  const copied = { blobs: 2, missingBlobs: 0, bytes: 4096 };
  await add("system", [fact("log.backed_up@1", { path: "backups/golden", size: 61, root, ...copied })]);
  const madeAt = new Date(clockMs).toISOString();
  const newer = { size: 70, root: "d".repeat(64) };
  await add("system", [fact("log.restored@1", { from: "backups/golden", madeAt, size: 61, root, fence, newer })]);
  const git = {
    kind: "git",
    where: "/srv/anchor.git refs/nomos/log",
    verdict: "newer",
    ...newer,
    problem: null,
  } as const;
  const down = { size: null, root: null, problem: "the witness cannot be reached" };
  const witness = { kind: "witness", where: "https://witness.example", verdict: "unreachable", ...down } as const;
  await add("system", [fact("log.compared@1", { size: 61, root, answers: [git, witness], forced: false })]);
  const old = { id: newId(), name: "keen-crane-00", endedAt: madeAt, events: 2, bytes: 300, archive: null };
  const freed = { events: 2, bytes: 300, blobs: 1, blobBytes: 90, more: false };
  await add("system", [fact("log.collected@1", { maxAgeDays: 30, sessions: [old], ...freed })]);
  await add("system", [fact("lease.released@1", { resource: "home", fence })]);
}

type Add = (
  stream: string,
  facts: readonly AnyFact[],
  more?: Partial<AppendOptions>,
) => Promise<readonly RecordedEvent[]>;

/** Snapshots: taken, not taken, restored, and a restore that was rolled back. */
async function writeWorld(add: Add, stream: string): Promise<void> {
  const [one, two] = ["a".repeat(64), "b".repeat(64)];
  const taken = (snapshot: string, changed: number | null, occasion: "turn_start" | "turn_end" | "rewind") =>
    fact("snapshot.taken@1", { ...SNAPSHOT, turnId: null, occasion, snapshot, storedBytes: 900, changed });
  await add(stream, [taken(one, null, "turn_start"), taken(two, 2, "turn_end")]);
  await add(stream, [fact("snapshot.skipped@1", { turnId: null, code: "tree_too_large", reason: "too many files" })]);
  await add(stream, [taken(two, 0, "rewind"), fact("restore.begun@1", { from: two, to: one })]);
  const settled = { from: two, to: one, changed: 2, notRestored: ["sock"] };
  await add(stream, [fact("restore.settled@1", { ...settled, outcome: "restored", reason: null, files: FILES })]);
  await add(stream, [fact("restore.begun@1", { from: one, to: two })]);
  await add(stream, [fact("restore.settled@1", { ...settled, outcome: "rolled_back", reason: "no space" })]);
}

/** One session with everything that can happen while it lives. */
async function writeSession(log: Store, add: Add, stream: string): Promise<void> {
  const blob = await log.putBlob(Buffer.from("A long answer. ".repeat(400)));
  const file = await log.putBlob(Buffer.from("# Notes\n"));
  const [turnId, next] = ["turn-1", "turn-2"];
  await add(stream, [fact("session.opened@1", { spec: SPEC, label: "the first" })]);
  await add(stream, [fact("session.started@1", { continuity: "fresh" })]);
  const call = { keyHash: "1".repeat(64), requestHash: "2".repeat(64) };
  await add(
    stream,
    [
      fact("turn.admitted@1", {
        turnId,
        prompt: "Write the notes, äöü 𝄞",
        blob: null,
        bytes: 28,
        queued: false,
        title: "Notes",
      }),
    ],
    { call },
  );
  await add(stream, [fact("turn.started@1", { turnId })]);
  await add(stream, [
    fact("effect.intended@1", {
      effectId: "e1",
      turnId,
      kind: "run",
      detail: { command: "ls" },
      redo: "ask",
      verdict: "ask",
      rules: ["tool_policy:always_ask"],
    }),
    fact("approval.requested@1", { ...QUESTION, approvalId: "a1", turnId, effectId: "e1" }),
  ]);
  await add(stream, [
    fact("approval.answered@1", { approvalId: "a1", turnId, status: "approved", option: "always", reason: null }),
  ]);
  await add(stream, [fact("effect.begun@1", { effectId: "e1", turnId, fence: 1 })]);
  await add(stream, [
    fact("effect.output@1", { effectId: "e1", turnId, stream: "stdout", text: "notes.md\n", blob: null, bytes: 9 }),
  ]);
  await add(stream, [
    fact("effect.settled@1", { effectId: "e1", turnId, outcome: "done", exitCode: 0, message: null, redo: null }),
  ]);
  const artifact = { path: "notes.md", artifactId: "f1", version: 1, blob: file, bytes: 8, mediaType: "text/markdown" };
  await add(stream, [
    fact("artifact.written@1", { ...artifact, turnId }),
    fact("todo.replaced@1", { items: [{ text: "review", status: "open" }], turnId }),
  ]);
  const [message] = await add(stream, [
    fact("message.completed@1", { turnId, role: "assistant", text: "A long answer. ", blob, bytes: 6000 }),
  ]);
  await add(stream, [
    fact("gate.denied@1", { verb: "tool.write", resource: "path/.git/config", rules: ["protected_path"], turnId }),
    { type: "x.note@1", data: { turnId, payload: { mood: "good", n: 1.5 } } },
  ]);
  await add(stream, [fact("turn.ended@1", { turnId, outcome: "completed", error: null })]);
  await add(stream, [fact("session.labelled@1", { label: "the first, renamed" })]);
  await add(stream, [fact("session.titled@1", { title: "The notes" })]);
  if (message === undefined) throw new Error("nothing was appended");
  await add(stream, [fact("point.labelled@1", { eventId: message.id, label: "before more" })]);
  await add(stream, [
    fact("turn.admitted@1", { turnId: next, prompt: "More", blob: null, bytes: 4, queued: true }),
    fact("turn.started@1", { turnId: next }),
  ]);
  const judged = { rules: ["default", "tool_policy:on_demand"], inputHash: "c".repeat(64) };
  await add(stream, [
    fact("approval.requested@1", { ...QUESTION, ...judged, approvalId: "a2", turnId: next, effectId: null }),
    fact("approval.joined@1", { approvalId: "a2", turnId: next, joinId: "a2 again" }),
    fact("gate.allowed@1", { turnId: next, verb: "agent.edit", resource: "path/a", rules: ["tool_policy:auto"] }),
  ]);
  await add(stream, [fact("turn.interrupt_requested@1", { turnId: next })]);
  await add(stream, [
    fact("approval.closed@1", { approvalId: "a2", turnId: next, status: "cancelled" }),
    fact("turn.ended@1", {
      turnId: next,
      outcome: "interrupted",
      error: { code: "interrupted", message: "asked for" },
    }),
  ]);
  await add(stream, [fact("session.delegated@1", { childId: "c1", agent: "reviewer", ended: [] })]);
  await add(stream, [fact("session.delegated@1", { childId: "c2", agent: "reviewer", ended: ["c1"] })]);
  await add(stream, [fact("session.suspended@1", { reason: "lunch" })]);
  await add(stream, [fact("session.resumed@1", {})]);
  await add(stream, [fact("session.hibernated@1", { reason: "stop" })]);
  await add(stream, [fact("session.woken@1", { continuity: "digest" })]);
  await add(stream, [fact("call.begun@1", { syscall: "sandbox.run" })]);
  await add(stream, [fact("call.made@1", { syscall: "session.resume" })], {
    call: { ...call, keyHash: "3".repeat(64) },
  });
  const to = { stream, version: 2, eventId: (await eventAt(log, stream, 2)).id };
  const view = (await stateAt(log, stream, 2)).view;
  const version = (await log.version(stream)) + 1;
  await add(stream, [fact("session.rewound@1", { to, view: rewindView(view, to, { stream, version }) })]);
  await writeWorld(add, stream);
  const said = newEvent(fact("data.erased@1", { events: [message.id], reason: "asked for" }));
  await log.erase(stream, [message.id], said, { fence: 1 });
}

/** An external session. */
async function writeForeign(log: Store, add: Add): Promise<void> {
  const stream = sessionStream(newId());
  const turnId = "turn-3";
  const blob = await log.putBlob(Buffer.from([137, 80, 78, 71]));
  const small = (text: string) => ({ text, blob: null, bytes: text.length });
  await add(stream, [
    fact("session.opened@1", { spec: { ...SPEC, name: "wise-heron-11", external: null }, label: null }),
    fact("driver.configured@1", { mode: "plan", model: null, options: { effort: "high", web: true } }),
    fact("turn.admitted@1", { turnId, prompt: "Look", blob: null, bytes: 4, queued: false }),
    fact("turn.attached@1", {
      turnId,
      items: [{ kind: "image", name: "dot.png", mediaType: "image/png", uri: null, blob, bytes: 4 }],
    }),
  ]);
  await add(stream, [fact("session.started@1", { continuity: "fresh" }), fact("turn.started@1", { turnId })]);
  const program = { program: "claude 1.0.0", protocol: "acp/1", tools: true };
  await add(stream, [
    fact("driver.attached@1", { turnId, nativeId: "n-1", continuity: "fresh", reason: null, ...program }),
    fact("driver.offered@1", {
      turnId,
      mode: "plan",
      modes: [{ id: "plan", name: "Plan" }],
      options: [{ id: "model", name: "Model", category: "model", current: "small", values: ["small", "large"] }],
      commands: [{ name: "compact", description: "makes it shorter" }],
    }),
  ]);
  const names = { turnId, callId: "c1", title: "Write a.txt", places: [{ path: "a.txt", line: 1 }] };
  await add(stream, [fact("tool.called@1", { ...names, kind: "edit", input: small("{}") })]);
  await add(stream, [
    fact("tool.ended@1", {
      ...names,
      outcome: "done",
      diffs: [{ path: "a.txt", before: null, after: small("hello") }],
      output: null,
    }),
    fact("driver.update_kept@1", { turnId, kind: "hologram", ...small("{}") }),
    fact("driver.noticed@1", { turnId, severity: "warning", title: "slow", body: small("very") }),
    fact("usage.reported@1", {
      turnId,
      contextTokens: 250,
      contextMax: 1000,
      inputTokens: null,
      outputTokens: null,
      cost: { amount: 0.5, currency: "USD" },
      spent: { input: 10, output: 5, cacheRead: 100, cacheWrite: 7, costMicroUsd: 500_000 },
    }),
  ]);
  await add(stream, [fact("turn.ended@1", { turnId, outcome: "completed", error: null })]);
}

/** A session of the engine: steps, steering, a compaction, usage limits, and another driver at the end. */
async function writeSteps(log: Store, add: Add): Promise<void> {
  const stream = sessionStream(newId());
  const [turnId, parked] = ["turn-5", "turn-6"];
  const small = (text: string) => ({ text, blob: null, bytes: text.length });
  const image = await log.putBlob(Buffer.from([137, 80, 78, 71, 13]));
  const model = "acme/large";
  const usage = { input: 1200, output: 40, cacheRead: 800, cacheWrite: 100 };
  const step = (of: string, stepId: string, steers: readonly string[] = []) =>
    fact("step.started@1", { turnId: of, stepId, model, purpose: "answer", attempt: 1, steers });
  await add(stream, [
    fact("session.opened@1", {
      spec: { ...SPEC, adapter: "nomos", agent: "nomos", name: "deft-wren-05", external: null },
      label: null,
    }),
    fact("turn.admitted@1", { turnId, prompt: "Look around", blob: null, bytes: 11, queued: false }),
    fact("session.started@1", { continuity: "fresh" }),
    fact("turn.started@1", { turnId }),
  ]);
  await add(stream, [
    fact("context.composed@1", { turnId, parts: [{ name: "system", source: "nomos", ...small("You are careful.") }] }),
    step(turnId, "s1"),
  ]);
  await add(stream, [fact("turn.steered@1", { turnId, steerId: "steer-1", ...small("Only the tests") })]);
  const called = { turnId, callId: "c5", title: "Read dot.png", places: [{ path: "dot.png", line: null }] };
  await add(stream, [
    fact("message.completed@1", { turnId, role: "assistant", ...small("I look.") }),
    fact("tool.called@1", { ...called, kind: "read", input: small("{}") }),
    fact("step.ended@1", {
      ...{ turnId, stepId: "s1", model, usage, costMicroUsd: 4200, stop: "tool_calls", error: null },
      parts: [
        { kind: "text", meta: null },
        { kind: "call", callId: "c5", name: "read", meta: { signature: "x" } },
      ],
      firstTokenMs: 310,
      ms: 1900,
    }),
    fact("tool.ended@1", {
      ...called,
      outcome: "done",
      diffs: [],
      output: small("a picture"),
      images: [{ blob: image, mediaType: "image/png", bytes: 5 }],
    }),
  ]);
  await add(stream, [fact("turn.resumed@1", { turnId, reason: "the daemon ended" }), step(turnId, "s2", ["steer-1"])]);
  await add(stream, [
    fact("step.ended@1", {
      ...{ turnId, stepId: "s2", model, usage, costMicroUsd: null, stop: "error", parts: [], firstTokenMs: null },
      error: { class: "overflow", message: "The window is full." },
      ms: 12,
    }),
    fact("context.compacted@1", {
      ...{ turnId, summary: small("It looked around."), keptFrom: null, tokensBefore: 9000, tokensAfter: 900 },
      ...{ reason: "overflow", strategy: "summary", focus: "the tests", isSplitTurn: true },
      files: { read: ["dot.png"], modified: ["a.txt"] },
    }),
    fact("context.branched@1", {
      ...{ turnId, from: newId(), summary: small("It went nowhere.") },
      files: { read: ["b.txt"], modified: [] },
    }),
  ]);
  await add(stream, [
    fact("turn.ended@1", { turnId, outcome: "completed", error: null }),
    fact("turn.settled@1", { turnId }),
    fact("turn.admitted@1", { turnId: parked, prompt: "Go on", blob: null, bytes: 5, queued: false }),
    fact("turn.started@1", { turnId: parked }),
  ]);
  const until = new Date(clockMs + 3_600_000).toISOString();
  const limit = { until, reason: "The weekly limit is reached", nextTurnId: "turn-7" };
  await add(stream, [fact("quota.reached@1", { ...limit, turnId: parked, onReset: "resume" })]);
  await add(stream, [fact("quota.reset@1", { turnId: parked })]);
  await add(stream, [fact("turn.ended@1", { turnId: parked, outcome: "completed", error: null })]);
  await add(stream, [fact("driver.switched@1", { adapter: "demo", agent: "demo" })]);
  const waiting = { turnId: "turn-8", prompt: "And now", blob: null, bytes: 7, queued: false };
  await add(stream, [fact("turn.admitted@1", waiting), fact("turn.started@1", { turnId: "turn-8" })]);
  await add(stream, [fact("quota.reached@1", { ...limit, turnId: "turn-8", onReset: "tell" })]);
}

/** A session in a worktree whose scope was widened, and the one that continued there. */
async function writeTrees(add: Add): Promise<void> {
  const [first, second] = [newId(), newId()];
  const turnId = "turn-4";
  const where = { worktreeId: first, path: `worktrees/${first}/tree`, branch: "nomos/wise-heron-12" };
  const spec = { ...SPEC, external: null, cwd: where.path };
  await add(sessionStream(first), [
    fact("session.opened@1", { spec: { ...spec, name: "wise-heron-12" }, label: null }),
    fact("worktree.created@1", { ...where, base: "a".repeat(40), repository: "ground" }),
    fact("turn.admitted@1", { turnId, prompt: "Look", blob: null, bytes: 4, queued: false }),
    fact("session.started@1", { continuity: "fresh" }),
    fact("turn.started@1", { turnId }),
  ]);
  const action = { verb: "scope.widen", resource: "README.md\ndocs/a.md" };
  const detail = { command: "ls", path: "README.md", diff: "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-a\n+b\n" };
  await add(sessionStream(first), [
    fact("scope.reverted@1", { turnId, files: [{ path: "README.md", rule: "no_rule" }], more: 1 }),
    fact("turn.ended@1", { turnId, outcome: "completed", error: null }),
    fact("approval.requested@1", { ...QUESTION, approvalId: "a3", turnId, effectId: null, action, detail }),
  ]);
  await add(sessionStream(first), [
    fact("approval.answered@1", { approvalId: "a3", turnId, status: "approved", option: null, reason: null }),
    fact("session.killed@1", { reason: "asked for" }),
    fact("worktree.kept@1", { worktreeId: first, work: { untracked: ["notes.md"] } }),
  ]);
  await add(sessionStream(second), [
    fact("session.opened@1", { spec: { ...spec, name: "wise-heron-13" }, label: null }),
    fact("worktree.attached@1", where),
  ]);
  await add(sessionStream(first), [fact("worktree.removed@1", { worktreeId: first })]);
  const files = [{ path: "notes.md", change: "added" }] as const;
  const applied = { worktreeId: first, sessionId: first, repository: "ground", files, more: 2 };
  await add("system", [fact("worktree.applied@1", applied)]);
}

async function writeEnds(add: Add): Promise<void> {
  const ends: readonly (readonly AnyFact[])[] = [
    [
      fact("session.exited@1", { exitCode: 3 }),
      fact("session.archived@1", {
        archive: { file: "golden.jsonl.zst", sha256: "e".repeat(64), bytes: 120 },
        events: 2,
      }),
    ],
    [fact("session.failed@1", { code: "driver_failed", message: "it broke" })],
    [fact("session.killed@1", { reason: "asked for" }), fact("session.forgotten@1", {})],
  ];
  for (const [n, facts] of ends.entries())
    await add(sessionStream(newId()), [
      fact("session.opened@1", { spec: { ...SPEC, name: `keen-crane-0${n}` }, label: null }),
      ...facts,
    ]);
}

async function writeFork(log: Store, add: Add, parent: string): Promise<void> {
  const at = await eventAt(log, parent, 12);
  const own = newId();
  const from = {
    sessionId: parent.slice(sessionStream("").length),
    stream: parent,
    version: at.version,
    eventId: at.id,
  };
  const view = inheritView((await stateAt(log, parent, at.version)).view, from, sessionStream(own));
  const forked = fact("session.forked@1", {
    spec: { ...SPEC, name: "brave-lynx-03" },
    label: "a fork",
    from,
    root: from.sessionId,
    view,
  });
  const part = { stream: sessionStream(own), expectedVersion: 0, events: [newEvent(forked)], continues: from };
  await log.append([part], { fence: 1 });
  await add(sessionStream(own), [fact("session.started@1", { continuity: "native" })]);
}

async function append(
  log: Store,
  stream: string,
  facts: readonly AnyFact[],
  options: AppendOptions,
): Promise<readonly RecordedEvent[]> {
  return log.append([{ stream, expectedVersion: await log.version(stream), events: facts.map(newEvent) }], options);
}

function newEvent(given: AnyFact): NewEvent {
  clockMs += 1000;
  return { id: newId(), at: new Date(clockMs).toISOString(), actor: "operator", cause: null, fact: given };
}

async function eventAt(log: Store, stream: string, version: number): Promise<RecordedEvent> {
  const [found] = (await log.readStream(stream, { after: (await log.seqAt(stream, version)) - 1, limit: 1 })).events;
  if (found === undefined) throw new Error(`${stream} has no event ${version}`);
  return found;
}

async function stateAt(log: Store, stream: string, version: number): Promise<SessionState> {
  return log.fold(Session, idIn(Session, stream) ?? "", version);
}

/** What later versions must still find: every event, every fold, every list. */
async function describeLog(log: Store): Promise<readonly object[]> {
  const { events, next } = await log.readAll({ limit: 1000 });
  const types = new Set(events.map(({ type }) => type));
  const absent = log.definitions.types.filter((type) => !types.has(type));
  if (next !== null || absent.length > 0) throw new Error(`the golden log has no ${absent.join(", ")}`);
  const folds = [];
  for (const stream of new Set(events.map((found) => found.stream)))
    folds.push({ stream, folded: await log.foldStream(stream) });
  const lists = [];
  for (const list of log.definitions.lists)
    for (const row of await log.rows(list, { limit: 100, ...(list === SESSIONS ? { where: { shown: true } } : {}) }))
      lists.push({ model: list.name, row });
  return [...events.map((found) => ({ event: found })), ...folds, ...lists];
}
