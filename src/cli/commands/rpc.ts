import { expectWords, parseArguments, usageError } from "../arguments.ts";
import { reach } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

const WAIT_MS = 30_000;
const WAIT_MAX_MS = 3_600_000;

/** Runs until the input ends and every call is answered or cancelled. */
export const run: RunCommand = async (terminal, { args }) => {
  const { values, positionals } = parseArguments(args, { "wait-ms": { type: "string" } });
  expectWords(positionals, [], EVERYDAY.rpc.usage);
  const waitMs = values["wait-ms"] === undefined ? WAIT_MS : Number(values["wait-ms"]);
  if (!Number.isInteger(waitMs) || waitMs < 0 || waitMs > WAIT_MAX_MS)
    throw usageError(`--wait-ms is a number of milliseconds up to ${WAIT_MAX_MS}.`, EVERYDAY.rpc.usage);
  const { pipeRpc } = await import("../stdio/pipe-rpc.ts");
  const pipe = { input: process.stdin, output: terminal.rawOutput };
  const { cancelled } = await pipeRpc(await reach(terminal), pipe, waitMs);
  return cancelled === 0 ? EXIT.ok : EXIT.failed;
};
