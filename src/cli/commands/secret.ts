import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { ClientError } from "../../client/index.ts";
import { usageError } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { readFileLimited } from "../run/read-limited.ts";
import { askHidden } from "../screen/ask-hidden.ts";
import { readValue } from "../secrets/read-value.ts";
import { runScan } from "../secrets/scan.ts";
import { onlyOne, type TakenOptions, takeOptions } from "../secrets/take-options.ts";
import { entryOf } from "../syscall/find-syscall.ts";
import { readInput } from "../syscall/read-input.ts";
import { answer, runSyscall } from "../syscall/run-syscall.ts";
import type { Invocation, RunCommand, Terminal } from "../terminal.ts";

const ENV_FILE_BYTES_MAX = 4_194_304;
const KEY_FILE_BYTES_MAX = 16_384;

interface Verb {
  readonly usage: string;
  /** Options of its own, and whether each takes a value. */
  readonly options: { readonly [option: string]: boolean };
  /** How many words may follow: the name, and never a value. */
  readonly words: number;
  /** The members that must not be arguments. */
  readonly confidential: (terminal: Terminal, taken: TakenOptions, given: Given) => Promise<object>;
  /** What to add when the daemon refuses the call without it; null: nothing helps. */
  readonly onRefusal?: (terminal: Terminal, thrown: unknown) => Promise<object | null>;
}

interface Given {
  readonly words: readonly string[];
  readonly input: Readonly<Record<string, unknown>>;
}

const SOURCES = { stdin: false, file: true, env: true } as const;
const { usage: SET_USAGE } = EVERYDAY.secret;

/** Every verb is a syscall. Those that carry a secret get it here: arguments are seen by others and kept by shells. */
const VERBS: { readonly [verb: string]: Verb } = {
  set: { usage: SET_USAGE, options: SOURCES, words: 1, confidential: givenValue(SET_USAGE) },
  rotate: {
    usage: SET_USAGE.replace(" set ", " rotate ").replace(" [--bind JSON]", ""),
    options: SOURCES,
    words: 1,
    confidential: givenValue(SET_USAGE.replace(" set ", " rotate ").replace(" [--bind JSON]", "")),
  },
  import: {
    usage: "nomos secret import FILE|- [--only NAME,...] [--scope SCOPE]",
    options: { only: true },
    words: 1,
    confidential: entriesOf,
  },
  unlock: {
    usage: "nomos secret unlock [--stdin | --key-file FILE]",
    options: { stdin: false, "key-file": true },
    words: 0,
    confidential: openerOf,
    onRefusal: askedPassphrase,
  },
  rekey: {
    usage: "nomos secret rekey [--to file|keyring|passphrase] [--stdin]",
    options: { stdin: false },
    words: 0,
    confidential: newPassphrase,
  },
};

export const run: RunCommand = async (terminal, given) => {
  const [name = "", ...args] = given.args;
  if (name === "scan") return runScan(terminal, { ...given, args });
  if (name === "import" && args.includes("--config")) {
    const rest = args.filter((word) => word !== "--config");
    return runSyscall(terminal, { ...given, args: ["secret", "adopt", ...rest] });
  }
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (verb === undefined) return runSyscall(terminal, { ...given, args: ["secret", ...given.args] });
  refuseSpoken(args, verb.usage);
  return call(terminal, given, { name, verb, taken: takeOptions(args, verb.options, verb.usage) });
};

async function call(
  terminal: Terminal,
  { json }: Invocation,
  { name, verb, taken }: { readonly name: string; readonly verb: Verb; readonly taken: TakenOptions },
): Promise<number> {
  const syscall = `secret.${name}`;
  const entry = await entryOf(syscall);
  const words = wordsIn(taken.rest);
  // Not echoed: what stands there is probably the value.
  if (words.length > verb.words)
    throw usageError(
      verb.words === 0 ? "This command takes no words." : "Only the name is an argument: a value never is.",
      verb.usage,
    );
  // The words of `import` name a file, which the daemon never sees.
  const rest = name === "import" ? taken.rest.filter((word) => !words.includes(word)) : taken.rest;
  const { input, idempotencyKey } = await readInput(
    terminal,
    { name: syscall, spelling: `secret ${name}`, rest },
    entry,
  );
  const asked = { ...input, ...(await verb.confidential(terminal, taken, { words, input })) };
  const client = await connect(terminal);
  const sinceMs = Date.now();
  const ask = (more: object) =>
    client.callByName(syscall, { ...asked, ...more }, idempotencyKey === null ? {} : { idempotencyKey });
  const output = await ask({}).catch(async (thrown: unknown) => {
    const more = (await verb.onRefusal?.(terminal, thrown)) ?? null;
    if (more === null) throw thrown;
    return ask(more);
  });
  return answer(terminal, entry, { output, input, tookMs: Date.now() - sinceMs }, json);
}

