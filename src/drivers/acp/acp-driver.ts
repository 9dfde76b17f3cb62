import type { Clock } from "../../host/index.ts";
import type { SessionSpec } from "../../kernel/index.ts";
import { type AgentHost, type Driver, DriverError, HandshakeError, type TurnPort } from "../../turns/index.ts";
import { describedBy } from "../manifests/described-by.ts";
import { asHeld, given, type Manifest } from "../manifests/manifest.ts";
import type { Resolved } from "../manifests/resolve.ts";
import type { AgentPool, Seat } from "./agent-pool.ts";
import { startAgain } from "./start-again.ts";
import { STEP_TIMES, type StepTimes } from "./step-times.ts";

export interface AcpDriverParts {
  readonly manifest: Manifest;
  readonly pool: AgentPool;
  readonly host: AgentHost;
  readonly clock: Clock;
  /** Finds the program, or refuses with how to install it. Called at each start: it may be installed meanwhile. */
  readonly resolve: () => Promise<Resolved>;
  /** Our name and version, as told to the agent. */
  readonly version: string;
}

/**
 * A foreign agent over the Agent Client Protocol. Its process outlives the turn; the log outlives its process. What needs
 * the protocol's library is imported by the first turn: the library takes longer to load than most of the daemon.
 */
export function acpDriver(parts: AcpDriverParts): Driver {
  const { manifest, pool, resolve } = parts;
  return {
    ...describedBy(manifest, resolve),
    keeps: { release: pool.release, expect: pool.expect },
    runTurn: async (port) => {
      const { seat, told } = await seated(parts, port);
      const settings = { ...port.settings, mode: port.settings.mode ?? manifest.default_mode ?? null };
      const { runPrompt } = await import("./prompt-turn.ts");
      await runPrompt({ port, pool, seat, told, settings, times: timesOf(manifest), clock: parts.clock });
    },
  };
}

/** The session's place in a running agent, and the digest to tell it first if it remembers nothing. */
async function seated(parts: AcpDriverParts, port: TurnPort): Promise<{ readonly seat: Seat; readonly told: string }> {
  const { pool } = parts;
  const there = pool.seatOf(port.sessionId);
  if (there !== null && there.nativeId === port.past.nativeId) return { seat: there, told: "" };
  if (there !== null) await pool.release(port.sessionId);
  return orAbort(port, attach(parts, port, there === null ? null : "the session was moved to another point"), () =>
    pool.discard(port.sessionId),
  );
}

async function attach(parts: AcpDriverParts, port: TurnPort, why: string | null) {
  const { manifest, pool, host } = parts;
  const { argv, env, shown } = asHeld(manifest, port.spec, await parts.resolve());
  const times = timesOf(manifest);
  const order = {
    slug: manifest.id,
    label: port.sessionId,
    cwd: port.spec.cwd,
    argv,
    env: { ...env, ...(await port.secretVariables()) },
    shown,
    shared:
      manifest.capabilities.many_sessions &&
      !(mayDelegate(port.spec) || isWalled(port.spec) || endsWithTurns(port.spec) || hasSecrets(port.spec)),
    walledFor: isWalled(port.spec) ? { id: port.sessionId, spec: port.spec } : null,
    times,
    version: parts.version,
    acpVersion: manifest.acp_version,
  };
  const starts = startAgain(() => pool.process(port.sessionId, order), { clock: parts.clock, signal: port.signal });
  const agent = await inHandshake(starts);
  const tools = agent.info.mcpHttp ? host.tools(port.sessionId, port.isOnTicket) : null;
  try {
    const opening = {
      cwd: port.spec.cwd,
      tools,
      past: port.past,
      times,
      authMethod: manifest.auth?.method ?? null,
      loginSteps: manifest.auth?.login ?? [],
    };
    const { openNative } = await import("./native-session.ts");
    const native = await inHandshake(openNative(agent, opening));
    const { nativeId, continuity, offer } = native;
    const digest = continuity === "digest" ? await port.past.digest() : "";
    await port.record([
      {
        type: "driver.attached@1",
        data: {
          turnId: port.turnId,
          nativeId,
          continuity,
          reason: native.reason ?? why,
          program: agent.info.name,
          protocol: `acp/${agent.info.protocol}`,
          tools: tools !== null,
        },
      },
    ]);
    const endTools = () => tools?.end();
    const told = { amount: continuity === "native" ? await port.past.costTold() : 0 };
    const seat = pool.sit({ sessionId: port.sessionId, agent, nativeId, offer, told, endTools });
    return { seat, told: digest };
  } catch (thrown) {
    tools?.end();
    await pool.release(port.sessionId);
    throw thrown;
  }
}

/** Its token reaches other sessions, so no foreign tools run beside it. */
function mayDelegate({ delegates = [] }: SessionSpec): boolean {
  return delegates.length > 0;
}

/** A process behind one session's walls serves no other session. */
function isWalled({ sandbox }: SessionSpec): boolean {
  return sandbox === "strict";
}

/** What one session holds is nothing for the others of a shared process. */
function hasSecrets({ secrets = [] }: SessionSpec): boolean {
  return secrets.length > 0;
}

/** Ended after each turn, so that it writes nothing outside its scope after the judging. */
function endsWithTurns({ scope }: SessionSpec): boolean {
  return scope != null;
}

/** A problem that a person can fix, such as a missing login, is not a failed handshake: the next prompt may succeed. */
const HANDSHAKE_FAILURES: readonly string[] = ["agent_crashed", "agent_version", "driver_timeout", "not_acp"];

async function inHandshake<T>(work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown): never => {
    if (!(thrown instanceof DriverError) || !HANDSHAKE_FAILURES.includes(thrown.code)) throw thrown;
    throw new HandshakeError(thrown.code, thrown.message, thrown.details);
  });
}

/** A start that no caller waits for any more is undone. */
async function orAbort<T>(port: TurnPort, work: Promise<T>, undo: () => Promise<void>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(new DriverError("driver_failed", "interrupted while the agent was started"));
  port.signal.addEventListener("abort", onAbort, { once: true });
  if (port.signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted.promise]);
  } catch (thrown) {
    work.catch(() => undefined);
    if (port.signal.aborted) await undo();
    throw thrown;
  } finally {
    port.signal.removeEventListener("abort", onAbort);
  }
}

function timesOf({ timeouts }: Manifest): StepTimes {
  return { ...STEP_TIMES, ...given(timeouts) };
}
