import { RequestError } from "@agentclientprotocol/sdk";
import * as z from "zod";
import type { Clock } from "../../host/index.ts";
import { type DriverSettings, fact, memberOf } from "../../kernel/index.ts";
import { DriverError, QuotaError, type TurnPort } from "../../turns/index.ts";
import { promptContent } from "../prompt-content.ts";
import { createTurnRecorder, type TurnRecorder } from "../turn-recorder.ts";
import type { Update } from "../update.ts";
import { usageLimitIn } from "../usage-limit.ts";
import type { AgentPool, Seat } from "./agent-pool.ts";
import type { AgentProcess } from "./agent-process.ts";
import { agentSaid } from "./agent-said.ts";
import { applySettings } from "./apply-settings.ts";
import { createElicitations } from "./elicitation.ts";
import { createPermissions } from "./permission.ts";
import { createSaidNo, type SaidNo } from "./said-no.ts";
import type { StepTimes } from "./step-times.ts";
import { readUpdate, readUsed } from "./updates.ts";
import { createWholeAnswer, type WholeAnswer } from "./whole-answer.ts";

export interface PromptTurn {
  readonly port: TurnPort;
  readonly pool: AgentPool;
  readonly seat: Seat;
  /** The digest, for an agent that has no memory of the session. */
  readonly told: string;
  readonly settings: DriverSettings;
  readonly times: StepTimes;
  readonly clock: Clock;
}

/** The longest timer of Node; the turn runner's own limit is shorter. */
const PROMPT_MS_MAX = 2_147_483_647;

/** Sends one prompt and handles everything the agent says and asks until it has answered. */
export async function runPrompt(turn: PromptTurn): Promise<void> {
  const { port, pool, seat, times } = turn;
  const { agent, nativeId, offer } = seat;
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  const recorder = createTurnRecorder(port, offer.hearUpdate, broken.reject, seat.told);
  const saidNo = createSaidNo();
  const whole = createWholeAnswer();
  let idle = createIdle(agent);
  const stopListening = agent.listen(nativeId, {
    onUpdate: (given) => {
      const update = readUpdate(given);
      if (update.is === "state") idle.hear(update);
      whole.hear(update);
      recorder.push(update);
    },
    onRequest: requestAnswers(port, recorder, broken.reject, saidNo.hear),
    ready: recorder.ready,
  });
  using busy = pool.busy(agent);
  const mark = pool.markOf(seat, port.turnId);
  const onAbort = () => broken.reject(port.signal.reason);
  port.signal.addEventListener("abort", onAbort, { once: true });
  let open: Promise<unknown> | null = null;
  let isLimited = false;
  try {
    await applySettings(agent, nativeId, offer, turn.settings, times);
    await recordOffer(port, seat);
    let prompt = await promptContent(turn.told + port.prompt, port.attachments, agent.info);
    let answer: unknown;
    while (true) {
      port.signal.throwIfAborted();
      idle = createIdle(agent);
      open = idle.after(agent.request("session/prompt", { sessionId: nativeId, prompt }, PROMPT_MS_MAX));
      answer = await Promise.race([open, broken.promise]);
      hearUsed(recorder, answer);
      open = null;
      const words = STOPPED.includes(memberOf(answer, "stopReason")) ? saidNo.take() : null;
      if (words === null) break;
      await recorder.endMessage();
      prompt = await promptContent(words, [], agent.info);
    }
    await recorder.finish();
    judge(answer, whole, turn.clock.nowMs());
  } catch (thrown) {
    const error = thrown instanceof RequestError ? failedPrompt(thrown, turn.clock.nowMs()) : thrown;
    isLimited = error instanceof QuotaError;
    throw error;
  } finally {
    port.signal.removeEventListener("abort", onAbort);
    recorder.close();
    const stopped = open === null || (await stopPrompt(turn, recorder, open));
    stopListening();
    if (!stopped || agent.ending() !== null) await pool.discard(port.sessionId);
    else if (port.signal.aborted && busy.isAlone()) await agent.endSince(mark);
    await recordRest(turn, recorder);
    // Some agents take no prompt after a limit until they are started again.
    if (isLimited && (agent.info.loads || agent.info.resumes)) await pool.release(port.sessionId);
  }
}

/** After a no some agents stop as if they were done, others as if they were cancelled. */
const STOPPED: readonly unknown[] = ["end_turn", "cancelled"];

