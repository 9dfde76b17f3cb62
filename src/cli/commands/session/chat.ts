import { resolve } from "node:path";
import type { Client, Session } from "../../../client/index.ts";
import { expectWords, parseArguments, usageError } from "../../arguments.ts";
import { connect } from "../../daemon/connect.ts";
import { EVERYDAY } from "../../everyday.ts";
import { beforeLast } from "../../recent.ts";
import { chooseChat } from "../../run/choose-start.ts";
import { lastIn } from "../../run/last-session.ts";
import { START_OPTIONS, type StartOptions, startInput } from "../../run/start-options.ts";
import { dim, yellow } from "../../screen/styled.ts";
import { EXIT, type RunCommand, type Terminal } from "../../terminal.ts";

interface Begun {
  readonly session: Session;
  readonly isNew: boolean;
}

const DEMO_LINES = [
  "No model and no agent is configured, so demo/script answers: it plays the lines",
  "you type. Try `say hello`, `run ls`, `write a.txt hi`, `ask Shall I?`.",
  "Add a model: nomos model add anthropic --model claude-sonnet-5",
  "or an agent: nomos driver install claude",
] as const;

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    ...START_OPTIONS,
    session: { type: "string", short: "s" },
    continue: { type: "boolean", short: "c" },
    verbose: { type: "boolean" },
  });
  expectWords(positionals, [], EVERYDAY.chat.usage);
  if (json) throw usageError('A chat is for people. A program uses: nomos run --json "prompt"', EVERYDAY.chat.usage);
  // Loaded while the daemon is asked: a person waits for the prompt.
  const [client, { canTalk }] = await Promise.all([
    connect(terminal),
    import("../../talk/typing.ts"),
    import("../../talk/talk.ts"),
  ]);
  const named =
    values.continue === true ? await lastIn(client, resolve(terminal.cwd, values.cwd ?? ".")) : values.session;
  const begun =
    named === undefined
      ? await begin(terminal, client, values)
      : { session: await client.call("session.show", { id: named }), isNew: false };
  const talking = { verbose: values.verbose === true, hasStatus: true };
  if (canTalk(terminal)) await onScreen(terminal, client, begun, talking);
  else await byLine(terminal, client, begun, talking);
  return EXIT.ok;
};

async function begin(terminal: Terminal, client: Client, given: StartOptions): Promise<Begun> {
  const { agent, options, isDemo } = await chooseChat(client, given);
  if (isDemo) for (const line of DEMO_LINES) terminal.complain(yellow(line));
  const { prompt: _none, ...input } = startInput(terminal, agent, "", options);
  const { notice, neighbours = [], ...session } = await client.call("session.start", input);
  // Without neighbours it is an offer that is made once.
  const isWorthIt = neighbours.length === 0 || neighbours.some(({ busy }) => busy);
  if (notice !== undefined && isWorthIt) terminal.complain(notice);
  return { session, isNew: true };
}

interface Talking {
  readonly verbose: boolean;
  readonly hasStatus: boolean;
}

async function onScreen(terminal: Terminal, client: Client, first: Begun, how: Talking): Promise<void> {
  const { EVENTS_SHOWN, sayGoesOn, talkOn } = await import("../../talk/talk.ts");
  const { session } = first;
  introduce(terminal, session);
  const after = first.isNew ? 0 : await beforeLast(client, session.id, EVENTS_SHOWN);
  let { isNew } = first;
  let last: Session | null = session;
  const ended = await talkOn(terminal, client, { session, after, until: null, ...how }, async (left, to) => {
    last = isNew && (await forgetUnused(client, left)) ? null : left;
    isNew = to?.isNew ?? false;
  });
  if (last !== null && ended.why === "detached") sayGoesOn(terminal, last, "chat -s");
}

async function byLine(terminal: Terminal, client: Client, first: Begun, how: Talking): Promise<void> {
  const { talkByLine } = await import("../../talk/line-mode.ts");
  let begun: Begun | null = first;
  while (begun !== null) {
    const { session, isNew }: Begun = begun;
    introduce(terminal, session);
    if (terminal.isKeyboard()) terminal.complain("Type a prompt and Enter. /help lists the commands, /quit leaves.");
    const after = isNew
      ? 0
      : ((await client.call("session.events", { id: session.id, order: "desc", limit: 1 })).events[0]?.seq ?? 0);
    begun = await talkByLine(terminal, client, { session, after, json: false, ...how });
    const isForgotten = isNew && (await forgetUnused(client, session));
    if (begun === null && !isForgotten)
      terminal.complain(`${session.name} goes on. Come back with: nomos chat -s ${session.name}`);
  }
}

function introduce(terminal: Terminal, { name, agent, sandbox, cwd }: Session): void {
  const line = `${name} · ${agent} · sandbox ${sandbox} · ${cwd}`;
  if (terminal.hasCursor) terminal.print(dim(`${line} - /help`));
  else terminal.complain(line);
}

/** A session to which nothing was said leaves no trace. */
async function forgetUnused(client: Client, { id }: Session): Promise<boolean> {
  try {
    if ((await client.call("session.turns", { id, limit: 1 })).turns.length > 0) return false;
    await client.call("session.forget", { id });
    return true;
  } catch {
    // No daemon, or somebody removed the session: nothing is left to do here.
    return false;
  }
}
