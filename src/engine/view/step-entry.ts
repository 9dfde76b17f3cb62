import type { Json, StepPart, StepStop } from "../../kernel/index.ts";
import type { AnswerPart, Call, CallResult, Message, Meta, Text } from "../model.ts";
import type { Entry, EntryAt } from "./entry.ts";
import type { LoadedData } from "./path-event.ts";
import { isBlank, text } from "./texts.ts";
import { toolLine } from "./tool-line.ts";
import { joinFiles, type TouchedFiles, touchedFiles } from "./touched-files.ts";

/** A step of the engine: one assistant message, and one message with the results of its calls. */
export interface StepEntry extends Entry {
  readonly kind: "step";
  readonly said: (message: LoadedData<"message.completed@1">) => void;
  readonly called: (call: LoadedData<"tool.called@1">) => void;
  readonly resulted: (end: LoadedData<"tool.ended@1">) => void;
  readonly ended: (end: LoadedData<"step.ended@1">) => void;
  readonly standing: () => StepStanding;
}

/** How far a step has come: how it ended, and which of its calls have no result. */
export interface StepStanding {
  /** Null while it runs, and when it was cut. */
  readonly stop: StepStop | null;
  readonly openCalls: readonly OpenCall[];
}

export interface OpenCall extends Call {
  /** Names the call in its turn: some providers count their calls anew in each answer. */
  readonly key: string;
}

export function callName(stepId: string, callId: string): string {
  return `${stepId}:${callId}`;
}

const INTERRUPTED = "[interrupted]";
export const NO_RESULT =
  "[no result: the session was interrupted before this call ended; look at its effect before you repeat it]";

export function createStepEntry(at: EntryAt): StepEntry {
  const step: Step = { texts: [], thoughts: [], calls: new Map(), results: new Map(), end: null };
  let made: readonly Message[] | null = null;
  return {
    ...at,
    kind: "step",
    files: () => filesOf(step),
    isOpen: () => step.end === null,
    messages() {
      made ??= messagesOf(step);
      return made;
    },
    said({ role, text: said }) {
      (role === "thought" ? step.thoughts : step.texts).push(said);
      made = null;
    },
    called(call) {
      step.calls.set(call.callId, call);
      made = null;
    },
    resulted(end) {
      step.results.set(end.callId, end);
      made = null;
    },
    ended(end) {
      step.end = end;
      made = null;
    },
    standing: () => ({
      stop: step.end?.stop ?? null,
      openCalls: (step.end?.parts ?? []).flatMap((part) =>
        part.kind === "call" && !step.results.has(part.callId)
          ? [{ ...callPart(step, part), key: callName(step.end?.stepId ?? "", part.callId) }]
          : [],
      ),
    }),
  };
}

interface Step {
  readonly texts: string[];
  readonly thoughts: string[];
  readonly calls: Map<string, LoadedData<"tool.called@1">>;
  readonly results: Map<string, LoadedData<"tool.ended@1">>;
  end: LoadedData<"step.ended@1"> | null;
}

type CallPart = Extract<StepPart, { readonly kind: "call" }>;

function messagesOf(step: Step): readonly Message[] {
  const parts = step.end === null ? cutParts(step) : endedParts(step, step.end);
  if (parts.length === 0) return [];
  const results = parts.flatMap((part) => (part.kind === "call" ? [resultOf(step, part.callId, part.name)] : []));
  const assistant: Message = { role: "assistant", content: parts };
  return results.length === 0 ? [assistant] : [assistant, { role: "tool", results }];
}

/**
 * A running step, or one cut by a crash. Its calls have no name yet, and its thoughts no signature, so all of it is
 * plain text.
 */
function cutParts(step: Step): readonly Text[] {
  const lines = [...step.calls.values()].map((call) => toolLine(call.title, step.results.get(call.callId) ?? null));
  return [...step.texts, ...lines].filter((said) => !isBlank(said)).map(text);
}

function endedParts(step: Step, end: LoadedData<"step.ended@1">): readonly AnswerPart[] {
  if (end.stop === "error") return [];
  const isAborted = end.stop === "aborted";
  let texts = 0;
  let thoughts = 0;
  const parts = end.parts.flatMap((part): readonly AnswerPart[] => {
    if (part.kind === "call") return isAborted && !step.calls.has(part.callId) ? [] : [callPart(step, part)];
    if (part.kind === "text") return textPart(step.texts[texts++] ?? "", part.meta);
    return thoughtPart(step.thoughts[thoughts++] ?? "", part.meta, isAborted);
  });
  const said = [...parts, ...step.texts.slice(texts).flatMap((one) => textPart(one, null))];
  if (said.some(({ kind }) => kind !== "thought")) return said;
  // Thoughts alone are no valid message for every provider.
  return isAborted ? [text(INTERRUPTED)] : [];
}

function textPart(said: string, stored: Json): readonly Text[] {
  const meta = metaIn(stored);
  if (meta !== null) return [{ kind: "text", text: said, meta }];
  return isBlank(said) ? [] : [text(said)];
}

function thoughtPart(thought: string, stored: Json, isAborted: boolean): readonly AnswerPart[] {
  const meta = metaIn(stored);
  if (meta !== null) return [{ kind: "thought", text: thought, meta }];
  return isAborted || isBlank(thought) ? [] : [{ kind: "thought", text: thought }];
}

function callPart(step: Step, { callId, name, meta: stored }: CallPart): Call {
  const input = step.calls.get(callId)?.input?.text ?? "{}";
  const meta = metaIn(stored);
  return meta === null ? { kind: "call", callId, name, input } : { kind: "call", callId, name, input, meta };
}

function resultOf(step: Step, callId: string, name: string): CallResult {
  const end = step.results.get(callId);
  if (end === undefined) return { callId, name, content: [text(NO_RESULT)], isError: true };
  const output = end.output?.text ?? "";
  const images = (end.images ?? []).map(({ mediaType, base64 }) =>
    base64 === undefined ? text("[an image that is no longer there]") : { kind: "image" as const, mediaType, base64 },
  );
  const content = [...(isBlank(output) ? [] : [text(output)]), ...images];
  const isUnknown = end.outcome === "unknown" && content.length === 0;
  return {
    callId,
    name,
    content: content.length > 0 ? content : [text(isUnknown ? NO_RESULT : "[no output]")],
    isError: end.outcome !== "done",
  };
}

/** What the provider wants back; null for anything that does not have our shape. */
function metaIn(stored: Json): Meta | null {
  if (typeof stored !== "object" || stored === null || !("api" in stored && "model" in stored)) return null;
  const { api, model, data } = stored;
  return typeof api === "string" && typeof model === "string" ? { api, model, data: data ?? null } : null;
}

function filesOf(step: Step): TouchedFiles {
  const names = new Map(
    step.end?.parts.flatMap((part): [string, string][] => (part.kind === "call" ? [[part.callId, part.name]] : [])),
  );
  const ends = [...step.results.values()].filter(({ outcome }) => outcome !== "failed");
  return joinFiles(
    ends.map(({ callId, places, diffs }) => {
      const call = step.calls.get(callId);
      return touchedFiles({
        names: [names.get(callId) ?? "", call?.kind ?? ""],
        places: [...(call?.places ?? []), ...places],
        diffs,
        input: call?.input?.text ?? "",
      });
    }),
  );
}
