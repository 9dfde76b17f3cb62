import { writeSync } from "node:fs";
import { inspect } from "node:util";

const EXIT_BUG = 1;
const STDERR = 2;
const REPORT_CHARS_MAX = 100_000;

/** A bug ends the process as it always does; its report, which may end up in a file, passes `redact` first. */
export function reportBugs(redact: (text: string) => string): void {
  process.on("uncaughtException", (thrown) => {
    writeSync(STDERR, `${redact(inspect(thrown)).slice(0, REPORT_CHARS_MAX)}\n`);
    process.exit(EXIT_BUG);
  });
}
