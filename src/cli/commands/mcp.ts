import { expectWords, parseArguments } from "../arguments.ts";
import { reachAloud } from "../daemon/reach-aloud.ts";
import { EVERYDAY } from "../everyday.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

/** Runs until the client closes standard input. */
export const run: RunCommand = async (terminal, { args }) => {
  const { values, positionals } = parseArguments(args, { toolsets: { type: "string" } });
  expectWords(positionals, [], EVERYDAY.mcp.usage);
  const toolsets = values.toolsets ?? null;
  const { pipeMcp } = await import("../stdio/pipe-mcp.ts");
  const reach = reachAloud(terminal, "nomos mcp");
  await pipeMcp(async () => ({ ...(await reach()), toolsets }), {
    input: process.stdin,
    output: terminal.rawOutput,
  });
  return EXIT.ok;
};
