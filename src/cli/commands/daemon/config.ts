import type { Client } from "../../../client/index.ts";
import { memberOf } from "../../../kernel/index.ts";
import { expectWords, parseArguments, usageError } from "../../arguments.ts";
import { connect } from "../../daemon/connect.ts";
import { EVERYDAY } from "../../everyday.ts";
import { printOutput } from "../../print/print-output.ts";
import { spell } from "../../print/spell.ts";
import { dim } from "../../screen/styled.ts";
import { runSyscall } from "../../syscall/run-syscall.ts";
import { EXIT, type RunCommand, type Terminal } from "../../terminal.ts";

export const run: RunCommand = async (terminal, invocation) => {
  const { args, json } = invocation;
  if (args[0] === "explain" && args[1] !== undefined && args.length === 2 && !json)
    return explainOne(terminal, args[1]);
  if (args[0] === "explain" || args.some((word) => /^--(config|idempotency-key)/.test(word)))
    return runSyscall(terminal, { ...invocation, args: ["config", ...args] });
  const { positionals } = parseArguments(args, {});
  const [verb = "show", ...words] = positionals;
  const usage = EVERYDAY.config.usage;
  if (verb === "show") expectWords(words, [], usage);
  else if (verb === "get") expectWords(words, ["KEY"], usage);
  else if (verb === "set") expectWords(words, ["KEY", "VALUE"], usage);
  else throw usageError(`There is no \`nomos config ${verb}\`.`, usage);
  const client = await connect(terminal);
  const [key = "", value = ""] = words;
  if (verb === "set") return set(terminal, client, key, value, json);
  if (verb === "get") return get(terminal, client, key, json);
  const { config } = await client.call("config.show", {});
  if (json) terminal.printJson({ config });
  else if (Object.keys(config).length === 0)
    terminal.print("Nothing is set; all settings have their defaults. `nomos config explain` lists them.");
  else printOutput(terminal, config);
  return EXIT.ok;
};

/** A restart keeps the port, so that clients find the daemon at the same address. */
const PORT_LATER = "It takes effect after `nomos down` and `nomos up`.";

type Config = { readonly [key: string]: unknown };

/** One setting in full; a table has no room for what it means. */
async function explainOne(terminal: Terminal, key: string): Promise<number> {
  const { settings } = await (await connect(terminal)).call("config.explain", { key });
  for (const setting of settings) printOutput(terminal, setting);
  return EXIT.ok;
}

/** In a pipe only the value, for scripts; on a terminal also where it comes from. */
async function get(terminal: Terminal, client: Client, key: string, json: boolean): Promise<number> {
  const { settings } = await client.call("config.explain", { key });
  const [setting] = settings;
  const { value = null, from = "default", default: byDefault = null } = setting ?? {};
  if (json) terminal.printJson(value);
  else if (!terminal.isScreen) terminal.print(value === null ? "" : spell(value));
  else {
    const origin = from === "default" ? "the default" : ORIGINS[from];
    const other = from === "default" || byDefault === null ? "" : `; the default is ${spell(byDefault)}`;
    terminal.print(value === null ? "not set" : spell(value));
    terminal.print(dim(value === null ? (setting?.meaning ?? "") : `from ${origin}${other}`));
  }
  return EXIT.ok;
}

const ORIGINS = {
  "config.json": "config.json",
  environment: "the environment of the daemon",
  option: "an option of `nomos up`",
} as const;

/** `drivers.mine.file` changes one nested member. The daemon replaces the outermost member as a whole, except for limits. */
async function set(terminal: Terminal, client: Client, key: string, value: string, json: boolean): Promise<number> {
  const { config } = await client.call("config.show", {});
  const isGoing = jsonOrText(value) === null && key.split(".").reduce(memberOf, config as unknown) !== undefined;
  // Refuses a misspelt key. One that is stored may be removed, whatever it is called.
  if (!isGoing) await client.call("config.explain", { key });
  const [first = "", ...inner] = key.split(".");
  const before = first === "limits" ? {} : config[first];
  const changed = inner.length === 0 ? jsonOrText(value) : put(before, inner, jsonOrText(value), first === "limits");
  const output = await client.call("config.set", { config: { [first]: changed } });
  if (json) terminal.printJson(output);
  else {
    const given = jsonOrText(value);
    terminal.print(given === null ? `${key} has its default again.` : `${key} is now ${spell(given)}.`);
    if (output.restart.length > 0)
      terminal.print(first === "port" ? PORT_LATER : "It takes effect after `nomos restart`.");
  }
  return EXIT.ok;
}

function put(into: unknown, [first = "", ...rest]: readonly string[], value: unknown, keepNull = false): unknown {
  const before: Config = typeof into === "object" && into !== null ? { ...into } : {};
  const { [first]: old, ...others } = before;
  const changed = rest.length === 0 ? value : put(old, rest, value);
  return changed === null && !keepNull ? others : { ...others, [first]: changed };
}

/** `8080`, `true`, `null` and `{...}` are parsed as JSON; anything else is text. */
function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
