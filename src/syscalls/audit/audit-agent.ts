import type { z } from "zod";
import { type EventWire, NomosError } from "../../contract/index.ts";
import { AgentIdentity } from "../../domains/index.ts";
import { idIn, SESSIONS, Session, streamOf } from "../../kernel/index.ts";
import type { EventPage, EventQuery, Store } from "../../store/index.ts";
import type { Services } from "../services.ts";

type Entry = z.input<typeof EventWire>;

/** Events read for one page, whether or not they belong to the agent. */
const SCAN_MAX = 4000;
const PAGE = 500;

/** Events of the agent's stream and of its sessions, including forgotten ones. */
export async function auditAgent(
  { store }: Pick<Services, "store">,
  agent: string,
  { after, limit, descending }: { readonly after: number | null; readonly limit: number; readonly descending: boolean },
): Promise<{ readonly agent: string; readonly entries: Entry[]; readonly next: number | null }> {
  if ((await store.version(streamOf(AgentIdentity, agent))) === 0)
    throw new NomosError("agent_not_found", { slug: agent });
  const isOf = ofAgent(store, agent);
  const entries: Entry[] = [];
  let cursor: number | null = after ?? (descending ? Number.MAX_SAFE_INTEGER : 0);
  for (let left = SCAN_MAX; left > 0 && cursor !== null; left -= PAGE) {
    const range: Pick<EventQuery, "after" | "before"> = descending ? { before: cursor } : { after: cursor };
    const page: EventPage = await store.readAll({ ...range, descending, limit: Math.min(PAGE, left) });
    for (const event of page.events) {
      if (!(await isOf(event.stream))) continue;
      entries.push({ ...event, data: event.data as Entry["data"] });
      if (entries.length === limit) return { agent, entries, next: event.seq };
    }
    cursor = page.next;
  }
  return { agent, entries, next: cursor };
}

function ofAgent(store: Pick<Store, "row">, agent: string): (stream: string) => Promise<boolean> {
  const known = new Map([[streamOf(AgentIdentity, agent), true]]);
  return async (stream) => {
    const found = known.get(stream);
    if (found !== undefined) return found;
    const id = idIn(Session, stream);
    const session = id === null ? null : await store.row(SESSIONS, id);
    known.set(stream, session?.agent === agent);
    return session?.agent === agent;
  };
}
