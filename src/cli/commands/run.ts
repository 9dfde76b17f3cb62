import { resolve } from "node:path";
import type { Client, StreamItem } from "../../client/index.ts";
import { parseArguments, usageError } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { type Awaited, chooseAgent, followTurn } from "../follow-turn.ts";
import { createTranscript } from "../print/transcript.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

interface RunOptions {
  readonly agent?: string | undefined;
  readonly cwd?: string | undefined;
  readonly workspace?: string | undefined;
  readonly label?: string | undefined;
  readonly file?: string | undefined;
  readonly worktree?: boolean | undefined;
  readonly base?: string | undefined;
  readonly session?: string | undefined;
  readonly queue?: boolean | undefined;
}

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    agent: { type: "string", short: "a" },
    cwd: { type: "string", short: "C" },
    workspace: { type: "string", short: "w" },
    label: { type: "string" },
    file: { type: "string" },
    worktree: { type: "boolean" },
    base: { type: "string" },
    session: { type: "string", short: "s" },
    queue: { type: "boolean" },
    detach: { type: "boolean", short: "d" },
  });
  const words = positionals.join(" ");
  const prompt = words === "-" ? (await terminal.readInput()).replace(/\n$/, "") : words;
  if (prompt === "") throw usageError("The prompt is missing.", EVERYDAY.run.usage);
  const client = await connect(terminal);
  const begun = values.session === undefined ? begin(terminal, client, prompt, values) : goOn(client, prompt, values);
  const awaited = await begun;
  if (values.detach === true) {
    const session = await client.call("session.show", { id: awaited.id });
    if (json) terminal.printJson(session);
    else terminal.print(`${session.name}: follow it with \`nomos attach ${session.name}\``);
    return EXIT.ok;
  }
  return followToEnd(terminal, client, awaited, json);
};

async function begin(terminal: Terminal, client: Client, prompt: string, options: RunOptions): Promise<Awaited> {
  const agent = await chooseAgent(client, options.agent);
  const {
    id,
    notice,
    neighbours = [],
  } = await client.call("session.start", {
    adapter: agent.driver,
    agent: agent.slug,
    ...(options.workspace === undefined
      ? { cwd: resolve(terminal.cwd, options.cwd ?? ".") }
      : { ground: `ws://workspaces/${options.workspace}` }),
    prompt,
    ...(options.label === undefined ? {} : { label: options.label }),
    ...(options.file === undefined ? {} : { file: resolve(terminal.cwd, options.file) }),
    ...(options.worktree === true || options.base !== undefined ? { worktree: true } : {}),
    ...(options.base === undefined ? {} : { base: options.base }),
  });
  // In --json mode, stderr lists only sessions that are at work now.
  const isWorthIt = terminal.isScreen || neighbours.some(({ busy }) => busy);
  if (notice !== undefined && isWorthIt) terminal.complain(notice);
  return { id, turnId: null, after: 0 };
}

async function goOn(client: Client, prompt: string, { session = "", queue }: RunOptions): Promise<Awaited> {
  const { head, id } = await client.call("session.show", { id: session });
  const { turnId } = await client.call("session.prompt", { id, prompt, ...(queue === true ? { queue } : {}) });
  const event = head === null ? null : await client.call("event.show", { eventId: head });
  return { id, turnId, after: event?.seq ?? 0 };
}

async function followToEnd(terminal: Terminal, client: Client, awaited: Awaited, json: boolean): Promise<number> {
  const lines: string[] = [];
  const transcript = createTranscript(terminal, { prompts: () => false });
  const show = (item: StreamItem): void => {
    if (item.event === "line") lines.push(item.data.line);
    if (!json) transcript.show(item);
  };
  const leave = new AbortController();
  const stopInterrupting = interruptByHand(terminal, client, awaited.id, leave);
  const turn = await followTurn(client, awaited, show, leave.signal).finally(() => transcript.close());
  stopInterrupting();
  if (leave.signal.aborted) return EXIT.interrupted;
  if (json) {
    const session = await client.call("session.show", { id: awaited.id });
    const { id, name } = session;
    const { turnId = null, outcome = null } = turn ?? {};
    terminal.printJson({ id, name, turnId, outcome, lines, session });
  }
  return turn?.outcome === "completed" ? EXIT.ok : EXIT.failed;
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
