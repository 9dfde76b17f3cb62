import { resolve } from "node:path";
import type { Client, Session } from "../../../client/index.ts";
import { parseArguments, usageError } from "../../arguments.ts";
import { connect } from "../../daemon/connect.ts";
import { EVERYDAY } from "../../everyday.ts";
import { ONLY_DEMO } from "../../follow-turn.ts";
import { redactedLine } from "../../print/redacted-line.ts";
import { chooseStart } from "../../run/choose-start.ts";
import { type Begun, runToEnd } from "../../run/follow-run.ts";
import { lastIn } from "../../run/last-session.ts";
import { readPrompt } from "../../run/read-prompt.ts";
import { START_OPTIONS, type StartOptions, startInput } from "../../run/start-options.ts";
import { type AnswerSchema, askedByPrompt, OWN_DRIVER, readSchema } from "../../schema/answer-schema.ts";
import { dim } from "../../screen/styled.ts";
import { EXIT, type RunCommand, type Terminal } from "../../terminal.ts";

interface RunOptions extends StartOptions {
  readonly session?: string | undefined;
  readonly queue?: boolean | undefined;
}

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    ...START_OPTIONS,
    session: { type: "string", short: "s" },
    continue: { type: "boolean", short: "c" },
    "prompt-file": { type: "string" },
    "context-file": { type: "string", multiple: true },
    schema: { type: "string" },
    timeout: { type: "string" },
    "exit-code": { type: "boolean" },
    quiet: { type: "boolean", short: "q" },
    queue: { type: "boolean" },
    detach: { type: "boolean", short: "d" },
    rm: { type: "boolean" },
    verbose: { type: "boolean" },
  });
  const waitMs = values.timeout === undefined ? null : durationMs(values.timeout);
  const schema = values.schema === undefined ? null : await readSchema(values.schema, terminal.cwd);
  const sources = { words: positionals, file: values["prompt-file"], contexts: values["context-file"] ?? [] };
  const mayBeEmpty = values.ticket !== undefined && schema === null;
  const prompt = await readPrompt(terminal, { ...sources, mayBeEmpty }, EVERYDAY.run.usage);
  const client = await connect(terminal);
  const where = resolve(terminal.cwd, values.cwd ?? ".");
  const earlier = values.continue === true ? await lastIn(client, where) : values.session;
  const begun =
    earlier === undefined
      ? await begin(terminal, client, { prompt, schema }, values)
      : await goOn(terminal, client, { prompt, schema }, { ...values, session: earlier });
  if (values.detach === true) {
    if (json) terminal.printJson(await client.call("session.show", { id: begun.id }));
    else terminal.print(`${begun.session.name}: follow it with \`nomos attach ${begun.session.name}\``);
    return EXIT.ok;
  }
  const isQuiet = values.quiet === true;
  if (!json && !isQuiet) introduce(terminal, begun.session);
  const how = { json, isQuiet, verbose: values.verbose === true, isExact: values["exit-code"] === true };
  const exitCode = await runToEnd(terminal, client, begun, { ...how, schema, waitMs });
  if (values.rm === true) await client.call("session.forget", { id: begun.id });
  return exitCode;
};

/** The session's name comes first, so that a person finds it again whatever happens next. */
function introduce(terminal: Terminal, { name, agent, sandbox, cwd }: Session): void {
  const line = dim(`${name} · ${agent} · sandbox ${sandbox} · ${cwd}`);
  if (terminal.isScreen) terminal.print(line);
  else terminal.complain(line);
}

interface Asked {
  readonly prompt: string;
  readonly schema: AnswerSchema | null;
}

async function begin(terminal: Terminal, client: Client, asked: Asked, given: RunOptions): Promise<Begun> {
  const { agent, options, isDemo } = await chooseStart(client, given);
  if (isDemo && terminal.isScreen) terminal.complain(ONLY_DEMO);
  const input = startInput(terminal, agent, promptFor(asked, agent.driver), options);
  const started = await client.call("session.start", { ...input, ...optionsFor(asked, agent.driver) });
  const { id, notice, neighbours = [] } = started;
  // In --json mode, stderr lists only sessions that are at work now. Without neighbours it is an offer, made once.
  const isWorthIt = terminal.isScreen || neighbours.length === 0 || neighbours.some(({ busy }) => busy);
  if (notice !== undefined && isWorthIt) terminal.complain(notice);
  for (const warning of started.warnings ?? []) terminal.complain(warning);
  return { id, turnId: null, after: 0, session: started, schemaBefore: false };
}

async function goOn(
  terminal: Terminal,
  client: Client,
  asked: Asked,
  { session: named = "", queue }: RunOptions,
): Promise<Begun> {
  const session = await client.call("session.show", { id: named });
  const { id, adapterSlug } = session;
  const options = optionsFor(asked, adapterSlug);
  const schemaBefore = options.options === undefined ? false : await schemaOf(client, id);
  if (options.options !== undefined) await client.call("session.configure", { id, ...options });
  const prompt = promptFor(asked, adapterSlug);
  const { turnId, redacted } = await client.call("session.prompt", {
    ...{ id, prompt },
    ...(queue === true ? { queue } : {}),
  });
  const replaced = redactedLine(redacted);
  if (replaced !== null) terminal.complain(replaced);
  const event = session.head === null ? null : await client.call("event.show", { eventId: session.head });
  return { id, turnId, after: event?.seq ?? 0, session, schemaBefore };
}

async function schemaOf(client: Client, id: string): Promise<string | false> {
  const schema = (await client.call("session.offer", { id })).chosen?.options["schema"];
  return typeof schema === "string" ? schema : false;
}

/** The own engine hands a schema to the model; another agent reads it in the prompt. */
function promptFor({ prompt, schema }: Asked, driver: string): string {
  return schema === null || driver === OWN_DRIVER ? prompt : askedByPrompt(prompt, schema);
}

function optionsFor({ schema }: Asked, driver: string): { readonly options?: Record<string, string> } {
  return schema === null || driver !== OWN_DRIVER ? {} : { options: { schema: schema.text } };
}

const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const DURATION_MAX_MS = 2_000_000_000;

/** `90`, `90s`, `10m`, `2h`. */
function durationMs(given: string): number {
  const [, count = "", unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(given.trim()) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? 1000);
  if (count === "" || !(ms > 0) || ms > DURATION_MAX_MS)
    throw usageError(`--timeout is a time such as 90, 90s, 10m or 2h, not ${JSON.stringify(given)}.`);
  return ms;
}
