import type { Client, OutputOf } from "../../../client/index.ts";
import { ClientError } from "../../../client/index.ts";
import { parseArguments, usageError } from "../../arguments.ts";
import { connect } from "../../daemon/connect.ts";
import { EVERYDAY } from "../../everyday.ts";
import { checkOf, HOW_OPTIONS, howOf } from "../../landing/wish-options.ts";
import { patiently } from "../../patiently.ts";
import { printFanout } from "../../print/print-fan-out.ts";
import { redactedLine } from "../../print/redacted-line.ts";
import { readPrompt } from "../../run/read-prompt.ts";
import { listed, START_OPTIONS, sharedInput } from "../../run/start-options.ts";
import { dim } from "../../screen/styled.ts";
import { runSyscall } from "../../syscall/run-syscall.ts";
import { EXIT, type Invocation, type RunCommand, type Terminal } from "../../terminal.ts";

type Fanout = OutputOf<"fan-out.show">;

const USAGE = EVERYDAY["fan-out"].usage;
const LAND_USAGE = "nomos fan-out land FAN-OUT SESSION|best [--squash | --rebase | --merge] [-m TEXT] [--into BRANCH]";
const VERBS: readonly string[] = ["list", "show", "wait", "watch", "diff", "drop"];
const WAIT_MS_MAX = 3_600_000;
const AGENTS_MIN = 2;

/** A prompt with `--agents` starts one; every other form is a syscall. */
export const run: RunCommand = async (terminal, given) => {
  const [verb = "", ...rest] = given.args;
  if (verb === "land") return land(terminal, { ...given, args: rest });
  // A prompt may begin with a verb, unquoted; nobody begins one with `start` alone.
  if (verb === "start" || (VERBS.includes(verb) && !given.args.some(namesAgents)))
    return runSyscall(terminal, { ...given, args: ["fan-out", ...given.args] });
  return begin(terminal, given);
};

const namesAgents = (word: string): boolean => /^(-a|--agents(=.*)?)$/.test(word);

async function begin(terminal: Terminal, { args, json }: Invocation): Promise<number> {
  const { agent: _agent, file: _file, worktree: _worktree, model: _model, ...all } = START_OPTIONS;
  const { ticket: _ticket, audit: _audit, ...shared } = all;
  const { values, positionals } = parseArguments(args, {
    ...shared,
    agents: { type: "string", short: "a", multiple: true },
    into: { type: "string" },
    check: { type: "string", multiple: true },
    "prompt-file": { type: "string" },
    "context-file": { type: "string", multiple: true },
    detach: { type: "boolean", short: "d" },
    "idempotency-key": { type: "string" },
  });
  const agents = listed(values.agents);
  if (agents.length < AGENTS_MIN) throw usageError("--agents names two agents or more: --agents claude,codex.", USAGE);
  const checks = (values.check ?? []).map((one) => checkOf(one, USAGE));
  const sources = { words: positionals, file: values["prompt-file"], contexts: values["context-file"] ?? [] };
  const prompt = await readPrompt(terminal, sources, USAGE);
  const client = await connect(terminal);
  const { base, into } = values;
  const input = {
    ...{ prompt, agents: [...agents] },
    ...sharedInput(terminal, values),
    ...(base === undefined ? {} : { base }),
    ...(into === undefined ? {} : { into }),
    ...(checks.length === 0 ? {} : { checks }),
  };
  const key = values["idempotency-key"];
  const started = await client.call("fan-out.start", input, key === undefined ? {} : { idempotencyKey: key });
  const replaced = redactedLine(started.redacted);
  if (replaced !== null) terminal.complain(replaced);
  for (const { agent, state, error } of started.candidates)
    if (state === "failed") terminal.complain(`${agent} does not run: ${error?.message ?? ""} The others go on.`);
  if (!json) introduce(terminal, started);
  const isDetached = values.detach === true;
  const fanout = isDetached ? started : await follow(terminal, client, started, json);
  if (fanout === null) return EXIT.interrupted;
  if (json) terminal.printJson(fanout);
  else printFanout(terminal, fanout);
  return isDetached || fanout.best !== null ? EXIT.ok : EXIT.failed;
}

