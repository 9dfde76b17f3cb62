import fc from "fast-check";
import {
  AGENT_EVENTS,
  CONFLICT_EVENTS,
  FANOUT_EVENTS,
  LANDING_EVENTS,
  SECRET_EVENTS,
  SYSTEM_EVENTS,
  TICKET_EVENTS,
  TOKEN_EVENTS,
  WORK_EVENTS,
} from "../../src/domains/index.ts";
import {
  type CustomFact,
  type DataOf,
  type FactOf,
  factsOf,
  type Json,
  type Question,
  SESSION_EVENTS,
  type View,
} from "../../src/kernel/index.ts";
import { CONFLICT_FACTS } from "./conflict-facts.ts";
import { FANOUT_FACTS } from "./fanout-facts.ts";
import { GOVERNED_FACTS } from "./governed-facts.ts";
import { SPEC } from "./kernel-model.ts";
import { TICKET_FACTS } from "./ticket-facts.ts";
import { WORK_FACTS } from "./work-facts.ts";

/** Any JSON value. */
export const jsons: fc.Arbitrary<Json> = fc.json().map((json): Json => JSON.parse(json));

/**
 * Few ids, so that facts refer to each other; and inherited names such as `constructor`, which a careless lookup would
 * find.
 */
const awkward = ["constructor", "__proto__", "toString"] as const;
export const TURN_IDS = ["t1", "t2", "t3", ...awkward] as const;
export const EFFECT_IDS = ["e1", "e2", "e3", ...awkward] as const;
export const APPROVAL_IDS = ["a1", "a2", "a3", ...awkward] as const;

const text = fc.string({ maxLength: 8 });
const turnId = fc.constantFrom(...TURN_IDS);
const maybeTurn = fc.option(turnId, { nil: null });
const effectId = fc.constantFrom(...EFFECT_IDS);
const approvalId = fc.constantFrom(...APPROVAL_IDS);
const label = fc.option(text, { nil: null });
const body = { text, blob: fc.constant(null), bytes: fc.nat() };
const nothing: fc.Arbitrary<Record<string, never>> = fc.constant({});
const path = fc.constantFrom("a", "b/c", ...awkward);
const version = fc.integer({ min: 1, max: 9 });
const continuity = fc.constantFrom("fresh", "native", "digest");
const redo = fc.constantFrom("safe", "ask", "failed");
const todo = fc.array(fc.record({ text, status: fc.constantFrom("open", "active", "done") }), { maxLength: 3 });
const artifact = fc.record({ version, blob: text, bytes: fc.nat(), mediaType: text });
const places = fc.array(fc.record({ path: text, line: fc.option(fc.nat(), { nil: null }) }), { maxLength: 2 });
const fence = fc.integer({ min: 1, max: 5 });
const sealedValue = { valueId: text, bytes: fc.nat(), fingerprint: text };
const bindings = fc.array(fc.record({ host: text }), { maxLength: 2 });

const views: fc.Arbitrary<View> = fc.record({
  path: fc.constant([{ kind: "own", stream: "session/s", from: 1, to: null }]),
  artifacts: fc.dictionary(path, fc.record({ artifactId: text, versions: fc.array(artifact, { maxLength: 3 }) }), {
    maxKeys: 3,
  }),
  todo,
});

/** A record with a member that may be absent. */
function withOptional<T, K extends string, V>(all: fc.Arbitrary<T>, key: K, value: fc.Arbitrary<V>) {
  const absent: { readonly [P in K]?: V } = {};
  const member = fc.oneof(
    fc.constant(absent),
    value.map((given) => ({ [key]: given }) as { readonly [P in K]?: V }),
  );
  return fc.tuple(all, member).map(([record, optional]) => ({ ...record, ...optional }));
}

const question: fc.Arbitrary<Question> = withOptional(
  fc.record({
    approvalId,
    turnId,
    question: text,
    options: fc.constant(["yes", "always"]),
    action: fc.option(fc.record({ verb: text, resource: text }), { nil: null }),
    effectId: fc.option(effectId, { nil: null }),
    checkpoint: jsons,
  }),
  "detail",
  fc.record({ command: text, path: text, diff: text }),
);

const preparedLanding = fc.record({
  base: text,
  commit: text,
  commits: fc.array(text, { minLength: 1, maxLength: 3 }),
});

const EVENTS = {
  ...SESSION_EVENTS,
  ...AGENT_EVENTS,
  ...TOKEN_EVENTS,
  ...SECRET_EVENTS,
  ...CONFLICT_EVENTS,
  ...FANOUT_EVENTS,
  ...LANDING_EVENTS,
  ...SYSTEM_EVENTS,
  ...TICKET_EVENTS,
  ...WORK_EVENTS,
};
type Events = typeof EVENTS;
type EventType = keyof Events;
const fact = factsOf(EVENTS);

