import { expectWords, parseArguments } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { beforeLast } from "../recent.ts";
import { dim } from "../screen/styled.ts";
import { EXIT, type RunCommand } from "../terminal.ts";

const EVENTS_SHOWN = 60;

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, { verbose: { type: "boolean" } });
  expectWords(positionals, ["SESSION"], EVERYDAY.attach.usage);
  const client = await connect(terminal);
  const session = await client.call("session.show", { id: positionals[0] ?? "" });
  const after = await beforeLast(client, session.id, EVENTS_SHOWN);
  const verbose = values.verbose === true;
  const { canTalk } = await import("../talk/typing.ts");
  if (json || !canTalk(terminal)) {
    const { talkByLine } = await import("../talk/line-mode.ts");
    await talkByLine(terminal, client, { session, after, json, verbose });
    return EXIT.ok;
  }
  terminal.print(dim(`${session.name} (${session.agent}, ${session.state}) - /help, Ctrl-C interrupts, Ctrl-D leaves`));
  const { talk } = await import("../talk/talk.ts");
  await talk(terminal, client, { session, after, until: null, verbose });
  return EXIT.ok;
};
