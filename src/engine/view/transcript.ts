import type { ContextPart, TodoItem } from "../../kernel/index.ts";
import type { Message } from "../model.ts";
import type { Entry } from "./entry.ts";
import { addBranch, addCall, addEffect, addMessage, addResult, endStep, startStep, startTurn } from "./fold-work.ts";
import type { LoadedFact, PathEvent } from "./path-event.ts";
import type { StepEntry, StepStanding } from "./step-entry.ts";
import {
  compact,
  type LastCompaction,
  type LastUsage,
  newState,
  type State,
  type SteerWaiting,
} from "./transcript-state.ts";
import type { TurnStanding } from "./turn-notes.ts";

/**
 * The messages that a model sees, folded from the events of a session's current path. It grows in place. For a request,
 * add its `step.started@1` first: that decides which steering messages it contains.
 */
export interface Transcript {
  readonly add: (event: PathEvent) => void;
  /** Roles are valid for every provider. Unchanged messages are the same objects as last time. */
  readonly messages: () => readonly Message[];
  readonly system: () => string;
  readonly systemParts: () => readonly ContextPart[];
  readonly entries: () => readonly Entry[];
  /** The newest compaction; null without one. */
  readonly compaction: () => LastCompaction | null;
  /** What the last good answer used; null when it says nothing of the context any more. */
  readonly usage: () => LastUsage | null;
  /** The model of the last answer, good or not. */
  readonly model: () => string | null;
  /** The turn that has started and not ended. */
  readonly runningTurn: () => string | null;
  /** The last step of the running turn, if nothing was said after it; null: the model has to answer. */
  readonly lastStep: () => StepStanding | null;
  /** Whether a call of this id is in a request already. */
  readonly hasCall: (callId: string) => boolean;
  /** What the running turn has used of its limits. */
  readonly standing: () => TurnStanding;
  readonly todo: () => readonly TodoItem[];
  /** Steering messages that no step and no prompt contains yet. */
  readonly steersWaiting: () => readonly SteerWaiting[];
}

export function createTranscript(): Transcript {
  const state = newState();
  return {
    add(event) {
      state.place += 1;
      state.eventId = event.id;
      state.places.set(event.id, state.place);
      if (event.fact !== null) addFact(state, event.fact);
    },
    messages: () => state.list.messages(state.entries),
    system: () => state.systemParts.map((part) => part.text).join("\n\n"),
    systemParts: () => state.systemParts,
    entries: () => state.entries,
    compaction() {
      const { compaction, compactedAt } = state;
      const isLast = state.entries.every((entry) => entry.place < compactedAt || entry.messages().length === 0);
      return compaction === null ? null : { ...compaction, isLast };
    },
    usage: () => state.usage,
    model: () => state.model,
    runningTurn: () => state.turns.running(),
    lastStep: () => {
      const last = state.entries.at(-1);
      const step = last?.kind === "step" && last.turnId === state.turns.running() ? last : null;
      return step === null ? null : (step as StepEntry).standing();
    },
    hasCall: (callId) => state.callIds.has(callId),
    standing: () => state.turns.standing(),
    todo: () => state.todo,
    steersWaiting: () => [...state.steers.values()],
  };
}

function addFact(state: State, fact: LoadedFact): void {
  const { type, data } = fact;
  switch (type) {
    case "turn.admitted@1":
      // Steering that came too late for its turn: it is a turn of its own now.
      state.steers.delete(data.turnId);
      state.turns.admitted(data);
      break;
    case "turn.attached@1":
      state.turns.attached(data);
      break;
    case "turn.started@1":
      startTurn(state, data.turnId);
      break;
    case "turn.ended@1":
      state.step = null;
      state.plain = null;
      state.turns.ended(data);
      break;
    case "turn.steered@1":
      state.steers.set(data.steerId, { steerId: data.steerId, turnId: data.turnId, text: data.text });
      break;
    case "step.started@1":
      startStep(state, data);
      break;
    case "step.ended@1":
      endStep(state, data);
      break;
    case "message.completed@1":
      addMessage(state, data);
      break;
    case "tool.called@1":
      addCall(state, data);
      break;
    case "tool.ended@1":
      addResult(state, data);
      break;
    case "effect.intended@1":
    case "effect.output@1":
    case "effect.settled@1":
      addEffect(state, fact);
      break;
    case "context.composed@1":
      state.systemParts = data.parts;
      break;
    case "context.compacted@1":
      compact(state, data);
      break;
    case "context.branched@1":
      addBranch(state, data);
      break;
    case "todo.replaced@1":
      state.todo = data.items;
      break;
    default:
    // Everything else is not told to a model.
  }
}
