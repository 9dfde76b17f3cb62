import { execFile } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

/** What a program printed. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

export interface Tarball {
  readonly path: string;
  readonly files: readonly string[];
}

/** Packs the package in `folder` into `into`, as `npm publish` would. */
export async function packInto(folder: string, into: string, env: NodeJS.ProcessEnv): Promise<Tarball> {
  const args = ["pack", "--json", "--silent", "--pack-destination", into];
  const { stdout } = await runIn(folder, "npm", args, env);
  const [packed] = parsePackList(stdout);
  if (packed === undefined) throw new Error(`npm pack answered: ${stdout}`);
  return { path: join(into, packed.filename), files: packed.files.map(({ path }) => path) };
}

/** `--no`: what is not installed is not fetched. */
export function npxIn(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Printed> {
  return runIn(cwd, "npx", ["--no", "--loglevel=error", "--", ...args], env);
}

/** The Node of this run comes first on the PATH: an installed package brings none of its own. */
export function runIn(cwd: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Printed> {
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  return promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env, PATH }, encoding: "utf8" });
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** npm 11 answers a list; later ones an object by package name. What prepack printed may stand before it. */
function parsePackList(stdout: string): readonly Packed[] {
  const answer: unknown = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  if (typeof answer !== "object" || answer === null) return [];
  return Object.values(answer).filter(isPacked);
}

function isPacked(value: unknown): value is Packed {
  return typeof value === "object" && value !== null && "filename" in value && "files" in value;
}
