import { createHash } from "node:crypto";
import { ZodError, type z } from "zod";
import { NomosError, type Progress, toNomosError } from "../contract/index.ts";
import { type Actor, belowSession, decideGate } from "../domains/index.ts";
import { canonicalJson, isUuid, type Json, LIMITS, SESSIONS } from "../kernel/index.ts";
import type { CallRef } from "../store/index.ts";
import { refuseBelow } from "../supervisor/index.ts";
import type { Context, Output, StreamItem, Syscall } from "./define.ts";
import { namedAmong, resolveNames, sessionNamed } from "./names.ts";
import type { Services } from "./services.ts";
import { unknownMembers } from "./unknown-members.ts";

export interface Request {
  readonly actor: Actor;
  readonly input: Record<string, unknown>;
  /** The caller's idempotency key, for writes. */
  readonly key: string | null;
  readonly signal: AbortSignal;
  readonly progress?: (progress: Progress) => void;
  /** The daemon calls for a session in its turn: there is no token that could end, the signal alone ends the call. */
  readonly isInside?: true;
  /** Called before the answer, also before a refusal, with the members that the syscall does not know and ignores. */
  readonly unknown?: (members: readonly string[]) => void;
}

/** The one entry for calls: parse, find the resource, ask the gate, run. Throws only `NomosError`s. */
export async function dispatch(services: Services, syscall: Syscall, request: Request): Promise<Output> {
  try {
    refuseUnwritable(request.input);
    tellUnknown(syscall, request);
    refuseMissing(syscall, request.input);
    const input: Record<string, unknown> = { ...parseInput(syscall.input, request.input) };
    await resolveNames(services, request.actor, syscall.names, input);
    const resource = await resourceOf(services, syscall, request.actor, input);
    const call = request.key === null || syscall.kind !== "write" ? null : callRef(services, syscall, request, input);
    const { actor, progress = () => undefined } = request;
    const welcome = request.isInside === true ? LASTING : whileGood(services, actor, syscall.kind);
    const signal = welcome.isLasting ? request.signal : AbortSignal.any([request.signal, welcome.signal]);
    const context: Context = { services, actor, call, signal, progress };
    try {
      await judge(syscall, resource, context);
      await refuseRights(syscall, input, context);
      const run = () => (syscall.heavy === true ? bounded(syscall, context, input) : syscall.run(context, input));
      const output = call === null ? await run() : await once(services, call, run);
      if (welcome.signal.aborted) throw new NomosError("unauthorized");
      return "stream" in output ? { stream: untilOver(output.stream, welcome) } : output;
    } catch (thrown) {
      welcome.stop();
      if (welcome.signal.aborted) throw new NomosError("unauthorized");
      const { code } = toNomosError(thrown);
      if (code === "sandbox_floor")
        await services.noteDenial({ verb: syscall.permission, resource, rules: [code] }, context);
      throw thrown;
    } finally {
      if (syscall.kind !== "stream") welcome.stop();
    }
  } catch (thrown) {
    const error = thrown instanceof ZodError ? invalid(thrown) : toNomosError(thrown);
    services.instruments.failed(error);
    throw error;
  }
}

function tellUnknown({ input }: Syscall, request: Request): void {
  const members = request.unknown === undefined ? [] : unknownMembers(input, request.input);
  if (members.length > 0) request.unknown?.(members);
}

function refuseMissing({ missing = {} }: Syscall, input: Record<string, unknown>): void {
  for (const [field, code] of Object.entries(missing))
    if (input[field] === undefined || input[field] === null || input[field] === "")
      throw new NomosError(code, { field });
}

/** Calls that take longer watch their token: if it ends meanwhile, the caller gets no answer. */
const LONG_CALL_MS = 500;

interface Welcome {
  /** True for the operator's calls: their signal never aborts. */
  readonly isLasting: boolean;
  /** Aborts when the caller's token is revoked or expires. */
  readonly signal: AbortSignal;
  readonly watch: () => void;
  readonly stop: () => void;
}

/** A welcome without an end. */
const LASTING: Welcome = {
  isLasting: true,
  signal: new AbortController().signal,
  watch: () => undefined,
  stop: () => undefined,
};

