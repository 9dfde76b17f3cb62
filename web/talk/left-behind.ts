import type { LogEvent } from "../../src/client/index.ts";
import { memberOf } from "../../src/kernel/index.ts";
import { listIn, numberOrNull, textIn } from "./reading.ts";

type Range = readonly [from: number, to: number];

/** Rewinds in a row that name each other; a path of more is cut by the daemon. */
const DEPTH_MAX = 1_000;

/** Whether an event is still part of the conversation, from the rewinds of its stream. */
export function pathOf(stream: string, rewinds: readonly LogEvent[], version: number): (of: number) => boolean {
  const own = rewinds
    .filter((event) => event.stream === stream && event.version <= version)
    .toSorted((one, other) => one.version - other.version);
  if (own.length === 0) return () => true;
  const ranges = rangesAt(stream, own, version, 0);
  return (of) => ranges.some(([from, to]) => of >= from && of <= to);
}

function rangesAt(stream: string, rewinds: readonly LogEvent[], version: number, depth: number): readonly Range[] {
  const last = rewinds.findLast((event) => event.version <= version);
  if (last === undefined || depth > DEPTH_MAX) return [[0, version]];
  return listIn(memberOf(last.data, "view"), "path").flatMap((segment): readonly Range[] => {
    if (textIn(segment, "stream") !== stream) return [];
    if (memberOf(segment, "kind") === "own")
      return [[numberOrNull(segment, "from") ?? 0, numberOrNull(segment, "to") ?? version]];
    return rangesAt(stream, rewinds, Math.min(numberOrNull(segment, "version") ?? 0, last.version - 1), depth + 1);
  });
}
