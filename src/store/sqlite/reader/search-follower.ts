import type { Definitions } from "../../../domains/index.ts";
import { searchedTypes } from "../../models/searched-types.ts";
import type { Advanced, Follower } from "../../port.ts";
import type { PageReads } from "../reads/page-reads.ts";
import type { ReaderClient } from "./reader-client.ts";
import { readCursor } from "./search-index.ts";

const PAUSE_MS = 50;

export interface SearchFollowerDeps {
  readonly reader: Pick<ReaderClient, "isRunning" | "index">;
  readonly searchPath: string;
  readonly reads: PageReads;
  readonly defined: Definitions;
}

/**
 * The search index as a follower of the log. While the reader thread is not running it is started only for events that
 * have words: most daemons start, and many wait for long, with none.
 */
export function createSearchFollower({ reader, searchPath, reads, defined }: SearchFollowerDeps): Follower {
  const types = searchedTypes(defined);
  /** Up to here the log holds nothing that is not in the index; null: only the reader knows. */
  let indexed: number | null = null;

  const hasWordsAfter = (seq: number, end: number): boolean =>
    reads.all({ after: seq, before: end + 1, limit: 1, types }).events.length > 0;

  return {
    name: "search",
    pauseMs: PAUSE_MS,
    position: async () => {
      indexed = reader.isRunning() ? null : readCursor(searchPath, reads);
      return indexed ?? reader.index.position();
    },
    advance: async (): Promise<Advanced> => {
      const end = reads.lastSeq();
      if (indexed === null || reader.isRunning() || hasWordsAfter(indexed, end)) {
        const advanced = await reader.index.advance();
        indexed = advanced.position;
        return advanced;
      }
      indexed = end;
      return { position: end, isAtEnd: true };
    },
    restart: async () => {
      indexed = null;
      await reader.index.restart();
    },
  };
}
