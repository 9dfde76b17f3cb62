import { connect } from "../daemon/connect.ts";
import { printDiff } from "../print/print-diff.ts";
import { printItem } from "../print/print-item.ts";
import { printOutput } from "../print/print-output.ts";
import { createStatusLine, type StatusLine } from "../print/status-line.ts";
import { stopByHand } from "../stop-by-hand.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";
import { type FoundSyscall, findSyscall } from "./find-syscall.ts";
import { readInput } from "./read-input.ts";
import { unknownCommand } from "./unknown-command.ts";

/** Any syscall, by the words that name it. */
export const runSyscall: RunCommand = async (terminal, { args, json }) => {
  const found = findSyscall(args);
  if (found === null) throw unknownCommand(args);
  const { input, idempotencyKey } = await readInput(terminal, found);
  const client = await connect(terminal);
  if (found.entry.kind === "stream") {
    const stop = stopByHand();
    for await (const item of client.streamByName(found.name, input, { signal: stop })) printItem(terminal, item, json);
    return EXIT.ok;
  }
  const call = client.callByName(found.name, input, idempotencyKey === null ? {} : { idempotencyKey });
  const output = await (json ? call : patiently(terminal, args.slice(0, WORDS_SHOWN).join(" "), call));
  return answer(terminal, found, output, json);
};

const WORDS_SHOWN = 3;
const SILENT_MS = 1000;

/** What takes long says so on the screen: what it is, and for how long by now. */
async function patiently<T>(terminal: Terminal, text: string, call: Promise<T>): Promise<T> {
  if (!terminal.hasCursor) return call;
  const sinceMs = Date.now();
  const lines: StatusLine[] = [];
  const timer = setTimeout(() => {
    const line = createStatusLine(terminal);
    line.set({ text, sinceMs });
    lines.push(line);
  }, SILENT_MS);
  return call.finally(() => {
    clearTimeout(timer);
    for (const line of lines) line.close();
  });
}

export function answer(terminal: Terminal, found: Pick<FoundSyscall, "name">, output: unknown, json: boolean): number {
  if (json) terminal.printJson(output);
  else if (found.name === "session.diff") printDiff(terminal, output);
  else printOutput(terminal, output);
  return verdictOf(found.name, output);
}

/** A call can succeed and still bring a "no": that is for the exit code too. */
function verdictOf(name: string, output: unknown): number {
  if (typeof output !== "object" || output === null) return EXIT.ok;
  if ("ok" in output && output.ok === false) return EXIT.failed;
  if (name !== "session.wait" || !("turn" in output)) return EXIT.ok;
  const { turn } = output;
  const outcome = typeof turn === "object" && turn !== null ? Reflect.get(turn, "outcome") : "completed";
  return outcome === "completed" ? EXIT.ok : EXIT.failed;
}
