import { setImmediate } from "node:timers/promises";
import type { LoadedEvent } from "../../turns/index.ts";
import type { AnyTool, ToolResult } from "../tool.ts";
import { servedTools, TOOLS } from "../tools/index.ts";
import { pathEvent } from "../view/path-event.ts";
import type { RecordedGuard } from "./recorded-guard.ts";
import type { RunEnd } from "./recorded-turns.ts";
import type { RunRecord } from "./run-record.ts";

/** The tools of a recorded session: today's, and those of the daemon that it used then. */
export function toolsOf(events: readonly LoadedEvent[]): readonly AnyTool[] {
  const own = new Set(TOOLS.map(({ name }) => name));
  const kinds = new Map(events.flatMap(({ fact }) => (fact.type === "tool.called@1" ? [[idIn(fact.data), fact]] : [])));
  const names = events.flatMap(({ fact }) =>
    fact.type !== "step.ended@1"
      ? []
      : fact.data.parts.flatMap((part) => {
          if (part.kind !== "call" || own.has(part.name)) return [];
          const called = kinds.get(idIn({ turnId: fact.data.turnId, callId: part.callId }));
          return called?.data.kind === "served" ? [part.name] : [];
        }),
  );
  const served = [...new Set(names)].map(
    (name) => ({ name, description: name, input: { type: "object" }, redo: "failed", mode: "parallel" }) as const,
  );
  return [...TOOLS, ...servedTools(served)];
}

const idIn = ({ turnId, callId }: { readonly turnId: string; readonly callId: string }) => `${turnId} ${callId}`;

/** A tool that does nothing: it gives the recorded result. Its input is checked as ever. */
export function recordedTool(
  tool: AnyTool,
  { record, end, guard }: { readonly record: RunRecord; readonly end: RunEnd; readonly guard: RecordedGuard },
): AnyTool {
  return {
    ...tool,
    run: async (_input: never, { callId }) => {
      const event = record.result(callId);
      if (event === null) return withoutResult(record, end, callId);
      // What the loop itself says to a wrong input came before any result.
      await setImmediate();
      record.answered(callId);
      const isEnd = record.isLastOf(callId) && end.is === "completed";
      return resultIn(event, isEnd, (text) => guard.plain(tool.name, text));
    },
  };
}

/** The run was cut while the call ran; or the record goes on without a result, which the loop never does. */
async function withoutResult(record: RunRecord, end: RunEnd, callId: string): Promise<ToolResult> {
  // Results that came before the cut are recorded first.
  for (let ticks = 0; ticks < TICKS; ticks += 1) await setImmediate();
  const isCut = end.is === "stopped" && record.isLastOf(callId);
  return isCut ? record.stop() : record.diverge(null, `a result of the call ${callId}`);
}

const TICKS = 3;

function resultIn(event: LoadedEvent, isEnd: boolean, plain: (text: string) => string): ToolResult {
  const { fact } = pathEvent(event);
  if (fact?.type !== "tool.ended@1") return { content: [], isError: true };
  const { output, outcome, images = [] } = fact.data;
  const pictures = images.flatMap(({ mediaType, base64 }) =>
    base64 === undefined ? [] : [{ kind: "image", mediaType, base64 } as const],
  );
  return {
    content: [...(output === null ? [] : [{ kind: "text", text: plain(output.text) } as const]), ...pictures],
    isError: outcome !== "done",
    ...(isEnd ? { ends: true } : {}),
  };
}
