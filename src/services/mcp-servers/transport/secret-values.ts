import type { McpServerSettings } from "../../../contract/index.ts";
import { readSmallFile } from "../../../host/index.ts";
import { serverFailed } from "../server-failed.ts";

type Source = ({ readonly env: string } | { readonly file: string } | { readonly secret: string }) & {
  readonly prefix?: string | undefined;
};
export type SecretValues = { readonly [name: string]: string | Source };
export type Environment = Readonly<Record<string, string | undefined>>;

const FILE_BYTES_MAX = 65_536;

/** Gives a value of the vault, or throws what is wrong with it. */
export type ReadSecret = (name: string, use: string) => Promise<string>;

/** Reads what `{secret}`, `{env}` and `{file}` refer to. The error names the reference, never a value. */
export async function secretValues(
  server: string,
  values: SecretValues,
  { environment, readSecret }: { readonly environment: Environment; readonly readSecret: ReadSecret },
): Promise<Record<string, string>> {
  const read = async ([name, given]: [string, string | Source]): Promise<[string, string]> => {
    if (typeof given === "string") return [name, given];
    if ("secret" in given)
      return [name, `${given.prefix ?? ""}${await ofVault(server, name, given.secret, readSecret)}`];
    const value = "env" in given ? environment[given.env] : await fileText(given.file);
    if (value !== undefined && value !== null) return [name, `${given.prefix ?? ""}${value}`];
    const missing = "env" in given ? `the daemon has no variable ${given.env}` : `${given.file} cannot be read`;
    throw serverFailed(server, `${name}: ${missing}`);
  };
  return Object.fromEntries(await Promise.all(Object.entries(values).map(read)));
}

/** Where the values come from, for people: the names of variables, never values. */
export function namesOf(settings: McpServerSettings): readonly string[] {
  const { env, headers } = settings as { readonly env?: SecretValues; readonly headers?: SecretValues };
  return Object.entries({ ...env, ...headers }).map(([name, given]) => {
    if (typeof given === "string") return name;
    if ("secret" in given) return `${name} (secret ${given.secret})`;
    return `${name} (${"env" in given ? `env ${given.env}` : `file ${given.file}`})`;
  });
}

async function ofVault(server: string, name: string, secret: string, readSecret: ReadSecret): Promise<string> {
  try {
    return await readSecret(secret, `MCP server ${server}, ${name}`);
  } catch (thrown) {
    throw serverFailed(server, `${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`, thrown);
  }
}

async function fileText(path: string): Promise<string | null> {
  const text = await readSmallFile(path, FILE_BYTES_MAX).catch(() => null);
  return text?.replace(/\r?\n$/, "") ?? null;
}
