import { type ClientConnection, client, RequestError } from "@agentclientprotocol/sdk";
import type { Clock, HostProcess, ProcessMark } from "../../host/index.ts";
import { memberOf } from "../../kernel/index.ts";
import type { Redactor } from "../../redaction/index.ts";
import { DriverError } from "../../turns/index.ts";
import { createPrinted, type Printed } from "../printed.ts";
import { type AcpVersion, type AgentInfo, initialized } from "./handshake.ts";
import { messageStream } from "./message-stream.ts";
import type { StepTimes } from "./step-times.ts";

/** One running agent: its process, its connection, and the listeners of its sessions. */
export interface AgentProcess {
  readonly info: AgentInfo;
  /** Null while it runs; otherwise why it ended. */
  readonly ending: () => string | null;
  readonly ended: Promise<string>;
  /** Resolves with the agent's answer, or throws a `DriverError` that names the step that took too long. */
  readonly request: (method: string, params: object, timeMaxMs: number) => Promise<unknown>;
  readonly notify: (method: string, params: object) => Promise<void>;
  /** At most one listener per session. Returns a function that stops listening. */
  readonly listen: (nativeId: string, listener: SessionListener) => () => void;
  readonly printed: Printed;
  readonly mark: () => ProcessMark;
  /** Ends everything that was started since. */
  readonly endSince: (mark: ProcessMark) => Promise<void>;
  readonly stop: (graceMs: number, why: string) => Promise<void>;
}

export interface SessionListener {
  readonly onUpdate: (update: unknown) => void;
  /** Answers a request of the agent; an exception becomes a protocol error. */
  readonly onRequest: (method: string, params: unknown) => Promise<unknown>;
  /** Pending while too much is queued. */
  readonly ready: () => Promise<void>;
}

const BREACH_GRACE_MS = 200;
/**
 * Updates of a session without a listener are dropped: the replay of a loaded session, or late output of an ended turn.
 * Only offers are kept for the next listener, because they can come at any time.
 */
const OFFERS: readonly unknown[] = ["available_commands_update", "current_mode_update", "config_option_update"];
const EARLY_UPDATES_MAX = 100;

/** Resolves after the handshake; an agent that fails it is ended and refused. */
export async function startAgent(
  process: HostProcess,
  options: {
    readonly slug: string;
    readonly clock: Clock;
    readonly times: StepTimes;
    readonly version: string;
    readonly acpVersion: AcpVersion;
    readonly redactor: Redactor;
  },
): Promise<AgentProcess> {
  const { clock, slug } = options;
  const printed = createPrinted(options.redactor);
  const listeners = new Map<string, SessionListener>();
  const early = new Map<string, unknown[]>();
  const over = Promise.withResolvers<string>();
  let ending: string | null = null;

  const end = (why: string): void => {
    ending ??= why;
    over.resolve(ending);
  };
  const breach = (problem: string): void => {
    end(`${slug} broke the protocol: ${problem}`);
    process.stop({ graceMs: BREACH_GRACE_MS }).catch((thrown: unknown) => printed.add("noise", String(thrown)));
  };
  const onNotification = (method: string, params: unknown): void => {
    const nativeId = memberOf(params, "sessionId");
    if (method !== "session/update" || typeof nativeId !== "string") {
      printed.add("noise", `[${method}]`);
      return;
    }
    const listener = listeners.get(nativeId);
    listener?.onUpdate(memberOf(params, "update"));
    const waiting = early.get(nativeId) ?? [];
    const isOffer = OFFERS.includes(memberOf(memberOf(params, "update"), "sessionUpdate"));
    if (listener === undefined && isOffer && waiting.length < EARLY_UPDATES_MAX && early.size < EARLY_UPDATES_MAX)
      early.set(nativeId, [...waiting, memberOf(params, "update")]);
  };
  const answer = (method: string, params: unknown): Promise<unknown> => {
    const nativeId = memberOf(params, "sessionId");
    const listener = typeof nativeId === "string" ? listeners.get(nativeId) : undefined;
    if (listener === undefined) throw RequestError.methodNotFound(method);
    return listener.onRequest(method, params);
  };

  const stream = messageStream(process, {
    onNotification,
    onNoise: (text) => printed.add("noise", text),
    onStderr: (text) => printed.add("stderr", text),
    onBreach: breach,
    ready: async () => {
      for (const listener of listeners.values()) await listener.ready();
    },
  });
  const connection: ClientConnection = client({ name: "nomos" })
    .onRequest("*", ({ params, method }: { params: unknown; method: string }) => answer(method, params))
    .connect(stream);
  void process.exited.then(
    ({ exitCode, signal, failure }) =>
      end(failure?.message ?? `${slug} ended ${exitCode === null ? `by ${signal ?? "a signal"}` : `with ${exitCode}`}`),
    (thrown: unknown) => end(String(thrown)),
  );
  void connection.closed.then(() => clock.after(CLOSED_GRACE_MS, () => breach("its output has ended")));

  const request = async (method: string, params: object, timeMaxMs: number): Promise<unknown> => {
    if (ending !== null) throw new DriverError("agent_crashed", ending);
    const late = notWithin(clock, timeMaxMs, `${slug} did not answer \`${method}\``, method);
    const dead = over.promise.then((why): never => {
      throw new DriverError("agent_crashed", `${why} during \`${method}\`${printed.tailText()}`, { step: method });
    });
    const answered = connection.agent.request<unknown, object>(method, params).catch(async (thrown: unknown) => {
      // The connection notices the end first, but knows the least about its cause.
      if (!(thrown instanceof RequestError)) return dead;
      throw thrown;
    });
    try {
      return await Promise.race([answered, late.promise, dead]);
    } finally {
      late.cancel();
    }
  };

  const stop = async (graceMs: number, why: string): Promise<void> => {
    end(why);
    await process.stop({ graceMs });
    connection.close();
  };
  const agent: Omit<AgentProcess, "info"> = {
    ending: () => ending,
    ended: over.promise,
    request,
    notify: async (method, params) => {
      if (ending === null) await connection.agent.notify(method, params).catch(() => undefined);
    },
    listen: (nativeId, listener) => {
      listeners.set(nativeId, listener);
      for (const update of early.get(nativeId) ?? []) listener.onUpdate(update);
      early.delete(nativeId);
      return () => {
        if (listeners.get(nativeId) === listener) listeners.delete(nativeId);
      };
    },
    printed,
    mark: process.mark,
    endSince: process.endSince,
    stop,
  };
  try {
    return { ...agent, info: await initialized(agent, options) };
  } catch (thrown) {
    await stop(BREACH_GRACE_MS, `${slug} could not be started`);
    throw thrown;
  }
}

/** A process that closes its output usually ends; one that does not is useless and is ended. */
const CLOSED_GRACE_MS = 500;

/** Rejects when the time is up, unless it is cancelled. */
function notWithin(
  clock: Clock,
  timeMaxMs: number,
  problem: string,
  step: string,
): { readonly promise: Promise<never>; readonly cancel: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(timeMaxMs, () =>
    reject(new DriverError("driver_timeout", `${problem} within ${timeMaxMs} ms`, { step, timeMaxMs })),
  );
  return { promise, cancel };
}
