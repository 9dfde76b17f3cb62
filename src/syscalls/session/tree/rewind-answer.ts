import { NomosError } from "../../../contract/index.ts";
import { dataIn, SESSION_EVENTS, Session, sessionStream } from "../../../kernel/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import { irrevocableSince } from "../../../supervisor/index.ts";
import type { Context } from "../../define.ts";

/** The event to rewind or fork to, by event id or turn number. */
export async function pointAt(
  { services }: Context<"supervisor">,
  id: string,
  { to, turn }: { readonly to?: string | undefined; readonly turn?: number | undefined },
): Promise<string> {
  if (to !== undefined && turn === undefined) return to;
  if (turn === undefined || to !== undefined)
    throw new NomosError("invalid_request", { reason: "name an event or a turn" });
  return services.supervisor.endOfTurn(id, turn);
}

/** Computed from the recorded events, so that a repeated key gets the same answer. */
export async function rewindAnswer(
  { services: { store } }: Context<"store">,
  id: string,
  events: readonly RecordedEvent[],
) {
  const state = await store.fold(Session, id);
  const rewound = events.find(({ type }) => type === "session.rewound@1");
  const to = dataIn(SESSION_EVENTS, events, "session.rewound@1")?.to;
  if (rewound === undefined || to === undefined) throw new NomosError("event_not_found", { sessionId: id });
  const { files } = dataIn(SESSION_EVENTS, events, "restore.settled@1") ?? {};
  const { restored = [], removed = [], kept = [], more = 0 } = files ?? {};
  const query = { before: rewound.seq, descending: true, limit: 1 };
  const last = (await store.readStream(sessionStream(id), query)).events[0];
  const irrevocable = [...(await irrevocableSince(store, state, to, rewound.seq))];
  const undo = last === undefined ? null : `nomos rewind ${id} ${last.id}`;
  return { irrevocable, restored: [...restored], removed: [...removed], kept: [...kept], more, undo };
}