const SPOKEN = /^--(value|passphrase|password|key|secret)(=|$)/;

function refuseSpoken(args: readonly string[], usage: string): void {
  const [, option] = args.map((word) => SPOKEN.exec(word)).find((found) => found !== null) ?? [];
  if (option !== undefined)
    throw usageError(
      `--${option} does not exist: other users see arguments, and shells remember them. If it was a real value, replace it.`,
      usage,
    );
}

/** The words that are no options. Every option of these verbs that is left takes a value. */
function wordsIn(rest: readonly string[]): readonly string[] {
  return rest.filter((word, at) => {
    const before = rest[at - 1] ?? "";
    return !(word.startsWith("-") && word !== "-") && !(before.startsWith("--") && !before.includes("="));
  });
}

function givenValue(usage: string): Verb["confidential"] {
  return async (terminal, { given }, { input }) => ({
    value: await readValue(terminal, given, { question: `Value of ${String(input["name"])}`, usage }),
  });
}

async function entriesOf(terminal: Terminal, { given }: TakenOptions, { words: [file] }: Given): Promise<object> {
  const { usage } = VERBS["import"] ?? EVERYDAY.secret;
  if (file === undefined) throw usageError("file is missing.", usage);
  const text =
    file === "-"
      ? await terminal.readInput(ENV_FILE_BYTES_MAX)
      : await readFileLimited(resolve(terminal.cwd, file), ENV_FILE_BYTES_MAX, file);
  const only = String(given.get("only") ?? "")
    .split(",")
    .filter((name) => name !== "");
  const all = Object.entries(parseEnv(text)).map(([name, value]) => ({ name, value: value ?? "" }));
  const missing = only.find((wanted) => !all.some(({ name }) => name === wanted));
  if (missing !== undefined) throw usageError(`${file} has no line ${missing}=.`, usage);
  const entries = only.length === 0 ? all : all.filter(({ name }) => only.includes(name));
  if (entries.length === 0) throw usageError(`${file} has no lines NAME=VALUE.`, usage);
  return { entries };
}

async function openerOf(terminal: Terminal, { given }: TakenOptions): Promise<object> {
  const { usage } = VERBS["unlock"] ?? EVERYDAY.secret;
  const source = onlyOne(given, ["stdin", "key-file"], usage);
  if (source === "key-file") {
    const path = resolve(terminal.cwd, String(given.get("key-file")));
    return { key: await readFileLimited(path, KEY_FILE_BYTES_MAX, "--key-file") };
  }
  return source === "stdin" ? { passphrase: await readValue(terminal, given, { question: "", usage }) } : {};
}

/** Only a passphrase has to be asked for: for any other reason the daemon has looked for the key again. */
async function askedPassphrase(terminal: Terminal, thrown: unknown): Promise<object | null> {
  if (!(thrown instanceof ClientError) || thrown.code !== "vault_locked" || thrown.details["why"] !== "passphrase")
    return null;
  return terminal.isKeyboard() ? { passphrase: await askHidden(terminal, "Passphrase of the vault") } : null;
}

/** Asked twice on a terminal: nobody can open a vault whose passphrase has a slip in it. */
async function newPassphrase(terminal: Terminal, { given, rest }: TakenOptions): Promise<object> {
  const { usage } = VERBS["rekey"] ?? EVERYDAY.secret;
  const isPassphrase = rest.includes("--to=passphrase") || rest[rest.indexOf("--to") + 1] === "passphrase";
  if (!isPassphrase && given.has("stdin")) throw usageError("--stdin goes with --to passphrase alone.", usage);
  if (!isPassphrase) return {};
  const passphrase = await readValue(terminal, given, { question: "New passphrase of the vault", usage });
  if (!given.has("stdin") && (await askHidden(terminal, "The same again")) !== passphrase)
    throw usageError("The two passphrases differ. Nothing was changed.", usage);
  return { passphrase };
}
