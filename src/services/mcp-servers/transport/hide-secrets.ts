import type { SecretValues } from "./secret-values.ts";

export interface Hiding {
  /** In what is said about a server: every value that it was given. */
  readonly hide: (text: string) => string;
  /** In its results: only values that were named by `env:` or `file:`, because others may be plain words or paths. */
  readonly hideNamed: (text: string) => string;
}

const CHARS_MIN = 6;

/** A server may print what it was given. `values` are those that the settings lead to. */
export function hidingOf(settings: SecretValues, values: Readonly<Record<string, string>>): Hiding {
  const all = Object.entries(values);
  const named = all.filter(([name, value]) => typeof settings[name] === "object" && !value.startsWith("/"));
  return { hide: replacing(all), hideNamed: replacing(named) };
}

function replacing(entries: readonly (readonly [string, string])[]): (text: string) => string {
  // Of `Bearer TOKEN` a server may say the token alone.
  const secrets = entries.flatMap(([, value]) => [value, value.slice(value.lastIndexOf(" ") + 1)]);
  const long = secrets.filter(({ length }) => length >= CHARS_MIN);
  return (text) => long.reduce((shown, secret) => shown.replaceAll(secret, "[hidden]"), text);
}
