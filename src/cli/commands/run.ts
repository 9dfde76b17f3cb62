import { type Client, ClientError, type Session, type StreamItem } from "../../client/index.ts";
import { parseArguments } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { type Awaited, chooseAgent, DEMO, followTurn, ONLY_DEMO } from "../follow-turn.ts";
import { readPrompt } from "../run/read-prompt.ts";
import { START_OPTIONS, type StartOptions, startInput } from "../run/start-options.ts";
import { dim } from "../screen/styled.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";
import { createTranscript } from "../transcript/transcript.ts";

interface RunOptions extends StartOptions {
  readonly session?: string | undefined;
  readonly continue?: boolean | undefined;
  readonly queue?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly rm?: boolean | undefined;
}

interface Begun extends Awaited {
  readonly session: Session;
}

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    ...START_OPTIONS,
    session: { type: "string", short: "s" },
    continue: { type: "boolean", short: "c" },
    "prompt-file": { type: "string" },
    queue: { type: "boolean" },
    detach: { type: "boolean", short: "d" },
    rm: { type: "boolean" },
    verbose: { type: "boolean" },
  });
  const prompt = await readPrompt(terminal, positionals, values["prompt-file"], EVERYDAY.run.usage);
  const client = await connect(terminal);
  const earlier = values.continue === true ? await lastHere(terminal, client) : values.session;
  const begun =
    earlier === undefined
      ? await begin(terminal, client, prompt, values)
      : await goOn(client, prompt, { ...values, session: earlier });
  if (values.detach === true) {
    if (json) terminal.printJson(await client.call("session.show", { id: begun.id }));
    else terminal.print(`${begun.session.name}: follow it with \`nomos attach ${begun.session.name}\``);
    return EXIT.ok;
  }
  if (!json) introduce(terminal, begun.session);
  const exitCode = await followToEnd(terminal, client, begun, { json, verbose: values.verbose === true });
  if (values.rm === true) await client.call("session.forget", { id: begun.id });
  return exitCode;
};

/** The session's name comes first, so that a person finds it again whatever happens next. */
function introduce(terminal: Terminal, { name, agent, sandbox, cwd }: Session): void {
  const line = dim(`${name} · ${agent} · sandbox ${sandbox} · ${cwd}`);
  if (terminal.isScreen) terminal.print(line);
  else terminal.complain(line);
}

async function begin(terminal: Terminal, client: Client, prompt: string, options: RunOptions): Promise<Begun> {
  const agent = await chooseAgent(client, options.agent);
  if (agent.slug === DEMO && options.agent === undefined && terminal.isScreen) terminal.complain(ONLY_DEMO);
  const started = await client.call("session.start", startInput(terminal, agent, prompt, options));
  const { id, notice, neighbours = [] } = started;
  // In --json mode, stderr lists only sessions that are at work now.
  const isWorthIt = terminal.isScreen || neighbours.some(({ busy }) => busy);
  if (notice !== undefined && isWorthIt) terminal.complain(notice);
  return { id, turnId: null, after: 0, session: started };
}

async function goOn(client: Client, prompt: string, { session: id = "", queue }: RunOptions): Promise<Begun> {
  const session = await client.call("session.show", { id });
  const asked = { id: session.id, prompt, ...(queue === true ? { queue } : {}) };
  const { turnId } = await client.call("session.prompt", asked);
  const event = session.head === null ? null : await client.call("event.show", { eventId: session.head });
  return { id: session.id, turnId, after: event?.seq ?? 0, session };
}

/** The living session of this directory that was heard last. */
async function lastHere({ cwd }: Terminal, client: Client): Promise<string> {
  const { sessions } = await client.call("session.list", { onlyAlive: true });
  const here = sessions
    .filter((session) => session.cwd === cwd)
    .sort((one, other) => heardAt(other).localeCompare(heardAt(one)));
  if (here[0] !== undefined) return here[0].id;
  throw new ClientError("session_not_found", {
    message: "No session works in this directory.",
    remedy: 'Start one: nomos run "..."; `nomos ps` lists the others.',
  });
}

function heardAt({ lastOutputAt, startedAt }: Session): string {
  return lastOutputAt ?? startedAt;
}

interface Shown {
  readonly json: boolean;
  readonly verbose: boolean;
}

async function followToEnd(terminal: Terminal, client: Client, begun: Begun, shown: Shown): Promise<number> {
  const { canTalk } = await import("../talk/typing.ts");
  if (!shown.json && canTalk(terminal)) return talkToEnd(terminal, client, begun, shown.verbose);
  const lines: string[] = [];
  const { name, agent } = begun.session;
  const options = { prompts: () => false, verbose: shown.verbose, who: `${name} (${agent})` };
  const transcript = createTranscript(terminal, options);
  const show = (item: StreamItem): void => {
    if (item.event === "line") lines.push(item.data.line);
    if (!shown.json) transcript.show(item);
  };
  const leave = new AbortController();
  const stopInterrupting = interruptByHand(terminal, client, begun.id, leave);
  const turn = await followTurn(client, begun, show, leave.signal).finally(() => transcript.close());
  stopInterrupting();
  if (leave.signal.aborted) return EXIT.interrupted;
  if (shown.json) {
    const session = await client.call("session.show", { id: begun.id });
    const { turnId = null, outcome = null } = turn ?? {};
    terminal.printJson({ id: begun.id, name, turnId, outcome, lines, session });
  }
  return turn?.outcome === "completed" ? EXIT.ok : EXIT.failed;
}

/** At a keyboard: questions are answered in place, and more text is queued. */
async function talkToEnd(terminal: Terminal, client: Client, begun: Begun, verbose: boolean): Promise<number> {
  const { talk } = await import("../talk/talk.ts");
  const { session, after, turnId } = begun;
  const { why, outcome } = await talk(terminal, client, { session, after, until: { turnId }, verbose });
  if (why === "interrupted") return EXIT.interrupted;
  if (why === "detached") return EXIT.ok;
  return outcome === "completed" ? EXIT.ok : EXIT.failed;
}

/** The first Ctrl-C interrupts the turn and shows what it left; the second one exits at once. */
function interruptByHand(terminal: Terminal, client: Client, id: string, leave: AbortController): () => void {
  let asked = false;
  const onInterrupt = (): void => {
    if (asked) leave.abort();
    else {
      asked = true;
      terminal.complain("interrupting the turn; press Ctrl-C again to leave");
      client.call("session.interrupt", { id }).catch(() => leave.abort());
    }
  };
  process.on("SIGINT", onInterrupt);
  return () => process.off("SIGINT", onInterrupt);
}
