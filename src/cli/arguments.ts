import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { ClientError } from "../client/index.ts";

/** Parses the arguments of one command with Node's parser; parse errors become usage errors. */
export function parseArguments<const O extends ParseArgsOptionsConfig>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, allowNegative: true, strict: true });
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    const [, unknown] = /^Unknown option '([^']+)'/.exec(cause.message) ?? [];
    if (unknown !== undefined) throw new UnknownOption(unknown, Object.keys(options));
    // Such as: Option '-n, --lines <value>' argument missing
    const [message = ""] = cause.message.split(/\. |\n/);
    const plain = message.replaceAll("'", "").replace(" <value> argument missing", " needs a value");
    throw new ClientError("usage", { message: `${plain.replace(/\.$/, "")}.`, remedy: HOW, cause });
  }
}

const HOW =
  "Run the command with `--help` to see its options. Put text that looks like an option into quotes, or after `--`.";

/** The nearest option is looked for where the error is printed: finding it loads more than the command line needs. */
export class UnknownOption extends ClientError {
  readonly option: string;
  /** Options that the command has, in kebab-case. */
  readonly known: readonly string[];

  constructor(option: string, names: readonly string[]) {
    super("usage", { message: `Unknown option ${option}.`, remedy: HOW });
    this.option = option;
    this.known = [...names.filter((name) => !/[A-Z]/.test(name)), "json", "help"].map((name) => `--${name}`);
  }
}

export function usageError(message: string, usage?: string): ClientError {
  return new ClientError("usage", { message, ...(usage === undefined ? {} : { remedy: `Usage: ${usage}` }) });
}

/** Requires exactly this many words; any other number is a usage error. */
export function expectWords(words: readonly string[], names: readonly string[], usage: string): void {
  const missing = names[words.length];
  if (missing !== undefined) throw usageError(`${missing} is missing.`, usage);
  if (words.length > names.length) throw usageError(`Unexpected argument "${words[names.length]}".`, usage);
}

const PORT_MAX = 65_535;

/** Null when the configuration decides. */
export function parsePort(given: string | undefined, from: string): number | null {
  if (given === undefined || given === "") return null;
  const port = Number(given);
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX)
    throw new ClientError("usage", {
      message: `${from} is not a port: ${given}.`,
      remedy: "Use a number up to 65535; 0 means any free port.",
    });
  return port;
}
