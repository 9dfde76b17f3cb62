import type { Finished, Handed, Parting, WorkOrder } from "../../../domains/index.ts";
import { quoteData, quoteName } from "./quote-data.ts";

/** What finished work leaves in the repository, for people and for the next session. */
export interface Memento {
  readonly sessionId: string;
  readonly name: string;
  readonly order: WorkOrder;
  readonly parting: Parting | null;
  readonly closing: Finished | Handed;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly landings: readonly { readonly id: string; readonly commit: string; readonly into: string }[];
}

const CHARS = 20_000;

export function mementoPath(ticketId: string, sessionId: string): string {
  return `.nomos/mementos/${ticketId}/${sessionId}.md`;
}

/** The same for the same facts: written again after a crash, it is the same file. */
export function mementoText(given: Memento): string {
  const { sessionId, name, order, parting, closing, startedAt, endedAt, landings } = given;
  const { drift, checks } = closing;
  const end = "status" in closing ? `finished, ${closing.status}` : `handed over to ${closing.to ?? "whoever is next"}`;
  const lines = [
    `# ${order.ticketId} ${quoteName(order.title)}`,
    "",
    `- session: ${sessionId} (${name})`,
    `- agent: ${quoteName(order.agent)}${order.model === null ? "" : `, model ${quoteName(order.model)}`}`,
    `- role: ${order.role}`,
    `- from ${startedAt} to ${endedAt}: ${end}`,
    `- checks: ${checks}${checks === "bypassed" && parting?.reason != null ? ` (${quoteName(parting.reason)})` : ""}`,
    `- drift: ${drift === null ? "not measured" : `${drift.score} (scope ${drift.scope}, budget ${drift.budget}, boundary ${drift.boundary})`}`,
    ...landings.map(({ id, commit, into }) => `- landed: ${commit} on ${quoteName(into)} (landing ${id})`),
    ...chapter("Summary", parting?.summary ?? "(erased)"),
    ...chapter("Next", parting?.next ?? null),
  ];
  return `${lines.join("\n")}\n`;
}

function chapter(title: string, text: string | null): readonly string[] {
  return text === null ? [] : ["", `## ${title}`, "", ...quoteData(text, CHARS)];
}
