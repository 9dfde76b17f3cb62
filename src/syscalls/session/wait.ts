import { NomosError, type SessionWire } from "../../contract/index.ts";
import { APPROVALS, type ApprovalRow, dataIn, SESSION_EVENTS, Session, sessionStream } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { Context } from "../define.ts";
import { showSession } from "./answer.ts";

interface Waited {
  readonly session: SessionWire;
  readonly turn: { readonly turnId: string; readonly outcome: string } | null;
}

/** Resolves when the turn has ended or the session is no longer busy. Checks again at each event of the session. */
export function waitForTurn(
  context: Context<"bounds" | "store">,
  id: string,
  turnId: string | null,
  timeoutMs: number,
): Promise<Waited> {
  const heard = sessionStream(id);
  return lookUntil(context, { id, timeoutMs, hears: (stream) => stream === heard }, () => look(context, id, turnId));
}

/** Resolves when the approval is answered or closed. */
export function waitForApproval(
  context: Context<"store">,
  id: string,
  approvalId: string,
  timeoutMs: number,
): Promise<ApprovalRow> {
  const heard = sessionStream(id);
  return lookUntil(context, { id, timeoutMs, hears: (stream) => stream === heard }, async () => {
    context.progress({ message: "waiting for a person" });
    const approval = await context.services.store.row(APPROVALS, approvalId);
    return approval?.status === "pending" ? null : approval;
  });
}

export interface Looking {
  /** What is waited for, for the error. */
  readonly id: string;
  readonly timeoutMs: number;
  /** Events of these streams are a reason to look again. */
  readonly hears: (stream: string) => boolean;
}

/** Looks at once and after each event that is heard. Refuses with `wait_timeout`. */
export async function lookUntil<T>(
  context: Context<"store">,
  { id, timeoutMs, hears }: Looking,
  find: () => Promise<T | null>,
): Promise<T> {
  const { store } = context.services;
  const over = new AbortController();
  // Cleared at the end: one that runs on for its ten minutes after every wait adds up.
  const timer = setTimeout(() => over.abort(), timeoutMs);
  const signal = AbortSignal.any([context.signal, over.signal]);
  let wake: () => void = () => undefined;
  let heard = true;
  const stop = store.onAppend((events) => {
    if (!events.some(({ stream }) => hears(stream))) return;
    heard = true;
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort);
  try {
    while (true) {
      if (heard) {
        heard = false;
        const found = await find();
        if (found !== null) return found;
      }
      if (signal.aborted) throw new NomosError("wait_timeout", { id, timeoutMs });
      if (!heard)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    clearTimeout(timer);
    stop();
    signal.removeEventListener("abort", onAbort);
  }
}

async function look(context: Context<"bounds" | "store">, id: string, turnId: string | null): Promise<Waited | null> {
  const session = await showSession(context, id);
  const { name, state, queued, waitingFor } = session;
  context.progress({
    message: `${name} is ${state}, ${queued} queued${waitingFor ? `, waits for ${waitingFor}` : ""}`,
  });
  if (turnId === null) return session.busy ? null : { session, turn: await lastTurn(context, id) };
  const { recentTurns, queue, phase } = await context.services.store.fold(Session, id);
  const ended = recentTurns.find((turn) => turn.turnId === turnId);
  // Read again: the turn may have ended after the session was read.
  if (ended !== undefined) return { session: await showSession(context, id), turn: ended };
  const open = queue.some((turn) => turn.turnId === turnId) || (phase.at === "busy" && phase.turnId === turnId);
  if (open) return null;
  const old = await context.services.store.readStream(sessionStream(id), { limit: 1, turnId, types: ["turn.ended"] });
  const turn = endOf(old.events[0]);
  if (turn === null) throw new NomosError("turn_not_found", { turnId });
  return { session, turn };
}

async function lastTurn(context: Context<"store">, id: string): Promise<Waited["turn"]> {
  const { recentTurns } = await context.services.store.fold(Session, id);
  return recentTurns.at(-1) ?? null;
}

function endOf(event: RecordedEvent | undefined): Waited["turn"] {
  const ended = event === undefined ? null : dataIn(SESSION_EVENTS, [event], "turn.ended@1");
  return ended === null ? null : { turnId: ended.turnId, outcome: ended.outcome };
}