function introduce(terminal: Terminal, { name, candidates }: Fanout): void {
  const running = candidates.filter(({ state }) => state !== "failed");
  const line = dim(`${name} · ${running.map((one) => `${one.name ?? "?"} (${one.agent})`).join(" · ")}`);
  if (terminal.isScreen) terminal.print(line);
  else terminal.complain(line);
}

/** Null when a person has left it. Everything goes on without a watcher. */
async function follow(terminal: Terminal, client: Client, { id, name }: Fanout, json: boolean): Promise<Fanout | null> {
  const leave = new AbortController();
  const onInterrupt = (): void => leave.abort();
  process.once("SIGINT", onInterrupt);
  const options = { signal: leave.signal };
  const wait = (): Promise<Fanout> => client.call("fan-out.wait", { id, timeoutMs: WAIT_MS_MAX }, options);
  const patient = (): Promise<Fanout> =>
    patiently(terminal, name, (progress) =>
      client.call(
        "fan-out.wait",
        { id, timeoutMs: WAIT_MS_MAX },
        progress === undefined ? options : { ...options, progress },
      ),
    );
  try {
    while (true)
      try {
        return await (json ? wait() : patient());
      } catch (thrown) {
        if (leave.signal.aborted) throw thrown;
        if (!(thrown instanceof ClientError && thrown.code === "wait_timeout")) throw thrown;
      }
  } catch (thrown) {
    if (!leave.signal.aborted) throw thrown;
    terminal.complain(`The fan-out goes on. Come back: nomos fan-out wait ${name}`);
    return null;
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}

/** Queues the landing and waits for its outcome. */
async function land(terminal: Terminal, { args, json }: Invocation): Promise<number> {
  const { values, positionals } = parseArguments(args, {
    ...HOW_OPTIONS,
    into: { type: "string" },
    message: { type: "string", short: "m" },
    check: { type: "string", multiple: true },
    pr: { type: "boolean" },
    wait: { type: "boolean" },
    id: { type: "string" },
    session: { type: "string" },
    "idempotency-key": { type: "string" },
  });
  const named = values.id === undefined ? positionals : [values.id, ...positionals];
  const [id = "", session = values.session, ...rest] = named;
  if (id === "" || session === undefined)
    throw usageError("A fan-out and a session, or `best`, are missing.", LAND_USAGE);
  if (rest.length > 0) throw usageError(`Unexpected argument "${rest[0]}".`, LAND_USAGE);
  const how = howOf(values, LAND_USAGE);
  const checks = (values.check ?? []).map((one) => checkOf(one, LAND_USAGE));
  const client = await connect(terminal);
  const { into, message } = values;
  const input = {
    ...{ id, session },
    ...(into === undefined ? {} : { into }),
    ...(how === null ? {} : { how }),
    ...(message === undefined ? {} : { message }),
    ...(checks.length === 0 ? {} : { checks }),
    ...(values.pr === true ? { pr: true } : {}),
  };
  const key = values["idempotency-key"];
  const queued = await client.call("fan-out.land", input, key === undefined ? {} : { idempotencyKey: key });
  const { landing, name } = queued;
  // A program gets the answer of the call, as of every family and verb.
  if (values.wait === false || (json && values.wait !== true)) {
    if (json) terminal.printJson(queued);
    else terminal.print(`Queued ${landing.name}. Next: nomos landing wait ${landing.id}`);
    return EXIT.ok;
  }
  const exitCode = await runSyscall(terminal, { json, args: ["landing", "wait", landing.id] });
  if (exitCode === EXIT.ok && !json) terminal.print(`The others are kept. Next: nomos fan-out drop ${name} --dry-run`);
  return exitCode;
}
