import { useEffect, useState } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { nomos } from "../frame/index.ts";

export type Turn = OutputOf<"session.turns">["turns"][number];

const PAGE = 1_000;
const PAGES_MAX = 5;

/** The turns of a session, oldest first; read again when a turn ends or is rewound. */
export function useTurns(
  id: string,
  changes: number,
): { readonly turns: readonly Turn[] | null; readonly error: unknown } {
  const [turns, setTurns] = useState<readonly Turn[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const leave = new AbortController();
    readTurns(id, leave.signal).then(
      (found) => {
        if (leave.signal.aborted) return;
        setTurns(found);
        setError(null);
      },
      (thrown: unknown) => leave.signal.aborted || setError(thrown),
    );
    return () => leave.abort();
  }, [id, changes]);
  return { turns, error };
}

async function readTurns(id: string, signal: AbortSignal): Promise<readonly Turn[]> {
  const found: Turn[] = [];
  let after: number | null = 0;
  for (let page = 0; page < PAGES_MAX && after !== null; page += 1) {
    const { turns, next }: OutputOf<"session.turns"> = await nomos().call(
      "session.turns",
      { id, limit: PAGE, after },
      { signal },
    );
    found.push(...turns);
    after = next;
  }
  return found;
}
