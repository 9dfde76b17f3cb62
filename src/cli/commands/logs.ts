import { expectWords, parseArguments } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { createTranscript } from "../print/transcript.ts";
import { beforeLast } from "../recent.ts";
import { stopByHand } from "../stop-by-hand.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

const LINES = 200;

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    follow: { type: "boolean", short: "f" },
    lines: { type: "string", short: "n" },
  });
  expectWords(positionals, ["SESSION"], EVERYDAY.logs.usage);
  const [id = ""] = positionals;
  const lastN = Number(values.lines ?? LINES);
  const client = await connect(terminal);
  if (values.follow !== true) {
    const output = await client.call("session.output", { id, lastN });
    if (json) terminal.printJson(output);
    else for (const { line } of output.lines) terminal.print(line);
    return EXIT.ok;
  }
  const after = await beforeLast(client, id, lastN);
  const transcript = createTranscript(terminal, { prompts: () => terminal.hasCursor });
  try {
    for await (const item of client.stream("session.stream", { id }, { after, signal: stopByHand() })) {
      if (!json) transcript.show(item);
      else if (item.event === "line") terminal.printJson(item.data);
    }
  } finally {
    transcript.close();
  }
  return EXIT.ok;
};