/** Data for every fact; the compiler compares the list with the definitions. */
const DATA: { readonly [K in EventType]: fc.Arbitrary<DataOf<Events[K]>> } = {
  "session.opened@1": fc.record({ spec: fc.constant(SPEC), label }),
  "session.forked@1": fc.record({
    spec: fc.constant(SPEC),
    label,
    from: fc.record({ sessionId: text, stream: text, version, eventId: text }),
    root: text,
    view: views,
  }),
  "session.started@1": fc.record({ continuity }),
  "session.suspended@1": fc.record({ reason: text }),
  "session.resumed@1": nothing,
  "session.hibernated@1": fc.record({ reason: text }),
  "session.woken@1": fc.record({ continuity }),
  "session.exited@1": fc.record({ exitCode: fc.constantFrom(0, null) }),
  "session.killed@1": fc.record({ reason: text }),
  "session.failed@1": fc.record({ code: text, message: text }),
  "session.forgotten@1": nothing,
  "session.labelled@1": fc.record({ label }),
  "session.titled@1": fc.record({ title: label }),
  "point.labelled@1": fc.record({ eventId: text, label }),
  "session.archived@1": fc.record({
    archive: fc.option(fc.record({ file: text, sha256: text, bytes: fc.nat() }), { nil: null }),
    events: fc.nat(),
  }),
  "session.rewound@1": fc.record({ to: fc.record({ stream: text, version, eventId: text }), view: views }),
  "session.delegated@1": fc.record({ childId: text, agent: text, ended: fc.array(text, { maxLength: 3 }) }),
  "turn.admitted@1": withOptional(
    fc.record({ turnId, prompt: text, blob: fc.constant(null), bytes: fc.nat(), queued: fc.boolean() }),
    "title",
    text,
  ),
  "turn.started@1": fc.record({ turnId }),
  "turn.ended@1": fc.record({
    turnId,
    outcome: fc.constantFrom("completed", "failed", "interrupted", "cancelled"),
    error: fc.constant(null),
  }),
  "turn.interrupt_requested@1": fc.record({ turnId }),
  "turn.steered@1": fc.record({ turnId, steerId: text, ...body }),
  "turn.resumed@1": fc.record({ turnId, reason: text }),
  "turn.settled@1": fc.record({ turnId }),
  "step.started@1": fc.record({
    turnId,
    stepId: text,
    model: text,
    purpose: fc.constantFrom("answer", "compaction", "branch"),
    attempt: fc.nat(),
    steers: fc.array(text, { maxLength: 2 }),
  }),
  "step.ended@1": fc.record({
    turnId,
    stepId: text,
    model: text,
    usage: fc.record({ input: fc.nat(), output: fc.nat(), cacheRead: fc.nat(), cacheWrite: fc.nat() }),
    costMicroUsd: fc.option(fc.nat(), { nil: null }),
    stop: fc.constantFrom("stop", "tool_calls", "error"),
    parts: fc.constant([]),
    error: fc.constant(null),
    firstTokenMs: fc.constant(null),
    ms: fc.nat(),
  }),
  "context.composed@1": fc.record({ turnId, parts: fc.constant([]) }),
  "context.compacted@1": fc.record({
    turnId,
    summary: fc.record(body),
    keptFrom: fc.option(text, { nil: null }),
    tokensBefore: fc.nat(),
    tokensAfter: fc.nat(),
    reason: fc.constantFrom("threshold", "overflow", "asked"),
    strategy: text,
    focus: fc.constant(null),
    isSplitTurn: fc.boolean(),
    files: fc.constant({ read: [], modified: [] }),
  }),
  "context.branched@1": fc.record({
    turnId,
    from: text,
    summary: fc.record(body),
    files: fc.constant({ read: [], modified: [] }),
  }),
  "quota.reached@1": fc.record({
    turnId,
    until: fc.constant("2026-11-18T00:00:00.000Z"),
    reason: text,
    onReset: fc.constantFrom("resume", "continue", "tell"),
    nextTurnId: text,
  }),
  "quota.reset@1": fc.record({ turnId }),
  "driver.switched@1": fc.record({ adapter: text, agent: text }),
  "message.completed@1": fc.record({ turnId, role: fc.constantFrom("assistant", "thought"), ...body }),
  "effect.intended@1": fc.record({
    effectId,
    turnId,
    kind: fc.constantFrom("run", "write", "process"),
    detail: jsons,
    redo,
    verdict: fc.constantFrom("allow", "ask"),
    rules: fc.array(text, { maxLength: 2 }),
  }),
  "effect.begun@1": fc.record({ effectId, turnId, fence }),
  "effect.output@1": fc.record({ effectId, turnId, stream: fc.constantFrom("stdout", "stderr"), ...body }),
  "effect.settled@1": fc.record({
    effectId,
    turnId,
    outcome: fc.constantFrom("done", "failed", "refused", "unknown"),
    exitCode: fc.constant(null),
    message: label,
    redo: fc.option(redo, { nil: null }),
  }),
  "approval.requested@1": question,
  "approval.answered@1": fc.record({
    approvalId,
    turnId,
    status: fc.constantFrom("approved", "rejected"),
    option: fc.constantFrom("yes", "always", null),
    reason: label,
  }),
  "approval.joined@1": fc.record({ approvalId, turnId, joinId: text }),
  "gate.allowed@1": fc.record({ turnId, verb: text, resource: text, rules: fc.array(text, { maxLength: 2 }) }),
  "approval.closed@1": fc.record({ approvalId, turnId, status: fc.constantFrom("cancelled", "expired") }),
  "artifact.written@1": fc.record({
    version,
    blob: text,
    bytes: fc.nat(),
    mediaType: text,
    path,
    artifactId: text,
    turnId: maybeTurn,
  }),
  "todo.replaced@1": fc.record({ items: todo, turnId: maybeTurn }),
  "gate.denied@1": fc.record({
    verb: text,
    resource: text,
    rules: fc.array(text, { maxLength: 2 }),
    turnId: maybeTurn,
  }),
  "data.erased@1": fc.record({ events: fc.array(text, { maxLength: 2 }), reason: text }),
  "agent.created@1": fc.record({
    slug: text,
    name: text,
    driver: text,
    tools: fc.dictionary(text, fc.constantFrom("auto", "on_demand", "always_ask", "never"), { maxKeys: 2 }),
    builtIn: fc.boolean(),
  }),
  "agent.deleted@1": nothing,
  "agent.defaulted@1": fc.record({ slug: text }),
  "token.issued@1": fc.record({
    tokenId: text,
    secretHash: text,
    label: text,
    capabilities: fc.array(text, { maxLength: 2 }),
    sessionId: label,
    expiresAtMs: fc.option(fc.nat(), { nil: null }),
  }),
  "token.revoked@1": nothing,
  "secret.sealed@1": fc.record({ name: text, scope: text, owner: text, bind: bindings, ...sealedValue }),
  "secret.rotated@1": fc.record(sealedValue),
  "secret.bound@1": fc.record({ bind: bindings }),
  "secret.used@1": fc.record({ use: text, sessionId: label }),
  "secret.removed@1": nothing,
  ...WORK_FACTS,
  ...CONFLICT_FACTS,
  ...FANOUT_FACTS,
  ...GOVERNED_FACTS,
  ...TICKET_FACTS,
  "landing.queued@1": fc.record({
    sessionId: text,
    turnId: label,
    worktreeId: text,
    repository: fc.record({ root: label, gitDir: text }),
    into: text,
    how: fc.constantFrom("merge", "rebase", "squash"),
    message: label,
    checks: fc.constant([["true"]]),
    pullRequest: label,
    captured: fc.record({ head: label, tree: text }),
    attempt: fc.nat(),
    attemptsMax: fc.nat(),
  }),
  "landing.started@1": nothing,
  "landing.prepared@1": preparedLanding,
  "landing.checked@1": fc.record({
    commit: text,
    checks: fc.array(fc.array(text, { maxLength: 2 }), { maxLength: 2 }),
  }),
  "landing.returned@1": fc.record({ reason: text }),
  "landing.landed@1": fc
    .tuple(
      preparedLanding,
      fc.record({
        files: fc.nat(),
        added: fc.nat(),
        removed: fc.nat(),
        checkMs: fc.nat(),
        lines: fc.option(fc.record({ blob: text })),
      }),
    )
    .map(([prepared, done]) => ({ ...prepared, ...done })),
  "landing.pushed@1": fc.record({ remote: text, branch: text, url: label, next: fc.array(text, { maxLength: 2 }) }),
  "landing.refused@1": fc.record({
    findings: fc.array(
      fc.record({ rule: fc.constantFrom("scope", "check"), path: text, message: text, remedy: text }),
      {
        maxLength: 3,
      },
    ),
    more: fc.nat(),
  }),
  "landing.told@1": fc.record({ turnId: text }),
  "landing.retried@1": fc.record({ landingId: text }),
  "landing.ejected@1": fc.record({ reason: text }),
  "landing.held@1": fc.record({ reason: text }),
  "landing.released@1": nothing,
  "landing.moved@1": fc.record({ place: text }),
  "policy.changed@1": fc.record({ hash: text, rules: fc.constant([]) }),
  "workspace.added@1": fc.record({ slug: text, path, label }),
  "workspace.removed@1": fc.record({ slug: text }),
  "workspace.used@1": fc.record({ slug: text }),
  "worktree.created@1": fc.record({
    worktreeId: text,
    path,
    branch: text,
    base: fc.option(text, { nil: null }),
    repository: path,
  }),
  "worktree.attached@1": fc.record({ worktreeId: text, path, branch: text }),
  "worktree.kept@1": fc.record({ worktreeId: text, work: fc.dictionary(text, text) }),
  "worktree.removed@1": fc.record({ worktreeId: text }),
  "scope.reverted@1": fc.record({
    turnId,
    files: fc.array(fc.record({ path, rule: text }), { maxLength: 3 }),
    more: fc.nat(),
  }),
  "call.made@1": fc.record({ syscall: text }),
  "call.begun@1": fc.record({ syscall: text }),
  "worktree.applied@1": fc.record({
    ...{ worktreeId: text, sessionId: text, repository: path, more: fc.nat() },
    files: fc.array(fc.record({ path, change: fc.constantFrom("added", "changed", "deleted") }), { maxLength: 3 }),
  }),
  "log.exported@1": fc.record({ path: text, size: fc.nat() }),
  "log.backed_up@1": fc.record({
    path: text,
    size: fc.nat(),
    root: text,
    blobs: fc.nat(),
    missingBlobs: fc.nat(),
    bytes: fc.nat(),
  }),
  "log.restored@1": fc.record({
    from: text,
    madeAt: text,
    size: fc.nat(),
    root: text,
    fence,
    newer: fc.option(fc.record({ size: fc.nat(), root: text }), { nil: null }),
  }),
  "log.compared@1": fc.record({
    size: fc.nat(),
    root: text,
    answers: fc.array(
      fc.record({
        kind: fc.constantFrom("git", "witness"),
        where: text,
        verdict: fc.constantFrom("agrees", "newer", "contradicts", "knows nothing", "unreachable"),
        size: fc.option(fc.nat(), { nil: null }),
        root: label,
        problem: label,
      }),
      { maxLength: 3 },
    ),
    forced: fc.boolean(),
  }),
  "log.collected@1": fc.record({
    maxAgeDays: fc.nat(),
    sessions: fc.array(
      fc.record({ id: text, name: text, endedAt: text, events: fc.nat(), bytes: fc.nat(), archive: label }),
      { maxLength: 2 },
    ),
    events: fc.nat(),
    bytes: fc.nat(),
    blobs: fc.nat(),
    blobBytes: fc.nat(),
    more: fc.boolean(),
  }),
  "log.scanned@1": fc.record({
    sessionId: label,
    all: fc.boolean(),
    erase: fc.boolean(),
    vault: fc.constantFrom("open", "locked"),
    looked: fc.record({ events: fc.nat(), blobs: fc.nat(), files: fc.nat(), bytes: fc.nat() }),
    count: fc.nat(),
    secrets: fc.constant([]),
    moreSecrets: fc.nat(),
    places: fc.constant([]),
    next: fc.option(fc.nat(), { nil: null }),
    files: fc.constant([]),
    moreFiles: fc.nat(),
    unread: fc.array(fc.record({ as: text, count: fc.nat(), names: fc.array(text, { maxLength: 2 }) }), {
      maxLength: 2,
    }),
    erased: fc.record({ events: fc.nat(), streams: fc.nat() }),
    left: fc.array(fc.record({ stream: text, events: fc.nat(), code: text }), { maxLength: 2 }),
    more: fc.boolean(),
  }),
  "lease.acquired@1": fc.record({ resource: text, holder: text, fence }),
  "lease.released@1": fc.record({ resource: text, fence }),
  "driver.attached@1": fc.record({
    turnId,
    nativeId: text,
    continuity,
    reason: label,
    program: text,
    protocol: text,
    tools: fc.boolean(),
  }),
  "driver.configured@1": fc.record({ mode: label, model: label, options: fc.dictionary(path, text, { maxKeys: 2 }) }),
  "driver.offered@1": fc.record({
    turnId,
    mode: label,
    modes: fc.array(fc.record({ id: text, name: text }), { maxLength: 2 }),
    options: fc.array(
      fc.record({ id: text, name: text, category: label, current: text, values: fc.array(text, { maxLength: 2 }) }),
      { maxLength: 2 },
    ),
    commands: fc.array(fc.record({ name: text, description: text }), { maxLength: 2 }),
  }),
  "driver.noticed@1": fc.record({
    turnId,
    severity: fc.constantFrom("info", "warning", "error"),
    title: text,
    body: fc.option(fc.record(body), { nil: null }),
  }),
  "driver.update_kept@1": fc.record({ turnId, kind: text, ...body }),
  "tool.called@1": fc.record({
    turnId,
    callId: text,
    title: text,
    kind: text,
    places,
    input: fc.option(fc.record(body), { nil: null }),
  }),
  "tool.ended@1": fc.record({
    turnId,
    callId: text,
    title: text,
    outcome: fc.constantFrom("done", "failed", "unknown"),
    places,
    diffs: fc.array(fc.record({ path: text, before: fc.constant(null), after: fc.record(body) }), { maxLength: 1 }),
    output: fc.option(fc.record(body), { nil: null }),
  }),
  "usage.reported@1": withOptional(
    fc.record({
      turnId,
      contextTokens: fc.option(fc.nat(), { nil: null }),
      contextMax: fc.option(fc.nat(), { nil: null }),
      inputTokens: fc.option(fc.nat(), { nil: null }),
      outputTokens: fc.option(fc.nat(), { nil: null }),
      cost: fc.option(fc.record({ amount: fc.nat(), currency: text }), { nil: null }),
    }),
    "spent",
    fc.record({
      input: fc.nat(),
      output: fc.nat(),
      cacheRead: fc.nat(),
      cacheWrite: fc.nat(),
      costMicroUsd: fc.option(fc.nat(), { nil: null }),
    }),
  ),
  "snapshot.taken@1": fc.record({
    turnId: maybeTurn,
    occasion: fc.constantFrom("turn_start", "turn_end", "asked", "rewind"),
    snapshot: text,
    files: fc.nat(),
    directories: fc.nat(),
    bytes: fc.nat(),
    storedBytes: fc.nat(),
    changed: fc.option(fc.nat(), { nil: null }),
    leftOut: fc.record({ count: fc.nat(), first: fc.array(fc.record({ path: text, why: text }), { maxLength: 1 }) }),
    special: fc.array(text, { maxLength: 1 }),
    unsettled: fc.array(text, { maxLength: 1 }),
    tookMs: fc.nat(),
  }),
  "snapshot.skipped@1": fc.record({ turnId: maybeTurn, code: text, reason: text }),
  "restore.begun@1": fc.record({ from: text, to: text }),
  "restore.settled@1": fc.record({
    outcome: fc.constantFrom("restored", "rolled_back"),
    from: text,
    to: text,
    changed: fc.nat(),
    notRestored: fc.array(text, { maxLength: 1 }),
    reason: label,
  }),
  "turn.attached@1": fc.record({
    turnId,
    items: fc.array(
      fc.record({
        kind: fc.constantFrom("image", "resource", "link"),
        name: text,
        mediaType: text,
        uri: label,
        blob: fc.constant(null),
        bytes: fc.nat(),
      }),
      { maxLength: 2 },
    ),
  }),
};

/** Every type that the compiler knows; compared with the list of definitions. */
export const TYPES_WITH_DATA: readonly EventType[] = Object.keys(DATA).filter(isEventType);

const customFacts: fc.Arbitrary<CustomFact> = fc.record({
  type: fc.constantFrom("x.note@1", "x.@1", "x.SHOUTED name@1"),
  data: fc.record({ turnId: maybeTurn, payload: jsons }),
});

/** Any fact, also erased ones, whether or not it makes sense at its place. */
export const anyFacts: fc.Arbitrary<FactOf<Events> | CustomFact | null> = fc.oneof(
  { arbitrary: fc.oneof(...TYPES_WITH_DATA.map(factOf)), weight: TYPES_WITH_DATA.length },
  { arbitrary: customFacts, weight: 1 },
  { arbitrary: fc.constant(null), weight: 1 },
);

/** Facts of some types only. */
export function factsAmong<T extends EventType>(types: readonly T[]): fc.Arbitrary<FactOf<Pick<Events, T>>> {
  return fc.oneof(...types.map(factOf));
}

function factOf<T extends EventType>(type: T): fc.Arbitrary<FactOf<Pick<Events, T>>> {
  return DATA[type].map((data) => fact(type, data));
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(DATA, type);
}
