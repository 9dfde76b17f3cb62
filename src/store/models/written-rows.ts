import { createRecent } from "../recent.ts";
import type { RowWrite } from "./rows.ts";

/** The rows that a writer wrote last. One that would be written just so again is left alone. */
export interface WrittenRows {
  readonly isSame: (write: RowWrite) => boolean;
  readonly note: (write: RowWrite) => void;
  /** What was last written under this id; undefined when that is not known. */
  readonly latest: (of: Pick<RowWrite, "list" | "id">) => RowWrite | undefined;
  /** The rows may no longer be as they were written. */
  readonly forget: () => void;
}

const ROWS_KEPT = 2000;

export function createWrittenRows(): WrittenRows {
  const written = createRecent<string, RowWrite>(ROWS_KEPT);
  const latest: WrittenRows["latest"] = ({ list, id }) => written.get(`${list} ${id}`);
  return {
    isSame: (write) => write.row !== null && latest(write)?.row === write.row,
    note: (write) => {
      const place = `${write.list} ${write.id}`;
      if (write.row === null) written.delete(place);
      else written.set(place, write);
    },
    latest,
    forget: written.clear,
  };
}