/** In version 2 the answer to a prompt only acknowledges it; the turn ends when the agent reports that it is idle. */
function createIdle(agent: AgentProcess) {
  const rested = Promise.withResolvers<unknown>();
  return {
    hear: ({ state, stopReason, usage }: Extract<Update, { is: "state" }>): void => {
      if (state === "idle" && stopReason !== null) rested.resolve({ stopReason, usage });
    },
    after: async (taken: Promise<unknown>): Promise<unknown> => {
      const answer = await taken;
      if (agent.info.protocol === 1) return answer;
      const died = agent.ended.then((why): never => {
        throw new DriverError("agent_crashed", `${why} during a turn${agent.printed.tailText()}`);
      });
      return Promise.race([rested.promise, died]);
    },
  };
}

function hearUsed(recorder: TurnRecorder, answer: unknown): void {
  const used = readUsed(answer);
  if (used !== null) recorder.push(used);
}

/** Whether the agent stopped in time after a cancel. */
async function stopPrompt(
  { seat, times, clock }: PromptTurn,
  recorder: TurnRecorder,
  open: Promise<unknown>,
): Promise<boolean> {
  const { agent, nativeId } = seat;
  const late = Promise.withResolvers<boolean>();
  const cancel = clock.after(times.cancelMs, () => late.resolve(false));
  await agent.notify("session/cancel", { sessionId: nativeId });
  const answered = open.then(
    (answer) => {
      hearUsed(recorder, answer);
      return true;
    },
    () => true,
  );
  const stopped = await Promise.race([answered, late.promise]);
  cancel();
  return stopped;
}

/** Records the text and output so far. A recording that failed was reported already. */
async function recordRest({ port, seat }: PromptTurn, recorder: TurnRecorder): Promise<void> {
  try {
    await recorder.finish();
    await recordOffer(port, seat);
    const printed = seat.agent.printed.take();
    if (printed === null) return;
    const title = "the agent printed beside the protocol";
    const body = await port.keep(printed);
    await port.record([fact("driver.noticed@1", { turnId: port.turnId, severity: "info", title, body })]);
  } catch (thrown) {
    // The turn already has its outcome: this error would only hide it.
    if (!(thrown instanceof Error)) throw thrown;
  }
}

function requestAnswers(
  port: TurnPort,
  recorder: TurnRecorder,
  fail: (error: DriverError) => void,
  hearReply: SaidNo["hear"],
) {
  const permit = createPermissions(port, recorder, fail, hearReply);
  const elicit = createElicitations(port, hearReply);
  let refusals = 0;
  return async (method: string, params: unknown): Promise<unknown> => {
    if (method === "session/request_permission") return permit(params);
    if (method === "elicitation/create") return elicit(params);
    refusals += 1;
    if (refusals <= REFUSALS_NOTED_MAX) await port.noteDenial(denialOf(method, params));
    throw RequestError.methodNotFound(method);
  };
}

const REFUSALS_NOTED_MAX = 20;

function denialOf(method: string, params: unknown) {
  const what = memberOf(params, "path") ?? memberOf(params, "command") ?? "";
  const verb = method.replaceAll("/", ".").slice(0, 100);
  return { verb, resource: `path/${String(what).slice(0, 500)}`, rules: ["not_offered"] };
}

async function recordOffer(port: TurnPort, { offer }: Seat): Promise<void> {
  const change = offer.takeChange();
  if (change !== null) await port.record([fact("driver.offered@1", { turnId: port.turnId, ...change })]);
}

function failedPrompt(error: RequestError, nowMs: number): DriverError {
  const said = agentSaid(error);
  const words = error.code === TOO_MANY ? `HTTP 429: ${said}` : said;
  const limit = usageLimitIn(words, nowMs) ?? usageLimitIn(`${words} ${JSON.stringify(error.data ?? "")}`, nowMs);
  if (limit !== null) return new QuotaError(`the agent reached a usage limit: ${limit.reason}`, limit.untilMs);
  return new DriverError("driver_failed", `the agent failed: ${said}`, { code: error.code });
}

/** Some agents use the status of the vendor's answer as the code. */
const TOO_MANY = 429;

function judge(answer: unknown, whole: WholeAnswer, nowMs: number): void {
  const parsed = Answer.safeParse(answer);
  if (!parsed.success) throw new DriverError("not_acp", "the agent answered the prompt in a way that is not ACP");
  const { stopReason } = parsed.data;
  const limit = whole.limit(stopReason, nowMs);
  if (limit !== null) throw new QuotaError(`the agent reached a usage limit: ${limit.reason}`, limit.untilMs);
  if (stopReason === "end_turn") return;
  throw new DriverError("driver_failed", REASONS[stopReason] ?? `the agent stopped: ${stopReason}`, { stopReason });
}

const REASONS: { readonly [reason: string]: string } = {
  cancelled: "the agent says that it was cancelled, and nobody had asked for that",
  max_tokens: "the agent reached the limit on tokens",
  max_turn_requests: "the agent reached its limit on requests in one turn",
  refusal: "the agent refuses to go on",
};

const Answer = z.object({ stopReason: z.string().max(100) });
