import { RequestError } from "@agentclientprotocol/sdk";
import * as z from "zod";
import type { Continuity } from "../../kernel/index.ts";
import { DriverError, type Past } from "../../turns/index.ts";
import type { AgentProcess } from "./agent-process.ts";
import { agentSaid } from "./agent-said.ts";
import { createOffer, type Offer } from "./offer.ts";
import type { StepTimes } from "./step-times.ts";

/** A native session, and how it got its memory. */
export interface NativeSession {
  readonly nativeId: string;
  readonly continuity: Continuity;
  readonly reason: string | null;
  readonly offer: Offer;
}

export interface OpenOrder {
  readonly cwd: string;
  readonly tools: { readonly url: string; readonly token: string } | null;
  readonly past: Pick<Past, "nativeId" | "forkOf" | "isEmpty">;
  readonly times: StepTimes;
  /** The login method to use when the agent asks for a login; null: a person must log in. */
  readonly authMethod: string | null;
  readonly loginSteps: readonly string[];
}

const AUTH_REQUIRED = -32_000;

/** Resumes natively if the agent can and may; otherwise starts a new session, and the caller sends a digest. */
export async function openNative(agent: AgentProcess, order: OpenOrder): Promise<NativeSession> {
  const { past } = order;
  if (past.nativeId !== null) {
    const back = await resume(agent, order, past.nativeId);
    if ("nativeId" in back) return back;
    return create(agent, order, back.failed);
  }
  if (past.forkOf !== null && agent.info.forks) {
    const forked = await fork(agent, order, past.forkOf);
    if ("nativeId" in forked) return forked;
    return create(agent, order, forked.failed);
  }
  return create(agent, order, past.isEmpty ? null : "there is no session of the agent's own to go on with");
}

type Tried = NativeSession | { readonly failed: string };

async function resume(agent: AgentProcess, order: OpenOrder, sessionId: string): Promise<Tried> {
  const { resumes, loads } = agent.info;
  if (!resumes && !loads) return { failed: "the agent can neither resume nor load a session" };
  const params = { sessionId, ...placeOf(agent, order) };
  return tried(async () => {
    // `load` repeats the whole history, which is ignored here; `resume` does not, and is preferred.
    const answer = await loggedIn(agent, order, () =>
      agent.request(resumes ? "session/resume" : "session/load", params, order.times.loadMs),
    );
    return native(sessionId, "native", null, answer);
  });
}

async function fork(agent: AgentProcess, order: OpenOrder, sessionId: string): Promise<Tried> {
  return tried(async () => {
    const answer = await loggedIn(agent, order, () =>
      agent.request("session/fork", { sessionId, ...placeOf(agent, order) }, order.times.loadMs),
    );
    return native(idIn(answer), "native", "forked by the agent", answer);
  });
}

/** An agent that has lost a session says so; a dead agent, or a missing login, is a different error. */
async function tried(act: () => Promise<NativeSession>): Promise<Tried> {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof RequestError) return { failed: agentSaid(thrown) };
    throw thrown;
  }
}

async function create(agent: AgentProcess, order: OpenOrder, reason: string | null): Promise<NativeSession> {
  const answer = await loggedIn(agent, order, () =>
    agent.request("session/new", placeOf(agent, order), order.times.openMs),
  ).catch((thrown: unknown) => {
    if (!(thrown instanceof RequestError)) throw thrown;
    throw new DriverError(
      "driver_failed",
      `the agent opened no session: ${agentSaid(thrown)}${agent.printed.tailText()}`,
    );
  });
  return native(idIn(answer), order.past.isEmpty ? "fresh" : "digest", reason, answer);
}

/** A session without a prompt, to see whether the agent opens one. `login`: not without a login. */
export async function openEmpty(agent: AgentProcess, cwd: string, openMs: number): Promise<"opened" | "login"> {
  try {
    idIn(await agent.request("session/new", { cwd, mcpServers: [] }, openMs));
    return "opened";
  } catch (thrown) {
    if (!(thrown instanceof RequestError)) throw thrown;
    if (thrown.code === AUTH_REQUIRED) return "login";
    throw new DriverError(
      "driver_failed",
      `the agent opened no session: ${agentSaid(thrown)}${agent.printed.tailText()}`,
    );
  }
}

/** A login without a person is made once; any other is refused with what the person should do. */
async function loggedIn(agent: AgentProcess, order: OpenOrder, act: () => Promise<unknown>): Promise<unknown> {
  try {
    return await act();
  } catch (thrown) {
    if (!(thrown instanceof RequestError) || thrown.code !== AUTH_REQUIRED) throw thrown;
    if (order.authMethod === null) throw setupRequired(agent, order, thrown.message);
  }
  try {
    const login = agent.info.protocol === 2 ? "auth/login" : "authenticate";
    await agent.request(login, { methodId: order.authMethod }, order.times.authenticateMs);
    return await act();
  } catch (thrown) {
    if (thrown instanceof RequestError) throw setupRequired(agent, order, thrown.message);
    throw thrown;
  }
}

function setupRequired(agent: AgentProcess, order: OpenOrder, said: string): DriverError {
  const offered = agent.info.authMethods.map(({ id, name }) => `${name} (${id})`);
  const steps = [...order.loginSteps, ...(offered.length === 0 ? [] : [`it offers: ${offered.join(", ")}`])];
  return new DriverError(
    "setup_required",
    `the agent is not logged in: ${said.replace(/\.$/, "")}. ${steps.join("; ")}`,
    {
      steps: [...order.loginSteps],
      authMethods: offered,
    },
  );
}

function placeOf(agent: AgentProcess, { cwd, tools }: OpenOrder): object {
  const ours = { type: "http", name: "nomos", url: tools?.url ?? "" };
  const headers = [{ name: "Authorization", value: `Bearer ${tools?.token ?? ""}` }];
  return { cwd, mcpServers: tools !== null && agent.info.mcpHttp ? [{ ...ours, headers }] : [] };
}

function native(nativeId: string, continuity: Continuity, reason: string | null, answer: unknown): NativeSession {
  const offer = createOffer();
  offer.hearAnswer(answer);
  return { nativeId, continuity, reason, offer };
}

function idIn(answer: unknown): string {
  const parsed = Opened.safeParse(answer);
  if (parsed.success) return parsed.data.sessionId;
  throw new DriverError("not_acp", "the agent opened a session without a name");
}

const NATIVE_ID_CHARS = 500;
const Opened = z.object({ sessionId: z.string().min(1).max(NATIVE_ID_CHARS) });