/** The operator's token cannot be revoked. */
const OPERATOR = "operator";

/** A stream or a long call ends when its token is revoked or expires. */
function whileGood({ tokens }: Services, { principal }: Actor, kind: Syscall["kind"]): Welcome {
  if (kind !== "stream" && principal === OPERATOR) return LASTING;
  const ended = new AbortController();
  let stopWatching = (): void => undefined;
  const watch = (): void => {
    stopWatching = tokens.watch(principal, () => ended.abort());
  };
  // A stream is watched only once it is read, so an unread stream holds no resources.
  const timer = kind === "stream" ? undefined : setTimeout(watch, LONG_CALL_MS);
  return {
    isLasting: false,
    signal: ended.signal,
    watch,
    stop: () => {
      clearTimeout(timer);
      stopWatching();
    },
  };
}

async function* untilOver(stream: AsyncIterable<StreamItem>, welcome: Welcome): AsyncGenerator<StreamItem> {
  welcome.watch();
  try {
    yield* stream;
  } finally {
    welcome.stop();
  }
}

/**
 * Whether this actor may call it for any resource; used to list capabilities. Asks the same gate as the call. A syscall that
 * is denied only for some inputs is listed, and refused when called with those.
 */
export function mayCall(
  { policy }: { readonly policy: Pick<Services["policy"], "current"> },
  syscall: Syscall,
  actor: Actor,
): boolean {
  const { about, permission, rights } = syscall;
  if (rights === "person" && (actor.floor ?? "off") !== "off") return false;
  const may = (resource: string) =>
    decideGate(actor, { verb: permission, resource, tool: null }, policy.current()).verdict === "allow";
  if (about === "system") return may(about);
  if (about !== "session") return may(about({}, actor));
  const own = actor.sessionId ?? "any";
  return may(`session/${own}`) || may(belowSession(own, "any"));
}

/** Also used for members that a surface adds, so that errors read the same. */
export function parseInput<S extends z.ZodObject>(schema: S, input: Record<string, unknown>): z.output<S> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw invalid(parsed.error);
  return parsed.data;
}

/**
 * Refuses text that cannot be a program's argument or that UTF-8 cannot encode, instead of changing it later. Also refuses
 * deep nesting, which would exhaust the stack.
 */
function refuseUnwritable(value: unknown, field = "", depth = 0): void {
  if (typeof value === "string") refuseText(value, field, field === "content");
  if (typeof value !== "object" || value === null) return;
  if (depth >= DEPTH_MAX)
    throw new NomosError("invalid_request", { problem: "nested too deeply", depthMax: DEPTH_MAX });
  for (const [key, member] of Object.entries(value)) {
    refuseText(key, `${field === "" ? "" : `${field}.`}(a name)`, false);
    refuseUnwritable(member, field === "" ? key : `${field}.${key}`, depth + 1);
  }
}

const DEPTH_MAX = 100;

function refuseText(text: string, field: string, mayHoldNul: boolean): void {
  const nul = text.includes("\0") && !mayHoldNul ? "a NUL byte" : null;
  const problem = text.isWellFormed() ? nul : "half of a surrogate pair";
  if (problem === null) return;
  throw new NomosError("invalid_request", { field, problem }, { message: `\`${field}\` holds ${problem}.` });
}

