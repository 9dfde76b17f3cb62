import type { Store } from "../../port.ts";
import type { WriterClient } from "../writer/writer-client.ts";
import type { PageReads } from "./page-reads.ts";

const KEPT_MAX = 1000;

/**
 * Keeps the answers of point reads until the next write. While a write is under way nothing is kept, so a kept answer is
 * always what the file would give: the home lock makes this process the only writer.
 */
export function createRecentReads(
  reads: Pick<PageReads, "row" | "usage">,
  { quietAt }: Pick<WriterClient, "quietAt">,
): Pick<Store, "row" | "usage"> {
  const kept = new Map<string, unknown>();
  let keptAt: number | null = null;

  const recent = <T>(key: string, read: () => T): T => {
    const at = quietAt();
    if (at === null) return read();
    if (at !== keptAt || kept.size >= KEPT_MAX) kept.clear();
    keptAt = at;
    const known = kept.get(key);
    if (known !== undefined) return known as T;
    const found = read();
    kept.set(key, found);
    return found;
  };

  return {
    row: async (list, id) => recent(`${list.table} ${id}`, () => reads.row(list, id)),
    usage: async (stream) => recent(`usage ${stream ?? ""}`, () => reads.usage(stream)),
  };
}
