import { openSqliteStore, type Store } from "../src/store/index.ts";

/** The store as the daemon opens it; a failed flush ends the benchmark. */
export function openStore(home: string): Promise<Store> {
  return openSqliteStore({
    home,
    onFatal: (error) => {
      throw error;
    },
  });
}
