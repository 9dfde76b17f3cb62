import type { RecordedTurn } from "../../domains/index.ts";
import { type DriverOffer, Session, sessionFact, sessionStream } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";

interface TurnName {
  readonly sessionId: string;
  readonly turnId: string;
}

/** Gives turns small numbers, in the order in which they are named. */
export interface TurnNumbers {
  readonly numberOf: (turn: TurnName) => number;
  readonly all: () => readonly TurnName[];
}

export function numberTurns(): TurnNumbers {
  const numbers = new Map<string, number>();
  const turns: TurnName[] = [];
  return {
    all: () => turns,
    numberOf: (turn) => {
      const key = `${turn.sessionId} ${turn.turnId}`;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      turns.push(turn);
      numbers.set(key, turns.length - 1);
      return turns.length - 1;
    },
  };
}

const TURN = ["turn.started", "turn.ended", "approval.answered", "step.ended"];
const READ = 200;

/** Whether a turn is over. */
export async function hasEnded(store: Pick<Store, "readStream">, { sessionId, turnId }: TurnName): Promise<boolean> {
  const query = { turnId, types: ["turn.ended"], limit: 1 };
  return (await store.readStream(sessionStream(sessionId), query)).events.length > 0;
}

/** What the log tells of a turn: kept with the lines, because a session can be archived. */
export async function turnFacts(
  store: Pick<Store, "fold" | "readStream">,
  { sessionId, turnId }: TurnName,
): Promise<RecordedTurn> {
  const stream = sessionStream(sessionId);
  const { events } = await store.readStream(stream, { turnId, types: TURN, limit: READ, descending: true });
  const [started] = (await store.readStream(stream, { turnId, types: ["turn.started"], limit: 1 })).events;
  let approver: string | null = null;
  let model: string | null = null;
  let end: string | null = null;
  for (const event of events) {
    const fact = sessionFact(event);
    if (fact?.type === "turn.ended@1") end ??= event.id;
    if (fact?.type === "step.ended@1") model ??= fact.data.model;
    if (fact?.type === "approval.answered@1" && fact.data.status === "approved") approver ??= event.actor;
  }
  const { spec, driver } = await store.fold(Session, sessionId, events[0]?.version);
  model ??= driver?.settings?.model ?? offeredModel(driver?.offer ?? null);
  return { sessionId, turnId, eventId: end ?? started?.id ?? "", agent: spec?.agent ?? "", model, approver };
}

function offeredModel(offer: DriverOffer | null): string | null {
  const current = offer?.options.find(({ category }) => category === "model")?.current;
  return typeof current === "string" ? current : null;
}
