import { resolve } from "node:path";
import { parseArguments, usageError } from "../arguments.ts";
import { startupError } from "../daemon/startup-error.ts";
import { EVERYDAY } from "../everyday.ts";
import { pairLines } from "../print/table.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

export const run: RunCommand = async (terminal, { args, json }) => {
  const { positionals } = parseArguments(args, {});
  const [from, more] = positionals;
  if (from === undefined) throw usageError("Which backup?", EVERYDAY.restore.usage);
  if (more !== undefined) throw usageError(`Unexpected argument "${more}".`, EVERYDAY.restore.usage);
  const report = await restored(terminal, resolve(terminal.cwd, from), json);
  if (json) terminal.printJson(report);
  else printReport(terminal, report);
  return EXIT.ok;
};

async function restored(terminal: Terminal, from: string, json: boolean) {
  const { restoreHome } = await import("../../app/index.ts");
  const { home, environment } = terminal;
  const progress = (message: string): void => {
    if (!json) terminal.complain(`${message} ...`);
  };
  return restoreHome({ home, from, environment, progress }).catch((thrown: unknown) => {
    throw startupError(thrown, home);
  });
}

function printReport(terminal: Terminal, report: Awaited<ReturnType<typeof restored>>): void {
  const { home, from, store, madeAt, size, fence, newer, missingBlobs, tokensEnded, movedTo } = report;
  const lines = pairLines(terminal, [
    ["home", home],
    ["store", store],
    ["from", from],
    ["made", madeAt],
    ["events", String(size)],
    ["epoch", String(fence)],
  ]);
  for (const line of lines) terminal.print(line);
  if (newer !== null)
    terminal.print(
      `A checkpoint over ${newer.size} events was signed after this backup: ${newer.size - size} events are lost. The log records this.`,
    );
  if (missingBlobs > 0) terminal.print(`${missingBlobs} blobs were missing already when the backup was made.`);
  if (tokensEnded > 0)
    terminal.print(
      `${tokensEnded} scoped tokens of the backup are no longer good, since some may have been revoked after it: issue new ones with \`nomos token issue\`.`,
    );
  if (movedTo !== null) terminal.print(`The old contents of the home are now in ${movedTo}.`);
}
