import type { Client } from "../../client/index.ts";
import { expectWords, parseArguments } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { beforeLast } from "../recent.ts";
import { stopByHand } from "../stop-by-hand.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";
import { createTranscript } from "../transcript/transcript.ts";

const LINES = 200;

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    follow: { type: "boolean", short: "f" },
    lines: { type: "string", short: "n" },
    verbose: { type: "boolean" },
  });
  expectWords(positionals, ["SESSION"], EVERYDAY.logs.usage);
  const [id = ""] = positionals;
  const lastN = Number(values.lines ?? LINES);
  const verbose = values.verbose === true;
  const client = await connect(terminal);
  if (values.follow !== true && terminal.hasCursor && !json) return showLast(terminal, client, { id, lastN, verbose });
  if (values.follow !== true) {
    const output = await client.call("session.output", { id, lastN });
    if (json) terminal.printJson(output);
    else for (const { line } of output.lines) terminal.print(line);
    return EXIT.ok;
  }
  const after = await beforeLast(client, id, lastN);
  const transcript = createTranscript(terminal, { prompts: () => terminal.hasCursor, verbose });
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

interface Last {
  readonly id: string;
  readonly lastN: number;
  readonly verbose: boolean;
}

/** On a terminal the transcript looks as it did live; turns that a rewind left behind are marked. */
async function showLast(terminal: Terminal, client: Client, { id, lastN, verbose }: Last): Promise<number> {
  const { events } = await client.call("session.events", { id, order: "desc", limit: lastN });
  const path = await client.call("session.events", { id, order: "desc", limit: lastN, view: "path" });
  const kept = new Set(path.events.map((event) => event.id));
  const rewound = new Set(
    events.flatMap((event) => (event.type === "turn.admitted@1" && !kept.has(event.id) ? [turnOf(event.data)] : [])),
  );
  const transcript = createTranscript(terminal, { prompts: () => true, verbose, rewound, answers: "past" });
  for (const event of [...events].reverse()) transcript.show({ event: "event", id: event.id, data: event });
  transcript.close();
  return EXIT.ok;
}

function turnOf(data: unknown): string {
  return typeof data === "object" && data !== null && "turnId" in data ? String(data.turnId) : "";
}
