import type { TestDaemon } from "../../../support/daemon.ts";

export interface Replayed {
  readonly diverged: boolean;
  readonly at?: string;
  readonly turns: readonly {
    readonly turnId: string;
    readonly kind: string;
    readonly is: string;
    readonly note: string | null;
    readonly steps: number;
    readonly divergences: readonly object[];
  }[];
  readonly notes: readonly string[];
}

/** Replays every session of a home. Returns those that diverge: there should be none. */
export async function divergedSessions(daemon: TestDaemon): Promise<readonly object[]> {
  const { body } = await daemon.call<{ readonly sessions: readonly { readonly id: string }[] }>(
    "GET",
    "/sessions?limit=500",
  );
  const found: object[] = [];
  for (const { id } of body.sessions) {
    const { status, body: replay } = await daemon.call<Replayed>("POST", `/sessions/${id}/replay`, {});
    // An archived one has left the log.
    if (status === 409) continue;
    if (status !== 200) found.push({ id, status, replay });
    else if (replay.diverged) found.push({ id, divergences: replay.turns.flatMap(({ divergences }) => divergences) });
  }
  return found;
}
