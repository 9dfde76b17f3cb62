import { expectWords } from "../arguments.ts";
import { reach } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

/** Until the client closes our input. */
export const run: RunCommand = async (terminal, { args }) => {
  expectWords(args, [], EVERYDAY["mcp"]?.usage ?? "");
  const { pipeMcp } = await import("../stdio/pipe-mcp.ts");
  await pipeMcp(() => reach(terminal), { input: process.stdin, output: process.stdout });
  return EXIT.ok;
};
