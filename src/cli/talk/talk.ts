import type { Client, Session } from "../../client/index.ts";
import { beforeLast } from "../recent.ts";
import { dim } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { createTranscript } from "../transcript/transcript.ts";
import { CONNECTION_LOST, createTable } from "./table.ts";
import type { Ended, TalkOptions } from "./talk-options.ts";
import { openTyping } from "./typing.ts";

/** Events of a session's past that are shown when one comes to it. */
export const EVENTS_SHOWN = 60;

/** A person and one session, on one screen: the transcript above, the text being typed below. */
export async function talk(terminal: Terminal, client: Client, options: TalkOptions): Promise<Ended> {
  const { id, name, agent } = options.session;
  const table = createTable(terminal, client, options);
  const { area, leave, ended, turns, taker } = table;
  const stop = (): void => table.end("detached");
  process.once("SIGTERM", stop);
  process.once("SIGHUP", stop);
  const who = `${name} (${agent})`;
  const shown = { prompts: () => true, answers: "here" as const, verbose: options.verbose, who };
  const transcript = createTranscript(terminal, shown, area);
  const typing = openTyping({
    ...{ terminal, client, area, taker, editor: table.editor },
    session: options.session,
    offered: table.commands,
    isBusy: table.isBusy,
    picker: table.picker,
    unfold: transcript.unfold,
    isRun: options.until !== null,
    leave: table.end,
  });
  const follow = {
    after: options.after,
    signal: leave.signal,
    reconnectsMax: Number.POSITIVE_INFINITY,
    onBroken: () => area.notice(CONNECTION_LOST),
    onConnected: () => area.notice(null),
  };
  area.draw();
  try {
    for await (const item of client.stream("session.stream", { id }, follow)) {
      if (turns.isShown(item)) transcript.show(item);
      table.hear(item);
      area.draw();
      if (turns.isOver()) await taker.settled();
      if (turns.isOver()) break;
    }
  } finally {
    process.off("SIGTERM", stop);
    process.off("SIGHUP", stop);
    typing.close();
    transcript.close();
  }
  return { why: turns.isOver() ? "turn" : ended.why, turn: turns.ended(), to: ended.to };
}

/** Talks to one session after the other, as a person goes from one to the next; `left` is told of each. */
export async function talkOn(
  terminal: Terminal,
  client: Client,
  first: TalkOptions,
  left: (session: Session, next: Ended["to"]) => Promise<void>,
): Promise<Ended> {
  let options = first;
  while (true) {
    const ended = await talk(terminal, client, options);
    await left(options.session, ended.to);
    if (ended.to === null) return ended;
    const { session } = ended.to;
    terminal.print(dim(`${session.name} (${session.agent}, ${session.state}) in ${session.cwd}`));
    options = { ...options, session, after: await beforeLast(client, session.id, EVENTS_SHOWN) };
  }
}

/** Says how to come back to a session that was left. */
export function sayGoesOn(terminal: Terminal, { name }: Session, command: "attach" | "chat -s"): void {
  terminal.print(dim(`${name} goes on. Come back with: nomos ${command} ${name}`));
}
