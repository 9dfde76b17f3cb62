import type { Client, LogEvent, OutputOf, StreamItem } from "../client/index.ts";
import { memberOf } from "../kernel/index.ts";

export interface EndedTurn {
  readonly turnId: string;
  readonly outcome: string;
  readonly error: TurnError | null;
}

export interface TurnError {
  readonly code: string;
  readonly message: string;
}

/** Why a turn failed, from its last event. */
export function turnErrorIn(data: unknown): TurnError | null {
  const error = memberOf(data, "error");
  const code = memberOf(error, "code");
  return typeof code === "string" ? { code, message: String(memberOf(error, "message") ?? "") } : null;
}

/** What a session was asked to do, and the position in the log to look from. */
export interface Awaited {
  readonly id: string;
  readonly turnId: string | null;
  readonly after: number;
}

/**
 * Shows a session's stream until one turn has ended: the given one, or the first one admitted.
 * Null when the session ended before that.
 */
export async function followTurn(
  client: Client,
  { id, turnId, after }: Awaited,
  show: (item: StreamItem) => void,
  signal: AbortSignal,
): Promise<EndedTurn | null> {
  let wanted = turnId;
  for await (const item of client.stream("session.stream", { id }, { after, signal })) {
    const event = item.event === "event" ? item.data : null;
    if (event?.type === "turn.admitted@1") wanted ??= turnOf(event);
    if (wanted === null || isOf(item, wanted)) show(item);
    if (event?.type === "turn.ended@1" && turnOf(event) === wanted)
      return {
        turnId: turnOf(event),
        outcome: String(memberOf(event.data, "outcome")),
        error: turnErrorIn(event.data),
      };
  }
  return null;
}

/** Skips the turns queued ahead of ours; events outside any turn are shown. */
function isOf(item: StreamItem, turnId: string): boolean {
  if (item.event !== "event") return true;
  const turn = memberOf(item.data.data, "turnId");
  return turn === undefined || turn === null || turn === turnId;
}

function turnOf(event: LogEvent): string {
  return String(memberOf(event.data, "turnId"));
}

export const DEMO = "demo";
export const ONLY_DEMO =
  "No agent is installed, so `demo` runs, which only follows a script. Install one: nomos driver install claude";

/** The requested agent, or the default one. */
export async function chooseAgent(client: Client, slug: string | undefined): Promise<OutputOf<"agent.show">> {
  if (slug !== undefined) return client.call("agent.show", { slug });
  const { agents } = await client.call("agent.list", {});
  const chosen = agents.find((agent) => agent.default) ?? agents[0];
  return chosen ?? client.call("agent.show", { slug: DEMO });
}
