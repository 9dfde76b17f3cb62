import { writeSync } from "node:fs";
import { join } from "node:path";
import { lockHome, openSqliteStore, StoreError } from "../../../src/store/index.ts";

/** Locks a home and opens its store, says how that went, and stays until it is told to go. */
const [home = ""] = process.argv.slice(2);
try {
  // Held on to until the end: a lock that nobody refers to is collected, and given back.
  const lock = lockHome(join(home, "lock"));
  const store = await openSqliteStore({ home, onFatal: () => process.exit(70) });
  writeSync(1, "opened\n");
  process.stdin.on("end", async () => {
    await store.close();
    lock.release();
    process.exit(0);
  });
  process.stdin.resume();
} catch (error) {
  writeSync(1, `${error instanceof StoreError ? error.code : String(error)}\n`);
  process.exit(1);
}
