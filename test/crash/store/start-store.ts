import { writeSync } from "node:fs";
import { join } from "node:path";
import { lockHome, openSqliteStore, StoreError } from "../../../src/store/index.ts";

/** Locks a home and opens its store, prints the result, and stays until it is told to end. */
const [home = ""] = process.argv.slice(2);
try {
  // Referenced until the end: an unreferenced lock would be collected and released.
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
