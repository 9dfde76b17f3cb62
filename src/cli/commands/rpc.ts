import { expectWords } from "../arguments.ts";
import { reach } from "../daemon/connect.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

/** Until the input ends and everything that was asked has been answered. */
export const run: RunCommand = async (terminal, { args }) => {
  expectWords(args, [], "nomos rpc");
  const { pipeRpc } = await import("../stdio/pipe-rpc.ts");
  await pipeRpc(await reach(terminal), { input: process.stdin, output: terminal.rawOutput });
  return EXIT.ok;
};
