import { type DriverFact, fact, type ToolDiff } from "../kernel/index.ts";
import { DriverError, type TurnPort } from "../turns/index.ts";
import type { ToolChange } from "./update.ts";

/** An agent's tool calls in one turn: the log gets the beginning and the end of each. */
export interface ToolCalls {
  readonly change: (change: ToolChange) => Promise<readonly DriverFact[]>;
  /** All that was said about a call so far; null for one that is not known. */
  readonly known: (callId: string) => Omit<ToolChange, "status"> | null;
  /** The beginnings of those that have not got one yet: from here on something else is recorded. */
  readonly open: () => Promise<readonly DriverFact[]>;
  /** The turn has ended: open tool calls get an end. */
  readonly finish: () => Promise<readonly DriverFact[]>;
}

interface Call extends Omit<ToolChange, "status"> {
  readonly step: "new" | "called" | "ended";
}

const CALLS_MAX = 5000;
const PLACES_MAX = 100;
const DIFFS_MAX = 50;
const TITLE_CHARS = 500;

export function createToolCalls(port: Pick<TurnPort, "turnId" | "keep">): ToolCalls {
  const { turnId } = port;
  const calls = new Map<string, Call>();

  const called = async (call: Call): Promise<DriverFact> => {
    calls.set(call.callId, { ...call, step: "called" });
    const input = call.input === undefined || call.input === null ? null : await port.keep(asText(call.input));
    return fact("tool.called@1", { turnId, ...names(call), kind: (call.kind ?? "other").slice(0, TITLE_CHARS), input });
  };
  const ended = async (call: Call, outcome: "done" | "failed" | "unknown"): Promise<readonly DriverFact[]> => {
    const before = call.step === "new" ? [await called(call)] : [];
    // Its output is in the log; only its end is remembered.
    calls.set(call.callId, { ...call, step: "ended", content: null, input: null, output: null });
    const output = outputOf(call);
    const diffs: ToolDiff[] = [];
    for (const item of (call.content ?? []).slice(0, DIFFS_MAX))
      if (item.is === "diff")
        diffs.push({
          path: item.path,
          before: item.before === null ? null : await port.keep(item.before),
          after: await port.keep(item.after),
        });
    const body = output === "" ? null : await port.keep(output);
    return [...before, fact("tool.ended@1", { turnId, ...names(call), outcome, diffs, output: body })];
  };
  const open = async (): Promise<readonly DriverFact[]> => {
    const facts: DriverFact[] = [];
    for (const call of calls.values()) if (call.step === "new") facts.push(await called(call));
    return facts;
  };

  return {
    change: async (change) => {
      const before = calls.get(change.callId);
      if (before?.step === "ended") return [];
      if (before === undefined && calls.size >= CALLS_MAX)
        throw new DriverError("limit_reached", "the agent called more tools in one turn than are kept", {
          callsMax: CALLS_MAX,
        });
      const call = merge(before, change);
      calls.set(call.callId, call);
      if (change.status === "completed") return ended(call, "done");
      if (change.status === "failed") return ended(call, "failed");
      return change.status === "in_progress" && call.step === "new" && call.input != null ? [await called(call)] : [];
    },
    known: (callId) => calls.get(callId) ?? null,
    open,
    finish: async () => {
      const facts: DriverFact[] = [];
      for (const call of calls.values()) if (call.step !== "ended") facts.push(...(await ended(call, "unknown")));
      return facts;
    },
  };
}

function merge(before: Call | undefined, change: ToolChange): Call {
  return {
    callId: change.callId,
    step: before?.step ?? "new",
    title: change.title ?? before?.title ?? null,
    kind: change.kind ?? before?.kind ?? null,
    content: contentOf(before, change),
    places: change.places ?? before?.places ?? null,
    input: change.input ?? before?.input,
    output: change.output ?? before?.output,
  };
}

function contentOf(before: Call | undefined, { content, appends }: ToolChange): Call["content"] {
  if (appends === true) return [...(before?.content ?? []), ...(content ?? [])].slice(-CONTENT_MAX);
  return content ?? before?.content ?? null;
}

const CONTENT_MAX = 1000;

function names({ callId, title, places }: Call) {
  return {
    callId,
    title: (title ?? callId).slice(0, TITLE_CHARS),
    places: (places ?? []).slice(0, PLACES_MAX).map(({ path, line }) => ({ path: path.slice(0, 4096), line })),
  };
}

function outputOf({ content, output }: Call): string {
  const texts = (content ?? []).flatMap((item) => (item.is === "text" ? [item.text] : []));
  if (texts.length > 0) return texts.join("\n");
  return output === undefined || output === null ? "" : asText(output);
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
