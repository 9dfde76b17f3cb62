import { expectWords, parseArguments } from "../../arguments.ts";
import { connect } from "../../daemon/connect.ts";
import { EVERYDAY } from "../../everyday.ts";
import { beforeLast } from "../../recent.ts";
import { dim } from "../../screen/styled.ts";
import { EXIT, type RunCommand } from "../../terminal.ts";

const EVENTS_SHOWN = 60;

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, { verbose: { type: "boolean" } });
  expectWords(positionals, ["SESSION"], EVERYDAY.attach.usage);
  const client = await connect(terminal);
  const session = await client.call("session.show", { id: positionals[0] ?? "" });
  const after = await beforeLast(client, session.id, EVENTS_SHOWN);
  const verbose = values.verbose === true;
  const { canTalk } = await import("../../talk/typing.ts");
  if (json || !canTalk(terminal)) {
    const { talkByLine } = await import("../../talk/line-mode.ts");
    const to = await talkByLine(terminal, client, { session, after, json, verbose });
    if (to !== null) terminal.complain(`Next: nomos attach ${to.session.name}`);
    return EXIT.ok;
  }
  let last = session;
  terminal.print(dim(`${session.name} (${session.agent}, ${session.state}) - /help, Ctrl-C interrupts, Ctrl-D leaves`));
  const { sayGoesOn, talkOn } = await import("../../talk/talk.ts");
  const { why } = await talkOn(terminal, client, { session, after, until: null, verbose }, async (left, to) => {
    if (to === null) last = left;
  });
  if (why === "detached") sayGoesOn(terminal, last, "attach");
  return EXIT.ok;
};
