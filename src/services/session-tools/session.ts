import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import type { ServedResult, ServedTool } from "../../turns/index.ts";
import { type Caller, callerOf, codeOf, orRefusal, type SessionCall, said } from "./session-call.ts";
import { lastAnswer, type OutputReader, printed, type ReadBlob } from "./session-output.ts";
import { parseInput, schemaOf } from "./tool-input.ts";

const DOING = ["agents", "start", "prompt", "output", "wait", "list", "interrupt", "stop"] as const;
const WAIT_MS_MAX = 600_000;
const WAIT_MS = 60_000;

const Input = z.strictObject({
  do: z.enum(DOING),
  agent: z.string().min(1).max(200).optional().describe("start: which agent; `agents` lists those you may start."),
  prompt: z.string().min(1).max(200_000).optional().describe("start, prompt: what it is to do, complete in itself."),
  title: z.string().min(1).max(200).optional().describe("start: a short name of the work, for people."),
  ground: z.string().max(1024).optional().describe("start: ws://workspaces/… at or below yours. Default: yours."),
  id: z.string().min(1).max(200).optional().describe("The session, by name or id. For all but agents, start and list."),
  after: z.number().int().min(0).optional().describe("output: the cursor of the last answer. Default: the beginning."),
  timeoutMs: z.number().int().min(0).max(WAIT_MS_MAX).optional().describe("wait: at most. Default: a minute."),
});
type Input = z.infer<typeof Input>;
/** For what is shown and judged before the input is checked. */
const Loose = Input.partial();

/** Sessions below this one. Delegation decides what is allowed, as for every other caller. */
export function sessionTool(call: SessionCall, blob: ReadBlob): ServedTool {
  const parsed = (input: unknown): z.infer<typeof Loose> => Loose.safeParse(input).data ?? {};
  return {
    name: "session",
    description:
      "Other agents that work for you, each in a session of its own. `start` one with a prompt, go on with your work, then " +
      "`wait` for it; the answer has its last message. `output` reads what it said and did since a cursor. `prompt` gives it " +
      "more to do, `interrupt` ends its turn, `stop` ends it for good. Give it everything it needs in the prompt: it sees " +
      "nothing of your conversation.",
    input: schemaOf(Input),
    kind: "session",
    redo: "safe",
    mode: "parallel",
    resource: (input) => {
      const given = parsed(input);
      return given.do === "start" ? `agent/${given.agent ?? ""}` : `session/${given.id ?? "below"}`;
    },
    shown: (input) => {
      const { do: doing = "", agent, id, prompt } = parsed(input);
      return [doing, agent ?? id, prompt].filter((part) => part !== undefined).join(" ");
    },
    run: (input, about) => orRefusal(() => doIt(parseInput(Input, input), { ...callerOf(call, about), blob })),
  };
}

function doIt(input: Input, caller: Caller & OutputReader): Promise<ServedResult> {
  switch (input.do) {
    case "agents":
      return agents(caller);
    case "start":
      return start(caller, input);
    case "list":
      return list(caller);
    case "prompt":
      return prompt(caller, required(input, "id"), required(input, "prompt"));
    case "output":
      return output(caller, required(input, "id"), input.after ?? 0);
    case "wait":
      return wait(caller, required(input, "id"), input.timeoutMs ?? WAIT_MS);
    case "interrupt":
      return end(caller, "session.interrupt", required(input, "id"));
    case "stop":
      return end(caller, "session.kill", required(input, "id"));
  }
}

function required(input: Input, member: "id" | "prompt" | "agent"): string {
  const value = input[member];
  if (value !== undefined) return value;
  throw new NomosError("invalid_request", { field: member }, { message: `\`${input.do}\` needs \`${member}\`.` });
}

const Outlook = z.object({
  agents: z.array(
    z.object({ slug: z.string(), driver: z.string(), allowed: z.boolean(), code: z.string().nullable() }),
  ),
});

async function agents({ read }: Caller): Promise<ServedResult> {
  const found = Outlook.parse(await read("session.delegates", { id: "self" })).agents;
  const lines = found.map(({ slug, driver, allowed, code }) =>
    allowed ? `${slug} (driver ${driver})` : `${slug}: refused, ${code ?? "not allowed"}`,
  );
  return said(lines.join("\n"));
}

const Started = z.object({ id: z.string(), name: z.string(), agent: z.string() });

async function start(caller: Caller, input: Input): Promise<ServedResult> {
  const agent = required(input, "agent");
  const { agents: known } = Outlook.parse(await caller.read("session.delegates", { id: "self" }));
  // Whether it is allowed is decided by the start itself, also for one that an earlier run of this turn made.
  const adapter = known.find(({ slug }) => slug === agent)?.driver ?? agent;
  const given = { prompt: input.prompt, title: input.title, ground: input.ground };
  const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const started = Started.parse(await caller.write("session.start", { adapter, agent, ...asked }));
  return said(`Started ${started.name} with ${started.agent}.${input.prompt === undefined ? "" : " It works."}`);
}

async function prompt({ write }: Caller, id: string, text: string): Promise<ServedResult> {
  const { queued } = z
    .object({ queued: z.boolean() })
    .parse(await write("session.prompt", { id, prompt: text, queue: true }));
  return said(queued ? `Queued: ${id} takes it when its turn has ended.` : `${id} works on it.`);
}

async function output(reader: OutputReader, id: string, after: number): Promise<ServedResult> {
  const { text, next } = await printed(reader, id, after);
  const end = `[cursor ${next}]`;
  return said(text === "" ? `Nothing new. ${end}` : `${text}\n${end}`);
}

const State = z.object({ name: z.string(), state: z.string(), waitingFor: z.string().optional() });
const Waited = z.object({ session: State, turn: z.object({ outcome: z.string() }).nullable() });

async function wait(reader: OutputReader, id: string, timeoutMs: number): Promise<ServedResult> {
  const { read } = reader;
  try {
    const { session, turn } = Waited.parse(await read("session.wait", { id, timeoutMs }));
    const answer = await lastAnswer(reader, id);
    const head = `${session.name} is ${session.state}${turn === null ? "" : `; its last turn: ${turn.outcome}`}.`;
    return said(answer === null ? head : `${head} Its last message:\n${answer}`);
  } catch (thrown) {
    if (codeOf(thrown) !== "wait_timeout") throw thrown;
    const { name, state, waitingFor } = State.parse(await read("session.show", { id }));
    const why = waitingFor === "approval" ? ", and waits for a person's answer" : "";
    return said(`${name} is still ${state} after ${timeoutMs / 1000} s${why}.`);
  }
}

const Listed = z.object({ sessions: z.array(State.extend({ id: z.string(), agent: z.string(), depth: z.number() })) });

async function list({ read }: Caller): Promise<ServedResult> {
  // Its own session is the first of the list.
  const [, ...below] = Listed.parse(await read("session.list", {})).sessions;
  if (below.length === 0) return said("You have started no sessions.");
  return said(below.map(({ name, agent, state }) => `${name} (${agent}): ${state}`).join("\n"));
}

async function end({ write }: Caller, syscall: string, id: string): Promise<ServedResult> {
  await write(syscall, { id });
  return said(syscall === "session.kill" ? `${id} has ended.` : `${id} has no running turn now.`);
}
