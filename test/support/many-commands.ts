import { main } from "../../src/cli/main.ts";

/** Runs commands of the real command line in one process, separated by a marker line. */
const [list = "[]", mark = ""] = process.argv.slice(2);
for (const stream of [process, process.stdout, process.stderr]) stream.setMaxListeners(0);
for (const argv of JSON.parse(list)) {
  await main(argv);
  process.stdout.write(`${mark}\n`);
  // On a terminal both are the same.
  if (!process.stderr.isTTY) process.stderr.write(`${mark}\n`);
}
process.exit(0);
