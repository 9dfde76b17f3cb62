import type { Nomos } from "../client/index.ts";
import { memberOf } from "../kernel/index.ts";
import type { NomosOptions, PolicyAnswer, Question } from "./options.ts";
import type { ApprovalEvent } from "./turn-events.ts";

export function approvalEvent(nomos: Nomos, sessionId: string, data: unknown): ApprovalEvent {
  const question = questionIn(sessionId, data);
  const { id: approvalId } = question;
  return {
    ...question,
    kind: "approval",
    approve: async (option) =>
      void (await nomos.approval.approve({ approvalId, ...(option === undefined ? {} : { option }) })),
    reject: async (reason) =>
      void (await nomos.approval.reject({ approvalId, ...(reason === undefined ? {} : { reason }) })),
  };
}

function questionIn(sessionId: string, data: unknown): Question {
  const options = memberOf(data, "options");
  const action = memberOf(data, "action");
  return {
    id: String(memberOf(data, "approvalId")),
    sessionId,
    turnId: String(memberOf(data, "turnId")),
    question: String(memberOf(data, "question")),
    options: Array.isArray(options) ? options.map(String) : [],
    action:
      action === null || action === undefined
        ? null
        : { verb: String(memberOf(action, "verb")), resource: String(memberOf(action, "resource")) },
    detail: { ...(memberOf(data, "detail") ?? {}) },
  };
}

const SESSION_STREAM = "session/";

/** Answers every question of every session by the program's function, also those that were open at the start. */
export function startAnswering(
  nomos: Nomos,
  approve: NonNullable<NomosOptions["approve"]>,
  onFailure: (reason: unknown) => void,
): { readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  const answer = async (sessionId: string, data: unknown): Promise<void> => {
    const { approve: yes, reject: no, kind: _kind, ...question } = approvalEvent(nomos, sessionId, data);
    const said = await answerOf(approve, question);
    if (said === "approve") await yes();
    else if (said === "reject") await no();
    else if ("option" in said) await yes(said.option);
    else await no(said.reject);
  };
  const taken = new Set<string>();
  const tried = (sessionId: string, data: unknown): void => {
    const id = String(memberOf(data, "approvalId"));
    if (taken.has(id)) return;
    taken.add(id);
    // Somebody else may have answered first.
    answer(sessionId, data).then(() => taken.delete(id), onFailure);
  };
  const takeOpen = async (): Promise<void> => {
    const { approvals } = await nomos.approval.list({ status: "pending" });
    for (const one of approvals) tried(one.sessionId, { ...one, approvalId: one.id });
  };
  const run = async (): Promise<void> => {
    // Once the watch stands, so that no question falls between the list and the watch.
    const onConnected = () => void takeOpen().catch(onFailure);
    for await (const item of nomos.session.watch({}, { signal: stopping.signal, onConnected }))
      if (item.event === "event" && item.data.type === "approval.requested@1")
        tried(item.data.stream.slice(SESSION_STREAM.length), item.data.data);
  };
  const running = run().catch((thrown: unknown) => {
    if (!stopping.signal.aborted) onFailure(thrown);
  });
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function answerOf(approve: NonNullable<NomosOptions["approve"]>, question: Question): Promise<PolicyAnswer> {
  try {
    return await approve(question);
  } catch (thrown) {
    return { reject: `the program failed to answer: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}
