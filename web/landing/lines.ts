import type { OutputOf } from "../../src/client/index.ts";

export type Landing = OutputOf<"landing.list">["landings"][number];

/** The queue of one branch, in its order. */
export interface Line {
  readonly key: string;
  readonly into: string;
  readonly repository: string;
  readonly landings: readonly Landing[];
}

/** Queues by branch; those with the oldest landing first. */
export function linesOf(open: readonly Landing[]): readonly Line[] {
  const groups = Map.groupBy(open, ({ repository, into }) => `${repository}\n${into}`);
  const lines = [...groups].flatMap(([key, landings]) => {
    const sorted = landings.toSorted((one, other) => rankOf(one) - rankOf(other));
    const [first] = sorted;
    return first === undefined ? [] : [{ key, into: first.into, repository: first.repository, landings: sorted }];
  });
  return lines.toSorted((one, other) => (oldest(one) < oldest(other) ? -1 : 1));
}

function rankOf({ state, ahead = 0 }: Landing): number {
  return state === "checking" ? -1 : ahead;
}

function oldest({ landings }: Line): string {
  return landings.map(({ queuedAt }) => queuedAt).toSorted()[0] ?? "";
}

/** The landing that this one can be put before: the queued one in front of it; null when there is none. */
export function inFrontOf({ id }: Landing, { landings }: Line): Landing | null {
  const waiting = landings.filter(({ state }) => state === "queued");
  const at = waiting.findIndex((one) => one.id === id);
  return at > 0 ? (waiting[at - 1] ?? null) : null;
}

/** What stands beside a landing's badge. */
export function doingOf(landing: Landing): string {
  const { state, checking, ahead = 0, held, commit, files, added = 0, removed = 0, pushed, reason, waitsFor } = landing;
  switch (state) {
    case "queued":
      if (held !== undefined) return held;
      return ahead === 0 ? "next" : `${ahead} ahead`;
    case "checking":
      return checking ?? "passing the gate";
    case "landed":
      return [
        files === undefined ? "" : `${files} ${files === 1 ? "file" : "files"}, +${added} −${removed}`,
        pushed === undefined ? (commit ?? "").slice(0, 10) : `pushed ${pushed.branch}`,
      ]
        .filter((part) => part !== "")
        .join(" · ");
    case "refused":
      if (landing.retriedAs !== undefined) return "mended and tried again";
      return waitsFor === "agent" ? "its agent was told and mends it" : (landing.findings[0]?.message ?? "");
    case "ejected":
      return reason ?? "";
  }
}
