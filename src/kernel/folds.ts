import { type AgentState, agentStream, evolveAgent, NEW_AGENT } from "./agent.ts";
import type { Placed } from "./events.ts";
import { evolveSystem, NEW_SYSTEM, SYSTEM_STREAM, type SystemState } from "./lease.ts";
import { evolveSession } from "./session/evolve.ts";
import { type ApprovalRow, approvalRow, type SessionRow, sessionRow } from "./session/rows.ts";
import { newSessionState, type SessionState, sessionStream } from "./session/state.ts";
import { evolveToken, NEW_TOKEN, type TokenState, tokenStream } from "./token.ts";

/** A stream's kind decides its fold. The state is tagged, so that a snapshot knows what it is of. */
export type Folded =
  | { readonly kind: "session"; readonly state: SessionState }
  | { readonly kind: "agent"; readonly state: AgentState }
  | { readonly kind: "token"; readonly state: TokenState }
  | { readonly kind: "system"; readonly state: SystemState };

/** One change of a read model. Rows are whole: the last one written for an id is what the log says. */
export type RowChange =
  | { readonly model: "session"; readonly id: string; readonly put: SessionRow }
  | { readonly model: "approval"; readonly id: string; readonly put: ApprovalRow }
  | { readonly model: "approval"; readonly id: string; readonly status: Exclude<ApprovalRow["status"], "pending"> }
  | { readonly model: "agent"; readonly id: string; readonly put: AgentState }
  | { readonly model: "token"; readonly id: string; readonly put: TokenState }
  | { readonly model: "system"; readonly id: string; readonly put: SystemState };

export type Model = "session" | "approval" | "agent" | "token" | "system";

export function emptyFold(stream: string): Folded {
  const [kind = "", ...rest] = stream.split("/");
  const id = rest.join("/");
  if (stream === sessionStream(id)) return { kind: "session", state: newSessionState(id) };
  if (stream === agentStream(id)) return { kind: "agent", state: NEW_AGENT };
  if (stream === tokenStream(id)) return { kind: "token", state: NEW_TOKEN };
  if (stream === SYSTEM_STREAM) return { kind: "system", state: NEW_SYSTEM };
  throw new Error(`no fold for a stream of kind ${kind}`);
}

export function evolve(folded: Folded, event: Placed): Folded {
  switch (folded.kind) {
    case "session":
      return { kind: "session", state: evolveSession(folded.state, event) };
    case "agent":
      return { kind: "agent", state: evolveAgent(folded.state, event) };
    case "token":
      return { kind: "token", state: evolveToken(folded.state, event) };
    case "system":
      return { kind: "system", state: evolveSystem(folded.state, event) };
  }
}

/** Folds a stretch of events and says what it changes in the read models. */
export function foldAll(
  stream: string,
  from: Folded,
  events: readonly Placed[],
): { readonly folded: Folded; readonly rows: readonly RowChange[] } {
  let folded = from;
  const rows: RowChange[] = [];
  for (const event of events) {
    const change = folded.kind === "session" ? approvalRow(folded.state, event) : null;
    if (change !== null && "row" in change) rows.push({ model: "approval", id: change.id, put: change.row });
    else if (change !== null) rows.push({ model: "approval", id: change.id, status: change.status });
    folded = evolve(folded, event);
  }
  const own = ownRow(stream, folded);
  return { folded, rows: own === null ? rows : [...rows, own] };
}

function ownRow(stream: string, folded: Folded): RowChange | null {
  switch (folded.kind) {
    case "session": {
      const row = sessionRow(folded.state);
      return row === null ? null : { model: "session", id: folded.state.id, put: row };
    }
    case "agent":
      return { model: "agent", id: stream.slice(agentStream("").length), put: folded.state };
    case "token":
      return { model: "token", id: stream.slice(tokenStream("").length), put: folded.state };
    case "system":
      return { model: "system", id: SYSTEM_STREAM, put: folded.state };
  }
}
