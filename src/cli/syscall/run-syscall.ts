import { ClientError } from "../../client/index.ts";
import { usageError } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { printItem } from "../print/print-item.ts";
import { printOutput } from "../print/print-output.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";
import { type FoundSyscall, families, findSyscall, shortForms, verbsOf } from "./find-syscall.ts";
import { nearest } from "./nearest.ts";
import { readInput } from "./read-input.ts";

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
  const output = await client.callByName(found.name, input, idempotencyKey === null ? {} : { idempotencyKey });
  return answer(terminal, found, output, json);
};

export function answer(terminal: Terminal, found: Pick<FoundSyscall, "name">, output: unknown, json: boolean): number {
  if (json) terminal.print(JSON.stringify(output));
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

/** Ctrl-C ends the watching in good order. */
export function stopByHand(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

export function unknownCommand(words: readonly string[]): ClientError {
  const [first = "", second] = words;
  const verbs = verbsOf(first).map(([verb]) => verb);
  if (verbs.length > 0) {
    if (second === undefined)
      return usageError(`What of ${first}? There is: ${verbs.join(", ")}.`, `nomos ${first} VERB`);
    const meant = nearest(second, verbs);
    return new ClientError("usage", {
      message: `There is no \`nomos ${first} ${second}\`.`,
      remedy: meant === null ? `There is: ${verbs.join(", ")}.` : `Did you mean \`nomos ${first} ${meant}\`?`,
    });
  }
  const known = [...Object.keys(EVERYDAY), ...shortForms().map(([short]) => short), ...families()];
  const meant = nearest(first, known);
  return new ClientError("usage", {
    message: `There is no command \`${first}\`.`,
    remedy:
      meant === null
        ? "`nomos help` lists them all."
        : `Did you mean \`nomos ${meant}\`? \`nomos help\` lists them all.`,
  });
}
