import type { DriverFact, TextOrBlob } from "../../kernel/index.ts";
import type { Call, Image } from "../model.ts";
import type { ToolResult } from "../tool.ts";
import { RESULT_CHARS_MAX } from "../tools/index.ts";
import type { OpenCall } from "../view/step-entry.ts";
import { asked, keepText } from "./link.ts";
import { runOne } from "./run-one.ts";
import { titleOf } from "./step.ts";
import { tellMessage } from "./tell-points.ts";
import { TurnFailure } from "./turn-failure.ts";
import { record, sendAhead, type TurnState } from "./turn-state.ts";

/** Results that took longer than this are recorded one by one, so that screens and a restart know of them. */
const TOGETHER_MS = 500;

/**
 * Runs the calls of a step. Neighbours that may run in parallel do; a sequential one runs alone. Results are recorded in
 * source order where they come together. True: every result says that the turn is over.
 */
export async function runCalls(turn: TurnState, calls: readonly OpenCall[]): Promise<boolean> {
  const results: ToolResult[] = [];
  for (const batch of batchesOf(turn, calls)) {
    // The last batch's results are recorded with the next step; those of earlier ones do not wait for a long command.
    if (turn.unrecorded.length > 0) await record(turn, []);
    results.push(...(await runBatch(turn, batch)));
  }
  const told = results.map(({ content, isError }, at) => ({ ...nameOf(calls[at]), content, isError }));
  await tellMessage(turn, { role: "tool", results: told });
  return results.length > 0 && results.every(({ ends }) => ends === true);
}

function nameOf(call: OpenCall | undefined): { readonly callId: string; readonly name: string } {
  return { callId: call?.callId ?? "", name: call?.name ?? "" };
}

function batchesOf({ tools }: TurnState, calls: readonly OpenCall[]): readonly (readonly OpenCall[])[] {
  const batches: OpenCall[][] = [];
  let isOpen = false;
  for (const call of calls) {
    const isParallel = tools.get(call.name)?.mode !== "sequential";
    if (isParallel && isOpen) batches.at(-1)?.push(call);
    else batches.push([call]);
    isOpen = isParallel;
  }
  return batches;
}

async function runBatch(turn: TurnState, calls: readonly OpenCall[]): Promise<readonly ToolResult[]> {
  const startedMs = turn.clock.nowMs();
  const waiting = new Map<OpenCall, ToolResult>();
  const flush = async (): Promise<void> => {
    const ended = calls.flatMap((call) => {
      const result = waiting.get(call);
      waiting.delete(call);
      return result === undefined ? [] : [{ call, result }];
    });
    if (ended.length > 0) await recordResults(turn, ended);
  };
  using _sending = sendWhenLong(turn, calls);
  const results = await Promise.all(
    calls.map(async (call) => {
      const result = guarded(turn, call, await redacted(turn, turn.early.get(call.callId) ?? runOne(turn, call)));
      waiting.set(call, result);
      if (turn.clock.nowMs() - startedMs > TOGETHER_MS) {
        await flush();
        await record(turn, []);
      }
      return result;
    }),
  );
  await flush();
  const stop = results.find(({ stops }) => stops !== null)?.stops ?? null;
  if (stop !== null || turn.link.signal.aborted) await record(turn, []);
  turn.link.signal.throwIfAborted();
  if (stop !== null) throw new TurnFailure("steps_exceeded", stop);
  return results;
}

/**
 * Looks that take a moment are recorded in one append with their step and the start of the next one. Whatever acts or
 * takes longer finds its step on the way to the log.
 */
function sendWhenLong(turn: TurnState, calls: readonly OpenCall[]): Disposable {
  const isQuick = calls.every(({ callId }) => turn.early.has(callId));
  if (!isQuick) sendAhead(turn);
  const timer = setTimeout(() => sendAhead(turn), HELD_MS);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

const HELD_MS = 10;

interface Guarded extends ToolResult {
  /** Why the turn must end after this; null when it need not. */
  readonly stops: string | null;
}

/** Before anything else sees it: neither the model nor the log gets a secret that a tool found. */
async function redacted({ link }: TurnState, running: Promise<ToolResult>): Promise<ToolResult> {
  const result = await running;
  const texts = result.content.flatMap((part) => (part.kind === "text" ? part.text : []));
  if (texts.length === 0) return result;
  const clean = (await asked<readonly string[]>(link, { do: "redact", texts })).values();
  const content = result.content.map((part) =>
    part.kind === "text" ? { ...part, text: clean.next().value ?? "" } : part,
  );
  return { ...result, content };
}

/** The loop guard looks at each result; its warning is for the model. */
function guarded(turn: TurnState, { name, input }: Call, result: ToolResult): Guarded {
  const verdict = turn.guard.ended({ name, input, output: textOf(result), isError: result.isError });
  if (verdict.kind === "stop") return { ...result, stops: verdict.message };
  if (verdict.kind === "go") return { ...result, stops: null };
  return { ...result, content: [...result.content, { kind: "text", text: verdict.note }], stops: null };
}

function textOf({ content }: ToolResult): string {
  return content
    .flatMap((part) => (part.kind === "text" ? part.text : []))
    .join("\n")
    .slice(0, RESULT_CHARS_MAX + SPARE_CHARS);
}

/** Room for the notes of the guard. */
const SPARE_CHARS = 1000;

async function recordResults(
  turn: TurnState,
  ended: readonly { readonly call: Call; readonly result: ToolResult }[],
): Promise<void> {
  const facts = await Promise.all(ended.map(({ call, result }) => endFact(turn, call, result)));
  // Of a long text the log's fact has only the beginning, and of a picture the blob; the transcript needs all of it.
  const loaded = ended.map(({ result }, index) => {
    const { type, data } = facts[index] as EndFact;
    const output = data.output === null ? null : { ...data.output, text: textOf(result) };
    return { type, data: { ...data, output, ...picturesOf(result) } };
  });
  turn.unrecorded.push(...facts.map((fact, index) => ({ fact, loaded: loaded[index] ?? fact })));
}

function picturesOf(result: ToolResult | undefined): { readonly images?: readonly Image[] } {
  const images = result?.content.filter((part) => part.kind === "image") ?? [];
  return images.length === 0 ? {} : { images };
}

async function endFact(turn: TurnState, call: Call, result: ToolResult): Promise<EndFact> {
  const { link, order } = turn;
  const images = await Promise.all((picturesOf(result).images ?? []).map((image) => keepImage(turn, image)));
  const text = (given: string): Promise<TextOrBlob> | TextOrBlob => keepText(link, given);
  const diffs = await Promise.all(
    (result.diffs ?? []).map(async ({ path, before, after }) => ({
      path,
      before: before === null ? null : await text(before),
      after: await text(after),
    })),
  );
  return {
    type: "tool.ended@1",
    data: {
      ...{ turnId: order.turnId, callId: call.callId, title: titleOf(turn, call) },
      outcome: result.isError ? "failed" : "done",
      places: result.places ?? [],
      diffs,
      output: await text(textOf(result)),
      ...(images.length === 0 ? {} : { images }),
    },
  };
}

async function keepImage({ link }: TurnState, { mediaType, base64 }: Image) {
  const blob = await asked<string>(link, { do: "keepBytes", base64 });
  return { mediaType, blob, bytes: Buffer.byteLength(base64, "base64") };
}

type EndFact = Extract<DriverFact, { readonly type: "tool.ended@1" }>;
