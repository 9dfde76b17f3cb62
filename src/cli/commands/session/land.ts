import type { Client, InputOf, OutputOf } from "../../../client/index.ts";
import { expectWords, parseArguments, usageError } from "../../arguments.ts";
import { connect } from "../../daemon/connect.ts";
import { EVERYDAY } from "../../everyday.ts";
import { landingLines } from "../../landing/landing-lines.ts";
import { splitWords } from "../../landing/split-words.ts";
import { checkOf, HOW_OPTIONS, howOf } from "../../landing/wish-options.ts";
import { patiently } from "../../patiently.ts";
import { wrap } from "../../print/screen-text.ts";
import { runInTerminal } from "../../screen/run-in-terminal.ts";
import type { Text } from "../../screen/styled.ts";
import { editOutside } from "../../talk/external-editor.ts";
import { EXIT, type RunCommand, type Terminal } from "../../terminal.ts";

type Answer = OutputOf<"session.land">;

const USAGE = EVERYDAY.land.usage;
const WAIT_MS_MAX = 3_600_000;

export const run: RunCommand = async (terminal, { args, json }) => {
  const { values, positionals } = parseArguments(args, {
    into: { type: "string" },
    ...HOW_OPTIONS,
    message: { type: "string", short: "m" },
    edit: { type: "boolean", short: "e" },
    check: { type: "string", multiple: true },
    pr: { type: "boolean" },
    create: { type: "boolean" },
    "dry-run": { type: "boolean" },
    wait: { type: "boolean" },
    "idempotency-key": { type: "string" },
  });
  expectWords(positionals.slice(0, 1), ["SESSION"], USAGE);
  const [named = "", branch, ...rest] = positionals;
  expectWords(rest, [], USAGE);
  if (branch !== undefined && values.into !== undefined) throw usageError(`Unexpected argument "${branch}".`, USAGE);
  const into = values.into ?? branch;
  const isDry = values["dry-run"] === true;
  if (values.create === true && values.pr !== true) throw usageError("--create needs --pr.", USAGE);
  if (values.edit === true && isDry) throw usageError("A dry run makes no commit: leave --edit out.", USAGE);
  const how = howOf(values, USAGE);
  const checks = (values.check ?? []).map((one) => checkOf(one, USAGE));
  const client = await connect(terminal);
  const message = values.edit === true ? await edited(terminal, client, named, values.message) : values.message;
  const input = {
    id: named,
    ...(into === undefined ? {} : { into }),
    ...(how === null ? {} : { how }),
    ...(message === undefined ? {} : { message }),
    ...(checks.length === 0 ? {} : { checks }),
    ...(values.pr === true ? { pr: true } : {}),
    ...(isDry ? { dryRun: true } : {}),
  };
  const key = values["idempotency-key"];
  const told = await landed(terminal, client, input, { key, isWaiting: values.wait !== false, json });
  if (json) terminal.printJson(told);
  else say(terminal, landingLines(told));
  if (!told.ok) return EXIT.failed;
  return values.create === true ? createRequest(terminal, told) : EXIT.ok;
};

/** The message that it would have, or the given one, as the person leaves it in the editor. */
async function edited(terminal: Terminal, client: Client, id: string, given: string | undefined): Promise<string> {
  const begun = given ?? (await client.call("landing.draft", { id })).message;
  const message = (await editOutside(terminal, begun)).trim();
  if (message === "") throw usageError("The message is empty, so nothing is landed.", USAGE);
  return message;
}

interface How {
  readonly key: string | undefined;
  readonly isWaiting: boolean;
  readonly json: boolean;
}

/** Queues it and waits for the outcome, so that the landing is known by its id while a person waits. */
async function landed(
  terminal: Terminal,
  client: Client,
  input: InputOf<"session.land">,
  { key, isWaiting, json }: How,
): Promise<Answer> {
  const given = key === undefined ? {} : { idempotencyKey: key };
  const queued = await (json
    ? client.call("session.land", input, given)
    : patiently(terminal, `landing ${input.id}`, (progress) =>
        client.call("session.land", input, progress === undefined ? given : { ...given, progress }),
      ));
  const { id } = queued;
  if (id === null || (queued.state !== "queued" && queued.state !== "checking")) return queued;
  if (!isWaiting) return { ...queued, ...(await client.call("landing.show", { id })) };
  const leave = new AbortController();
  const onInterrupt = (): void => {
    terminal.complain(`\nThe landing goes on. See it: nomos landing wait ${id}`);
    process.exitCode = EXIT.interrupted;
    leave.abort();
  };
  process.once("SIGINT", onInterrupt);
  const waited = { id, timeoutMs: WAIT_MS_MAX };
  const options = { signal: leave.signal };
  const settled = await (json
    ? client.call("landing.wait", waited, options)
    : patiently(terminal, `landing ${queued.sessionName}`, (progress) =>
        client.call("landing.wait", waited, progress === undefined ? options : { ...options, progress }),
      )
  ).finally(() => process.off("SIGINT", onInterrupt));
  return { ...queued, ...settled };
}

/** On a terminal a long line goes on in the next one; in a pipe each is one line. */
function say(terminal: Terminal, lines: readonly Text[]): void {
  for (const line of lines)
    if (typeof line === "string" && terminal.isScreen)
      for (const part of wrap(line, terminal.columns)) terminal.print(part);
    else terminal.print(line);
}

const FORGES: readonly string[] = ["gh", "glab"];

/** Runs what the daemon printed, without a shell, and only a forge's own program. */
async function createRequest(terminal: Terminal, { pushed, repository }: Answer): Promise<number> {
  const words = (pushed?.next ?? []).map(splitWords).find((argv) => FORGES.includes(argv?.[0] ?? ""));
  const [program, ...args] = words ?? [];
  if (program === undefined) {
    terminal.complain("The forge is unknown, so no request was opened. Open it by the address above.");
    return EXIT.failed;
  }
  const found = await runInTerminal(program, args, repository).catch(() => null);
  if (found !== null) return found === 0 ? EXIT.ok : EXIT.failed;
  terminal.complain(`${program} is not installed. Install it, or open the request by the address above.`);
  return EXIT.failed;
}
