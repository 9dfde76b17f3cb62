import type { LogEvent } from "../../../src/client/index.ts";
import { toolTitle } from "../../../src/domains/index.ts";
import { memberOf } from "../../../src/kernel/index.ts";
import type { ToolEntry } from "../entry.ts";
import { listIn, numberOrNull, placeOf, storedIn, textIn, textOrNull } from "../reading.ts";
import type { Desk, Handlers } from "./desk.ts";

/** A command that prints without end shows its beginning and its newest pieces. */
const PIECES_MAX = 200;

/** Tool calls of agents, and effects. An effect that is part of a call has no entry of its own. */
export const TOOL_HANDLERS: Handlers = {
  "effect.intended@1": (desk, event) => {
    const callId = textOrNull(event.data, "callId");
    if (callId === null) called(desk, event);
    else desk.callOf.set(textIn(event.data, "effectId"), callKey(event, callId));
  },
  "tool.called@1": called,
  "effect.output@1": (desk, event) => {
    const before = toolOf(desk, event);
    const stream = memberOf(event.data, "stream") === "stderr" ? "stderr" : "stdout";
    const output = [...before.output, { stream, body: storedIn(event.data) ?? { text: "", blob: null, bytes: 0 } }];
    const isFull = output.length > PIECES_MAX;
    desk.put({
      ...before,
      output: isFull ? output.toSpliced(1, 1) : output,
      droppedPieces: before.droppedPieces + (isFull ? 1 : 0),
    } as ToolEntry);
  },
  "effect.settled@1": (desk, event) => {
    const before = toolOf(desk, event);
    const exitCode = numberOrNull(event.data, "exitCode");
    // A call ends with `tool.ended`, which has the message in its output.
    if (isPartOfCall(desk, event)) desk.put({ ...before, exitCode });
    else desk.put({ ...before, ...endIn(event), message: textOrNull(event.data, "message"), exitCode });
  },
  "tool.ended@1": (desk, event) => {
    const before = toolOf(desk, event);
    const output = storedIn(memberOf(event.data, "output"));
    const title = textIn(event.data, "title");
    desk.put({
      ...before,
      ...endIn(event),
      ...(title === "" ? {} : { title }),
      places: placesIn(event.data, before.places),
      output: output === null ? before.output : [{ stream: "stdout", body: output }],
      diffs: diffsIn(event.data),
      images: imagesIn(event.data),
    });
  },
};

/** Calls that an interrupt cut have no end of their own. */
export function cutTools(desk: Desk, event: LogEvent): void {
  const outcome = textIn(event.data, "outcome") === "interrupted" ? "interrupted" : "unknown";
  for (const key of desk.turn(event).open) {
    const tool = desk.find(key);
    if (tool?.kind === "tool" && tool.outcome === null) desk.put({ ...tool, outcome, endedAt: event.at });
  }
}

function called(desk: Desk, event: LogEvent): void {
  const { data } = event;
  desk.turn(event).tools += 1;
  desk.turn(event).open.add(toolKey(desk, event));
  const detail = memberOf(data, "detail");
  desk.put({
    ...emptyTool(desk, event),
    tool: textIn(data, "kind"),
    title: toolTitle(data).trim(),
    places: placesIn(data, []),
    input: storedIn(memberOf(data, "input")) ?? storedIn(detail),
    command: textOrNull(detail, "command"),
  });
}

/** A call whose beginning is not held is shown with what its end says. */
function toolOf(desk: Desk, event: LogEvent): ToolEntry {
  const known = desk.find(toolKey(desk, event));
  return known?.kind === "tool" ? known : emptyTool(desk, event);
}

function toolKey({ callOf }: Desk, event: LogEvent): string {
  const effectId = textIn(event.data, "effectId");
  return effectId === "" ? callKey(event, textIn(event.data, "callId")) : (callOf.get(effectId) ?? `tool:${effectId}`);
}

/** Models number their calls anew in each turn. */
function callKey({ data }: LogEvent, callId: string): string {
  return `tool:${textIn(data, "turnId")}:${callId}`;
}

function isPartOfCall({ callOf }: Desk, { data }: LogEvent): boolean {
  return callOf.has(textIn(data, "effectId"));
}

function emptyTool(desk: Desk, event: LogEvent): ToolEntry {
  return {
    ...placeOf(event, toolKey(desk, event)),
    kind: "tool",
    tool: "tool",
    title: "tool call",
    places: [],
    input: null,
    command: null,
    output: [],
    droppedPieces: 0,
    diffs: [],
    images: [],
    outcome: null,
    exitCode: null,
    message: null,
    endedAt: null,
  };
}

function endIn({ data, at }: LogEvent): Pick<ToolEntry, "outcome" | "endedAt"> {
  return { outcome: textIn(data, "outcome"), endedAt: at };
}

function placesIn(data: unknown, before: ToolEntry["places"]): ToolEntry["places"] {
  const places = listIn(data, "places");
  if (places.length === 0) return before;
  return places.map((place) => ({ path: textIn(place, "path"), line: numberOrNull(place, "line") }));
}

function diffsIn(data: unknown): ToolEntry["diffs"] {
  return listIn(data, "diffs").map((diff) => ({
    path: textIn(diff, "path"),
    before: storedIn(memberOf(diff, "before")),
    after: storedIn(memberOf(diff, "after")) ?? { text: "", blob: null, bytes: 0 },
  }));
}

function imagesIn(data: unknown): ToolEntry["images"] {
  return listIn(data, "images").map((image) => ({
    mediaType: textIn(image, "mediaType"),
    bytes: numberOrNull(image, "bytes") ?? 0,
  }));
}
