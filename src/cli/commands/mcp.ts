import { expectWords } from "../arguments.ts";
import { reach } from "../daemon/connect.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

/** Runs until the client closes standard input. */
export const run: RunCommand = async (terminal, { args }) => {
  expectWords(args, [], "nomos mcp");
  const { pipeMcp } = await import("../stdio/pipe-mcp.ts");
  await pipeMcp(() => reach(terminal), { input: process.stdin, output: terminal.rawOutput });
  return EXIT.ok;
};
