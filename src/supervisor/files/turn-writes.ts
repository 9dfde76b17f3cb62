import { posix, relative } from "node:path";
import { byteNameOf } from "../../host/index.ts";
import { dataIn, type Json, SESSION_EVENTS, type SessionState } from "../../kernel/index.ts";
import type { EventPage, Store } from "../../store/index.ts";

/** What a turn may have changed, according to the log. */
export interface TurnWrites {
  /** True when `names` is complete: the turn wrote only through the effect ledger and ran no process. */
  readonly isExact: boolean;
  /** Paths that it wrote through the ledger, and their directories. */
  readonly names: ReadonlySet<string>;
}

const PAGE = 1000;
const EFFECTS_MAX = 20_000;
export const ANYTHING: TurnWrites = { isExact: false, names: new Set() };

/** `actsByEffects`: the driver starts no process itself, so the ledger shows everything its turns do. */
export async function turnWrites(
  store: Store,
  { stream, spec }: SessionState,
  turnId: string,
  root: string,
  actsByEffects: boolean,
): Promise<TurnWrites> {
  if (spec === null) return ANYTHING;
  const names = new Set<string>();
  let isExact = actsByEffects;
  let read = 0;
  for (let after: number | null = 0; after !== null && read < EFFECTS_MAX; ) {
    const query = { after, limit: PAGE, turnId, types: ["effect.intended"] };
    const page: EventPage = await store.readStream(stream, query);
    for (const event of page.events) {
      const intended = dataIn(SESSION_EVENTS, [event], "effect.intended@1");
      const path = intended?.kind === "write" ? writtenPath(intended.detail) : null;
      if (path === null) isExact = false;
      else for (const name of withFolders(posix.join(relative(root, spec.cwd), path))) names.add(byteNameOf(name));
    }
    read += page.events.length;
    after = page.next;
  }
  return { isExact: isExact && read < EFFECTS_MAX, names };
}

/** The driver chooses an effect's detail. Only a write has a path in it. */
function writtenPath(detail: Json): string | null {
  const path = typeof detail === "object" && detail !== null && "path" in detail ? detail["path"] : null;
  return typeof path === "string" ? path : null;
}

function withFolders(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, n) => parts.slice(0, n + 1).join("/"));
}
