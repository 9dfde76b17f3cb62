import { type SessionState, type Spent, sessionFact } from "../../kernel/index.ts";
import type { EventPage, RecordedEvent, Store } from "../../store/index.ts";
import { isOnPathOf } from "./lineage.ts";

/** A turn that was started, numbered in the order of the starts: rewinds renumber nothing. */
export interface ListedTurn {
  readonly turn: number;
  readonly turnId: string;
  /** The first line, cut; null when it was erased. */
  readonly prompt: string | null;
  /** Null while it runs. */
  readonly outcome: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** A rewind went back behind its end. */
  readonly rewound: boolean;
  /** The event of its end, which a rewind or a fork can go to; null while it runs. */
  readonly eventId: string | null;
  readonly spent: Spent | null;
}

const PAGE = 500;
const TYPES = ["turn.admitted", "turn.started", "turn.ended", "usage.reported"];

/** Turns after the one with this number. `next`: the number to go on after; null at the end. */
export async function readTurns(
  store: Store,
  state: SessionState,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<{ readonly turns: readonly ListedTurn[]; readonly next: number | null }> {
  const list = createList(after, limit, await isOnPathOf(store, state));
  for (let cursor: number | null = 0; cursor !== null && !list.isFull(); ) {
    const page: EventPage = await store.readStream(state.stream, { after: cursor, limit: PAGE, types: TYPES });
    for (const event of page.events) list.note(event);
    cursor = page.next;
  }
  const turns = list.turns().slice(0, limit);
  return { turns, next: list.turns().length > limit ? (turns.at(-1)?.turn ?? null) : null };
}

/** Collects one turn more than asked for, to know whether there are more. */
function createList(after: number, limit: number, isOnPath: (event: RecordedEvent) => boolean) {
  const prompts = new Map<string, string>();
  const found = new Map<string, ListedTurn>();
  let started = 0;
  const change = (turnId: string, how: (turn: ListedTurn) => Partial<ListedTurn>): void => {
    const turn = found.get(turnId);
    if (turn !== undefined) found.set(turnId, { ...turn, ...how(turn) });
  };
  const start = (turnId: string, event: RecordedEvent): void => {
    started += 1;
    const prompt = prompts.get(turnId) ?? null;
    prompts.delete(turnId);
    if (started <= after || found.size > limit) return;
    const open = { outcome: null, endedAt: null, eventId: null, spent: null };
    found.set(turnId, { turn: started, turnId, prompt, startedAt: event.at, rewound: !isOnPath(event), ...open });
  };
  return {
    turns: () => [...found.values()],
    isFull: () => found.size > limit && [...found.values()].slice(0, limit).every(({ eventId }) => eventId !== null),
    note: (event: RecordedEvent): void => {
      const fact = sessionFact(event);
      if (fact?.type === "turn.admitted@1") prompts.set(fact.data.turnId, firstLine(fact.data.prompt));
      else if (fact?.type === "turn.started@1") start(fact.data.turnId, event);
      else if (fact?.type === "usage.reported@1") {
        const { turnId, spent } = fact.data;
        change(turnId, (turn) => ({ spent: spent ?? turn.spent }));
      } else if (fact?.type === "turn.ended@1") {
        const { turnId, outcome } = fact.data;
        const { id: eventId, at: endedAt } = event;
        prompts.delete(turnId);
        change(turnId, () => ({ outcome, eventId, endedAt, rewound: !isOnPath(event) }));
      }
    },
  };
}

const PROMPT_CHARS = 200;

function firstLine(prompt: string): string {
  const line = prompt.trim().split("\n", 1)[0]?.trim() ?? "";
  return line.length <= PROMPT_CHARS ? line : `${[...line].slice(0, PROMPT_CHARS - 1).join("")}…`;
}