function invalid(error: ZodError): NomosError {
  const issues = error.issues.slice(0, 10).map(({ path, message }) => ({ field: path.join("."), message }));
  const first = issues[0];
  const message =
    first === undefined ? undefined : `${first.field === "" ? "The request" : `\`${first.field}\``}: ${first.message}`;
  return new NomosError("invalid_request", { issues }, message === undefined ? {} : { message });
}

async function judge(syscall: Syscall, resource: string, context: Context): Promise<void> {
  const { verdict, rules } = decideGate(
    context.actor,
    { verb: syscall.permission, resource, tool: null },
    context.services.policy.current(),
  );
  if (verdict === "allow") return;
  await context.services.noteDenial({ verb: syscall.permission, resource, rules }, context);
  throw new NomosError("denied", { capability: syscall.permission, rules: [...rules] });
}

/** Refuses a call that would exceed the token's floor, whatever its capabilities. */
async function refuseRights({ rights }: Syscall, input: Record<string, unknown>, context: Context): Promise<void> {
  const { services, actor } = context;
  // Whoever acts for a session is an agent, whatever was granted.
  if (rights === "person" && actor.sessionId !== null) return refuseBelow("strict", "off");
  if (rights === undefined || actor.floor === undefined) return;
  if (rights === "person") return refuseBelow(actor.floor, "off");
  if (rights !== "session") return;
  const session = await services.store.row(SESSIONS, String(input["id"]));
  if (session !== null) refuseBelow(actor.floor, session.sandbox);
}

/**
 * Replaces a short id, a name or a title with the full id. A session's own token reaches its session and those it started, and
 * gets the same answer for all others.
 */
async function resourceOf(
  services: Services,
  syscall: Syscall,
  actor: Actor,
  input: Record<string, unknown>,
): Promise<string> {
  if (syscall.about === "system") return "system";
  if (syscall.about !== "session") return syscall.about(input, actor);
  const given = actor.sessionId !== null && input["id"] === SELF ? actor.sessionId : String(input["id"]);
  if (actor.sessionId === null) {
    input["id"] = await sessionNamed(services, actor, given);
    return `session/${input["id"]}`;
  }
  const id = isUuid(given) ? given : await nameWithin(services, actor.sessionId, given);
  if (id !== null) input["id"] = id;
  if (id === actor.sessionId) return `session/${id}`;
  const isBelow = id !== null && (await services.delegation.isBelow(actor.sessionId, id));
  return isBelow ? belowSession(actor.sessionId, id) : "session/another";
}

/** Among a session and those it started: the others' names are not looked at. */
async function nameWithin({ store, delegation }: Services, own: string, given: string): Promise<string | null> {
  const ids = [own, ...(await delegation.below(own))];
  const rows = await Promise.all(ids.map((id) => store.row(SESSIONS, id)));
  return namedAmong(
    rows.filter((row) => row !== null && !row.forgotten).flatMap((row) => row ?? []),
    given,
  );
}

/** A session's own token uses this word for its session id. */
const SELF = "self";

async function bounded(syscall: Syscall, context: Context, input: unknown): Promise<Output> {
  const giveBack = context.actor.principal === OPERATOR ? () => undefined : context.services.heavy.take(context.actor);
  return syscall.run(context, input).finally(giveBack);
}

/** The key belongs to its principal. The request is compared by parsed input, not by spelling. */
function callRef(
  { fingerprints }: Pick<Services, "fingerprints">,
  syscall: Syscall,
  request: Request,
  input: Record<string, unknown>,
): CallRef {
  const key = request.key ?? "";
  if (key.length === 0 || key.length > LIMITS.idempotencyKeyChars)
    throw new NomosError("invalid_request", { field: "Idempotency-Key", maxChars: LIMITS.idempotencyKeyChars });
  const hidden = (syscall.confidential ?? []).flatMap((member) =>
    input[member] === undefined ? [] : [[member, fingerprints.digest(`${member} ${JSON.stringify(input[member])}`)]],
  );
  const asked: Json = JSON.parse(JSON.stringify({ ...input, ...Object.fromEntries(hidden) }));
  return {
    keyHash: sha256(`${request.actor.principal}\0${key}`),
    requestHash: sha256(`${syscall.name}\0${canonicalJson(asked)}`),
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Calls with the same key run one after another, so each finds the result of the one before. */
async function once(services: Services, call: CallRef, run: () => Promise<Output>): Promise<Output> {
  const { callsUnderWay } = services;
  for (let before = callsUnderWay.get(call.keyHash); before !== undefined; before = callsUnderWay.get(call.keyHash))
    await before.catch(() => undefined);
  const mine = run();
  callsUnderWay.set(call.keyHash, mine);
  return mine.finally(() => {
    if (callsUnderWay.get(call.keyHash) === mine) callsUnderWay.delete(call.keyHash);
  });
}
