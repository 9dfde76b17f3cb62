import type { RecordedTurn } from "../../domains/index.ts";
import { type DriverOffer, Session, sessionFact, sessionStream } from "../../kernel/index.ts";
import type { EventPage, RecordedEvent, Store } from "../../store/index.ts";

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
const PAGE = 1000;
type Reads = Pick<Store, "fold" | "readStream">;

/** Whether a turn is over. */
export async function hasEnded(store: Reads, { sessionId, turnId }: TurnName): Promise<boolean> {
  for await (const { fact } of newestFirst(store, sessionId, [turnId])) if (fact.type === "turn.ended@1") return true;
  return false;
}

/** What the log tells of turns: kept with the lines, because a session can be archived. */
export async function turnFacts(store: Reads, turns: readonly TurnName[]): Promise<readonly RecordedTurn[]> {
  const found = new Map<string, RecordedTurn>();
  for (const [sessionId, own] of Map.groupBy(turns, (turn) => turn.sessionId))
    for (const turn of await factsIn(store, sessionId, own)) found.set(`${turn.sessionId} ${turn.turnId}`, turn);
  return turns.flatMap(({ sessionId, turnId }) => found.get(`${sessionId} ${turnId}`) ?? []);
}

interface Told {
  /** Of the newest event: the agent and its model are those of that moment. */
  version: number | undefined;
  end: string | null;
  start: string | null;
  model: string | null;
  approver: string | null;
}

async function factsIn(store: Reads, sessionId: string, turns: readonly TurnName[]): Promise<readonly RecordedTurn[]> {
  const told = new Map<string, Told>(
    turns.map(({ turnId }) => [turnId, { version: undefined, end: null, start: null, model: null, approver: null }]),
  );
  for await (const { event, fact } of newestFirst(store, sessionId, [...told.keys()])) {
    const turn = told.get(fact.data.turnId);
    if (turn === undefined) continue;
    turn.version ??= event.version;
    if (fact.type === "turn.started@1") turn.start ??= event.id;
    if (fact.type === "turn.ended@1") turn.end ??= event.id;
    if (fact.type === "step.ended@1") turn.model ??= fact.data.model;
    if (fact.type === "approval.answered@1" && fact.data.status === "approved") turn.approver ??= event.actor;
  }
  const recorded: RecordedTurn[] = [];
  for (const [turnId, { version, end, start, model, approver }] of told) {
    const { spec, driver } = await store.fold(Session, sessionId, version);
    const known = model ?? driver?.settings?.model ?? offeredModel(driver?.offer ?? null);
    const eventId = end ?? start ?? "";
    recorded.push({ sessionId, turnId, eventId, agent: spec?.agent ?? "", model: known, approver });
  }
  return recorded;
}

/** Events of these turns, until all of them have begun. A page may be empty before the end of a long session. */
async function* newestFirst({ readStream }: Reads, sessionId: string, turnIds: readonly string[]) {
  const left = new Set(turnIds);
  const wanted = new Set(turnIds);
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null && left.size > 0; ) {
    const query = { types: TURN, limit: PAGE, descending: true, before };
    const page: EventPage = await readStream(sessionStream(sessionId), query);
    for (const event of page.events) {
      const fact = turnFact(event);
      if (fact === null || !wanted.has(fact.data.turnId)) continue;
      yield { event, fact };
      if (fact.type === "turn.started@1") left.delete(fact.data.turnId);
    }
    before = page.next;
  }
}

function turnFact(event: RecordedEvent) {
  const fact = sessionFact(event);
  switch (fact?.type) {
    case "turn.started@1":
    case "turn.ended@1":
    case "approval.answered@1":
    case "step.ended@1":
      return fact;
    default:
      return null;
  }
}

function offeredModel(offer: DriverOffer | null): string | null {
  const current = offer?.options.find(({ category }) => category === "model")?.current;
  return typeof current === "string" ? current : null;
}
