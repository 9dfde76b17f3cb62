import type { SyscallEntry } from "../../client/index.ts";
import { connect } from "../daemon/connect.ts";
import { patiently } from "../patiently.ts";
import { printBlame } from "../print/print-blame.ts";
import { printConflicts } from "../print/print-conflicts.ts";
import { printContext } from "../print/print-context.ts";
import { printDiff } from "../print/print-diff.ts";
import { printFanout, printFanoutDiff } from "../print/print-fan-out.ts";
import { printItem } from "../print/print-item.ts";
import { printOutput } from "../print/print-output.ts";
import { printReplay } from "../print/print-replay.ts";
import { type Answered, cardRows, memberAt, saidLines } from "../print/said-lines.ts";
import { wrap } from "../print/screen-text.ts";
import { pairLines } from "../print/table.ts";
import { stopByHand } from "../stop-by-hand.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";
import { entryOf, findSyscall } from "./find-syscall.ts";
import { readInput } from "./read-input.ts";

/** Runs any syscall by its words. */
export const runSyscall: RunCommand = async (terminal, { args, json }) => {
  const found = findSyscall(args);
  if (found === null) throw (await import("./unknown-command.ts")).unknownCommand(args);
  const entry = await entryOf(found.name);
  const { input, idempotencyKey } = await readInput(terminal, found, entry);
  const client = await connect(terminal);
  if (entry.kind === "stream") {
    const stop = stopByHand();
    for await (const item of client.streamByName(found.name, input, { signal: stop })) printItem(terminal, item, json);
    return EXIT.ok;
  }
  const sinceMs = Date.now();
  // In a pipe a diff is a patch, which has to hold everything.
  const isPatch = entry.cli.print === "diff" && !json && !terminal.isScreen;
  const asked = isPatch ? { ...input, binary: true } : input;
  const key = idempotencyKey === null ? {} : { idempotencyKey };
  const words = args.slice(0, WORDS_SHOWN).join(" ");
  const output = json
    ? await client.callByName(found.name, asked, key)
    : await patiently(terminal, words, (progress) => client.callByName(found.name, asked, { ...key, progress }));
  return answer(terminal, entry, { output, input, tookMs: Date.now() - sinceMs }, json);
};

const WORDS_SHOWN = 3;

/** Prints the answer as the definition says. The exit code depends on the answer: a successful call can report a failure. */
export function answer(terminal: Terminal, { cli }: SyscallEntry, answered: Answered, json: boolean): number {
  const { output } = answered;
  if (json) terminal.printJson(output);
  else if (cli.print === "diff") printDiff(terminal, output);
  else if (cli.print === "context") printContext(terminal, output);
  else if (cli.print === "blame") printBlame(terminal, output);
  else if (cli.print === "conflicts") printConflicts(terminal, output);
  else if (cli.print === "replay") printReplay(terminal, output);
  else if (cli.print === "fan-out") printFanout(terminal, output);
  else if (cli.print === "fan-out-diff") printFanoutDiff(terminal, output);
  else if (cli.says !== undefined) {
    sayTo(terminal, saidLines(cli.says, answered));
    const rows = cli.rows === undefined ? null : memberAt(output, cli.rows);
    if (Array.isArray(rows) && rows.length > 0) printOutput(terminal, { [cli.rows ?? ""]: rows });
  } else if (cli.card !== undefined)
    for (const line of pairLines(terminal, cardRows(cli.card, output))) terminal.print(line);
  else printOutput(terminal, output);
  return isNo(output, cli.succeeds) ? EXIT.failed : EXIT.ok;
}

/** Wrapped on a terminal; in a pipe each sentence is one line. */
function sayTo(terminal: Terminal, lines: readonly string[]): void {
  for (const line of lines)
    for (const part of terminal.isScreen ? wrap(line, terminal.columns) : [line]) terminal.print(part);
}

function isNo(output: unknown, succeeds: SyscallEntry["cli"]["succeeds"]): boolean {
  if (memberAt(output, "ok") === false) return true;
  const value = succeeds === undefined ? undefined : memberAt(output, succeeds.member);
  return value !== undefined && String(value) !== succeeds?.value;
}
