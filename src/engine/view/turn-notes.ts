import type { LoadedAttachment, LoadedData } from "./path-event.ts";
import type { PromptParts } from "./prompt-entry.ts";

/** What is known of turns between their events: prompts that wait, and how the last turn ended. */
export interface TurnNotes {
  readonly admitted: (turn: LoadedData<"turn.admitted@1">) => void;
  readonly attached: (turn: LoadedData<"turn.attached@1">) => void;
  /** The prompt, with a note on the turn before. Null for a command: it is not part of the transcript. */
  readonly started: (turnId: string) => Omit<PromptParts, "lateSteers"> | null;
  readonly stepped: (turnId: string) => void;
  readonly stepEnded: (step: LoadedData<"step.ended@1">) => void;
  /** A step has ended, also one that asked for a summary. */
  readonly spent: (step: LoadedData<"step.ended@1">, isAnswer: boolean) => void;
  readonly ended: (turn: LoadedData<"turn.ended@1">) => void;
  /** Of the running turn, over all of its runs. */
  readonly standing: () => TurnStanding;
  readonly running: () => string | null;
  readonly hasSteps: (turnId: string) => boolean;
  readonly isCommand: (turnId: string) => boolean;
}

/** How much of its limits a turn has used. */
export interface TurnStanding {
  readonly answers: number;
  readonly costMicroUsd: number;
}

/** A prompt that the engine carries out itself, such as `/compact the open questions`. */
export type Command =
  | { readonly do: "compact"; readonly focus: string | null }
  /** `from`: the event at which the left branch ended. */
  | { readonly do: "branch"; readonly from: string; readonly focus: string | null };

/** Null: the prompt is for the model. */
export function commandIn(prompt: string): Command | null {
  const compact = /^\/compact(?:\s(.*)|$)/s.exec(prompt);
  if (compact !== null) return { do: "compact", focus: focusIn(compact[1]) };
  const branch = /^\/branch\s+([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\s(.*)|$)/s.exec(prompt);
  return branch?.[1] === undefined ? null : { do: "branch", from: branch[1], focus: focusIn(branch[2]) };
}

function focusIn(rest = ""): string | null {
  return rest.trim() === "" ? null : rest.trim();
}

export function createTurnNotes(): TurnNotes {
  const waiting = new Map<string, Waiting>();
  let running: Running | null = null;
  let note: string | null = null;
  const runs = (turnId: string) => (running?.turnId === turnId ? running : null);
  return {
    admitted({ turnId, prompt }) {
      waiting.set(turnId, { prompt, attachments: [] });
    },
    attached({ turnId, items }) {
      waiting.set(turnId, { prompt: waiting.get(turnId)?.prompt ?? null, attachments: items });
    },
    started(turnId) {
      const turn = waiting.get(turnId) ?? { prompt: null, attachments: [] };
      waiting.delete(turnId);
      const isCommand = turn.prompt !== null && commandIn(turn.prompt) !== null;
      running = { turnId, isCommand, hasSteps: false, saysInterrupted: false, answers: 0, costMicroUsd: 0 };
      if (isCommand) return null;
      const parts = { ...turn, note };
      note = null;
      return parts;
    },
    stepped(turnId) {
      const turn = runs(turnId);
      if (turn !== null) turn.hasSteps = true;
    },
    stepEnded({ turnId, stop, parts }) {
      const turn = runs(turnId);
      if (turn !== null) turn.saysInterrupted = stop === "aborted" && parts.every(({ kind }) => kind === "thought");
    },
    spent({ turnId, stop, costMicroUsd }, isAnswer) {
      const turn = runs(turnId);
      if (turn === null) return;
      turn.costMicroUsd += costMicroUsd ?? 0;
      if (isAnswer && stop !== "error") turn.answers += 1;
    },
    ended({ turnId, outcome, error }) {
      waiting.delete(turnId);
      const turn = runs(turnId);
      if (turn === null) return;
      running = null;
      if (turn.isCommand || outcome === "completed") return;
      if (outcome === "failed") note = `[the earlier turn failed: ${error?.code ?? "unknown"}]`;
      else if (!turn.saysInterrupted) note = "[the earlier turn was interrupted]";
    },
    standing: () => ({ answers: running?.answers ?? 0, costMicroUsd: running?.costMicroUsd ?? 0 }),
    running: () => running?.turnId ?? null,
    hasSteps: (turnId) => runs(turnId)?.hasSteps === true,
    isCommand: (turnId) => runs(turnId)?.isCommand === true,
  };
}

interface Waiting {
  readonly prompt: string | null;
  readonly attachments: readonly LoadedAttachment[];
}

interface Running {
  readonly turnId: string;
  readonly isCommand: boolean;
  hasSteps: boolean;
  saysInterrupted: boolean;
  answers: number;
  costMicroUsd: number;
}
