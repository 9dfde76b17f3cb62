import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArguments, usageError } from "../../arguments.ts";
import { startupError } from "../../daemon/startup-error.ts";
import { EVERYDAY } from "../../everyday.ts";
import { pairLines } from "../../print/table.ts";
import { EXIT, type RunCommand, type Terminal } from "../../terminal.ts";

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    anchors: { type: "string" },
    "despite-anchors": { type: "boolean" },
  });
  const [from, more] = positionals;
  if (from === undefined) throw usageError("Which backup?", EVERYDAY.restore.usage);
  if (more !== undefined) throw usageError(`Unexpected argument "${more}".`, EVERYDAY.restore.usage);
  const report = await restored(terminal, resolve(terminal.cwd, from), {
    json,
    anchors: values.anchors === undefined ? undefined : await readAnchors(resolve(terminal.cwd, values.anchors)),
    despiteAnchors: values["despite-anchors"] === true,
  });
  if (json) terminal.printJson(report);
  else printReport(terminal, report);
  return EXIT.ok;
};

interface Asked {
  readonly json: boolean;
  readonly anchors: unknown;
  readonly despiteAnchors: boolean;
}

async function readAnchors(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw usageError(`The file of anchors cannot be read: ${reason}`, EVERYDAY.restore.usage);
  }
}

async function restored(terminal: Terminal, from: string, { json, anchors, despiteAnchors }: Asked) {
  const { restoreHome } = await import("../../../app/index.ts");
  const { home, environment } = terminal;
  const progress = (message: string): void => {
    if (!json) terminal.complain(`${message} ...`);
  };
  return restoreHome({ home, from, environment, anchors, despiteAnchors, progress }).catch((thrown: unknown) => {
    throw startupError(thrown, home);
  });
}

function printReport(terminal: Terminal, report: Awaited<ReturnType<typeof restored>>): void {
  const { home, from, store, madeAt, size, fence, newer, anchors, missingBlobs, tokensEnded, movedTo } = report;
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
  for (const anchor of anchors) terminal.print(anchorLine(anchor, size));
  if (missingBlobs > 0) terminal.print(`${missingBlobs} blobs were missing already when the backup was made.`);
  if (tokensEnded > 0)
    terminal.print(
      `${tokensEnded} scoped tokens of the backup are no longer good, since some may have been revoked after it: issue new ones with \`nomos token issue\`.`,
    );
  if (movedTo !== null) terminal.print(`The old contents of the home are now in ${movedTo}.`);
}

type Answer = Awaited<ReturnType<typeof restored>>["anchors"][number];

function anchorLine({ kind, where, verdict, size, problem }: Answer, restoredSize: number): string {
  const says = {
    agrees: `remembers ${size} events, all of them as in this backup.`,
    newer: `remembers ${size} events, ${(size ?? 0) - restoredSize} more than this backup. Somebody may have chosen an older backup to hide them.`,
    contradicts: "remembers other events than this backup holds. Restored all the same, as you asked.",
    "knows nothing": "remembers nothing of this log.",
    unreachable: `could not be asked: ${problem}. Whether it remembers more is unknown.`,
  }[verdict];
  return `Anchor ${kind} ${where}: ${says}`;
}
