import type { Config } from "../../contract/index.ts";
import type { Redactor } from "../../redaction/index.ts";
import { looksLikeKey } from "../models/key-like.ts";

/** A value of the configuration that belongs into the vault. */
export interface PlaintextKey {
  /** Members that lead to it: `drivers`, `claude`, `env`, `ANTHROPIC_API_KEY`. */
  readonly path: readonly string[];
  /** What its secret would be called. */
  readonly name: string;
  /** Text before the key that stays in the configuration, such as `Bearer `. */
  readonly prefix: string;
  readonly value: string;
}

/** Keys in places that can refer to the vault. An ordinary value there, such as a path or a flag, is none. */
export function plaintextKeys(config: Config, redactor: Pick<Redactor, "find">): readonly PlaintextKey[] {
  const found = placesIn(config).flatMap(({ path, owner, given }) =>
    Object.entries(given ?? {}).flatMap(([member, value]): PlaintextKey[] => {
      if (typeof value !== "string") return [];
      // A variable of a driver is a secret as a whole.
      const [, prefix = "", key = value] = (path[0] === "drivers" ? null : SCHEME.exec(value)) ?? [];
      const isKey = (TELLING.test(member) && isOpaque(key)) || looksLikeKey(key) || redactor.find(value).length > 0;
      const name = path.at(-1) === "env" ? spelled(member) : spelled(`${owner}_${member}`).toUpperCase();
      return isKey ? [{ path: [...path, member], name, prefix, value: key }] : [];
    }),
  );
  const taken = Map.groupBy(found, ({ name }) => name);
  // Two members of one name are one secret only where their values are the same.
  return found.map((one) => {
    const isAlone = (taken.get(one.name) ?? []).every(({ value }) => value === one.value);
    return isAlone ? one : { ...one, name: spelled(`${one.path[1] ?? ""}_${one.name}`) };
  });
}

const SCHEME = /^((?:Bearer|Basic|Token|token|Bot) )(\S+)$/;
const TELLING = /key|token|secret|passw|credential|authorization|cookie/i;

/** A file, an address or a number is no key, whatever its member is called. */
function isOpaque(value: string): boolean {
  return value.length >= KEY_CHARS_MIN && !/^(?:[./~]|\w+:\/\/|\d+$|true$|false$)/.test(value);
}

const KEY_CHARS_MIN = 8;

interface Place {
  readonly path: readonly string[];
  readonly owner: string;
  readonly given: { readonly [member: string]: unknown } | undefined;
}

function placesIn({ drivers = {}, models, mcpServers = {} }: Config): readonly Place[] {
  return [
    ...Object.entries(drivers).map(([slug, { env }]) => ({ path: ["drivers", slug, "env"], owner: slug, given: env })),
    ...Object.entries(models?.providers ?? {}).map(([name, { headers }]) => ({
      ...{ path: ["models", "providers", name, "headers"], owner: name, given: headers },
    })),
    ...Object.entries(mcpServers).flatMap(([name, settings]) => [
      ...(["env", "headers"] as const).map((member) => ({
        ...{ path: ["mcpServers", name, member], owner: name, given: membersOf(Reflect.get(settings, member)) },
      })),
    ]),
  ];
}

function membersOf(value: unknown): Place["given"] {
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}

/** Letters, digits and `_`, with no digit first: a secret's name that can be a variable. */
function spelled(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_]/g, "_")
    .replace(/^(?=\d)/, "_")
    .slice(0, NAME_CHARS_MAX);
}

const NAME_CHARS_MAX = 128;
