import { within } from "../../commit/index.ts";
import { judgeChange, type ToolPolicy } from "../../domains/index.ts";
import type { HostProcess } from "../../host/index.ts";
import type { SessionSpec } from "../../kernel/index.ts";
import type { TurnPort } from "../../turns/index.ts";
import { createTurnPort, groundOf } from "../../turns/index.ts";
import type { Frame } from "./frames.ts";
import { createPermits } from "./permits.ts";
import { inputOf, pastOf } from "./turn-input.ts";
import type { SecretSources, TurnRunnerDeps } from "./turn-runner-deps.ts";
import type { Run } from "./turn-start.ts";
import { walledFiles } from "./walled-files.ts";

const TOOLS = ["run", "write", "process"] as const;
/** Time between an interrupt and the kill of a process. */
const INTERRUPT_GRACE_MS = 1000;

/** The turn port of one run of a turn. `cut`: the run is over, and another one goes on with the turn. */
export async function portFor(
  deps: TurnRunnerDeps,
  run: Run,
  cut: AbortSignal,
  outside: Map<string, string>,
): Promise<TurnPort> {
  const { state, turnId, controller, isResumed } = run;
  const { spec, id: sessionId } = state;
  if (spec === null) throw new Error("a session without a spec runs no turn");
  const walled = withWidened(spec, state.widened ?? []);
  const signal = AbortSignal.any([controller.signal, cut]);
  const toolPolicy = policiesOf((tool) => deps.toolPolicy(spec.agent, tool));
  await Promise.all(TOOLS.map(toolPolicy));
  const frame = (source: Frame["source"], text: string) => deps.frames.send({ sessionId, turnId, source, text });
  const spawn = (argv: readonly string[], stdin: "none" | "pipe", env = {}): HostProcess => {
    signal.throwIfAborted();
    const process = deps.processes.spawn(walled, sessionId, argv, stdin, env);
    const failed = (thrown: unknown) => deps.log("a process could not be ended", { sessionId, reason: String(thrown) });
    const stop = () => void process.stop({ graceMs: INTERRUPT_GRACE_MS }).catch(failed);
    signal.addEventListener("abort", stop, { once: true });
    return process;
  };
  const refusedOutside = (path: string, diff: string): void => {
    // A scope without a ticket was set for this session alone. What the law forbids is no question of any scope.
    if (isOnTicket(deps, sessionId) && deps.law?.forbids(sessionId, path, false) == null) outside.set(path, diff);
  };
  const { home } = deps.permissions;
  const ground = groundOf(spec, { home, files: deps.files, widened: [] });
  return createTurnPort({
    ...deps,
    committer: within(deps.committer, (reached) => controller.abort(reached)),
    sessionId,
    turnId,
    spec,
    signal,
    ...(await inputFor(deps, run)),
    isOnTicket: isOnTicket(deps, sessionId),
    past: await pastOf(deps.store, state),
    settings: state.driver?.settings ?? { mode: null, model: null, options: {} },
    permits: createPermits({
      toolPolicy: (tool) => deps.permissions.named(spec.agent, tool),
      unattended: () => deps.permissions.unattended(spec.adapter),
      refusedOutside,
      ground: async () => ({ ...ground, widened: (await deps.committer.sessionState(sessionId)).widened ?? [] }),
    }),
    ...{ ground, refusedOutside },
    answerWithinMs: deps.permissions.answerWithinMs,
    isResumed,
    frame,
    files: spec.sandbox === "strict" ? walledFiles(deps.files, spawn) : deps.files,
    spawn,
    ...secretsOf(deps.secrets, sessionId, spec),
    toolPolicy,
    hostProcess: (argv, env, shown, programs) =>
      deps.processes.spawnDriver(walled, sessionId, argv, env, shown, programs),
  });
}

/** Known once the law is ready, which it is before a turn has its input. */
function isOnTicket({ law }: TurnRunnerDeps, sessionId: string): boolean {
  return law?.isOnTicket(sessionId) === true;
}

/** The walls of a turn leave room for what a person allowed before it. What else they leave open is judged afterwards. */
function withWidened(spec: SessionSpec, widened: readonly string[]): SessionSpec {
  const { scope } = spec;
  if (scope === null || widened.length === 0) return spec;
  const deny = scope.deny.filter((pattern) => !widened.some((path) => covers(pattern, path)));
  return { ...spec, scope: { allow: [...scope.allow, ...widened], deny } };
}

/** A mount that keeps a folder would keep the file in it that a person allowed. */
const covers = (pattern: string, path: string): boolean =>
  judgeChange(path, { allow: ["**"], deny: [pattern] }).verdict === "deny";

/** The turn's prompt, after what its agent should know. */
async function inputFor({ store, advisories, law }: TurnRunnerDeps, run: Run): ReturnType<typeof inputOf> {
  const input = await inputOf(store, run.eventId);
  // No driver gets a port, and so none acts, before the gate knows the law.
  await law?.ready(run.state);
  const advice = await advisories.atStart(run.state, run.turnId, run.driver, run.isResumed);
  return advice === null ? input : { ...input, prompt: `${advice}\n\n${input.prompt}` };
}

/** Read when the first process of a run needs them; the others of the run get the same. */
function secretsOf(sources: SecretSources, sessionId: string, spec: SessionSpec) {
  let own: ReturnType<SecretSources["ofSession"]> | null = null;
  const commandVariables = () => {
    own ??= sources.ofSession(sessionId, spec);
    return own;
  };
  const secretVariables = async () => ({
    ...(await sources.ofDriver(sessionId, spec)),
    ...(await commandVariables()),
  });
  return { commandVariables, secretVariables };
}

/** A turn keeps the tool policies it started with. Each is read when the tool is first used. */
function policiesOf(read: (tool: string) => Promise<ToolPolicy>): (tool: string) => Promise<ToolPolicy> {
  const policies = new Map<string, Promise<ToolPolicy>>();
  return (tool) => {
    const policy = policies.get(tool) ?? read(tool);
    if (policies.size < TOOLS_MAX) policies.set(tool, policy);
    return policy;
  };
}

const TOOLS_MAX = 1000;
