import type { Json } from "../../kernel/index.ts";
import type { LoadedEvent } from "../../turns/index.ts";
import type { EngineCall } from "../link/protocol.ts";
import type { Link } from "../loop/link.ts";
import type { RunEnd } from "./recorded-turns.ts";
import type { RunRecord } from "./run-record.ts";

export interface RecordedLinkOrder {
  readonly record: RunRecord;
  readonly end: RunEnd;
  readonly signal: AbortSignal;
  readonly branch: (from: string) => Promise<readonly LoadedEvent[]>;
}

/** The daemon as the loop of a replay sees it: it compares and gives back what is recorded, and does nothing. */
export function recordedLink(order: RecordedLinkOrder): Link {
  const { signal } = order;
  return {
    signal,
    stream: () => undefined,
    call: async (call) => {
      if (order.record.divergence() !== null || order.record.isStopped()) throw new Error("the replay is over");
      return (await answer(order, call)) as unknown as Json;
    },
  };
}

async function answer({ record, end, branch }: RecordedLinkOrder, call: EngineCall): Promise<unknown> {
  switch (call.do) {
    case "record":
      return call.facts.map(record.match);
    case "step": {
      const before = call.before.map(record.match);
      return { before, ...record.begin(call.step) };
    }
    case "steered": {
      const next = record.next()?.fact;
      return next?.type === "step.started@1" && next.data.steers.length > 0;
    }
    case "park":
      return end.is === "parked" || end.is === "stopped"
        ? null
        : record.diverge(null, "the turn waits for a usage limit");
    case "redact":
      return call.texts;
    case "keep":
      return { text: call.text, blob: null, bytes: Buffer.byteLength(call.text) };
    case "keepBytes":
      return "";
    case "known":
      return null;
    case "branch":
      return branch(call.from);
    default:
      return record.diverge(null, `the engine asks for ${call.do}`);
  }
}
