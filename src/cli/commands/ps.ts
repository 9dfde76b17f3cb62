import { parseArguments, usageError } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { pause } from "../pause.ts";
import { printOutput } from "../print/print-output.ts";
import { stopByHand } from "../stop-by-hand.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

const LOOK_EVERY_MS = 1_000;

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    all: { type: "boolean", short: "a" },
    watch: { type: "boolean", short: "w" },
    limit: { type: "string" },
    after: { type: "string" },
  });
  if (positionals[0] !== undefined) throw usageError(`Unexpected argument "${positionals[0]}".`, EVERYDAY.ps.usage);
  const client = await connect(terminal);
  const list = () =>
    client.call("session.list", {
      onlyAlive: values.all !== true,
      ...(values.limit === undefined ? {} : { limit: Number(values.limit) }),
      ...(values.after === undefined ? {} : { after: values.after }),
    });
  if (values.watch !== true) show(terminal, await list(), json);
  else await watch(terminal, list, json);
  return EXIT.ok;
};

function show(terminal: Terminal, output: unknown, json: boolean): void {
  if (json) terminal.printJson(output);
  else printOutput(terminal, output);
}

/** On a terminal the table is redrawn in place; elsewhere each change is printed below the last. */
async function watch(terminal: Terminal, list: () => Promise<unknown>, json: boolean): Promise<void> {
  const stop = stopByHand();
  let shown = "";
  while (!stop.aborted) {
    const output = await list();
    if (terminal.isScreen && !json) terminal.clearScreen();
    if (JSON.stringify(output) !== shown || (terminal.isScreen && !json)) show(terminal, output, json);
    shown = JSON.stringify(output);
    await pause(LOOK_EVERY_MS, stop);
  }
}
