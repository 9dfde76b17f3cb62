import { holdFile } from "../files/held-folder.ts";
import { HostError } from "../host-error.ts";
import type { GitRunner } from "./run-git.ts";

/** A git configuration read as data: one file, without includes, and without any effect. */
export interface GitConfig {
  /** The last value of a name, as git does. Names are lower case except for their middle part. */
  readonly get: (name: string) => string | undefined;
  readonly entries: readonly (readonly [name: string, value: string])[];
}

const CONFIG_BYTES_MAX = 1_048_576;

/** Reads a configuration by its real path; a link or a pipe is refused. */
export async function readGitConfig(git: GitRunner, path: string): Promise<GitConfig> {
  await using file = await holdFile(path);
  if (file === null) return NO_CONFIG;
  if ((await file.stat()).size > CONFIG_BYTES_MAX)
    throw new HostError("git_failed", `${path} is too large for a git configuration`, { remedy: "check that file" });
  // Git reads the bytes that were opened here, whatever is at the path by then.
  const input = await file.readFile();
  return listedConfig(await git.must(["config", "--file", "-", "--no-includes", "--null", "--list"], { input }));
}

/** From what `git config --null --list` says. */
export function listedConfig(listed: Buffer): GitConfig {
  const entries = listed
    .toString()
    .split("\0")
    .filter(Boolean)
    .map((line): [string, string] => {
      const end = line.indexOf("\n");
      return end < 0 ? [line, "true"] : [line.slice(0, end), line.slice(end + 1)];
    });
  return { entries, get: (name) => entries.findLast(([known]) => known === name)?.[1] };
}

const NO_CONFIG: GitConfig = { entries: [], get: () => undefined };

export interface ConfigSection {
  readonly section: string;
  readonly values: readonly (readonly [key: string, value: string])[];
}

export function writeGitConfig(sections: readonly ConfigSection[]): string {
  return sections
    .filter(({ values }) => values.length > 0)
    .map(({ section, values }) => [header(section), ...values.map(([key, value]) => `\t${key} = ${quote(value)}`)])
    .map((lines) => `${lines.join("\n")}\n`)
    .join("");
}

/** Writes `remote.origin` as `[remote "origin"]`. */
function header(section: string): string {
  const dot = section.indexOf(".");
  if (dot < 0) return `[${section}]`;
  return `[${section.slice(0, dot)} "${section.slice(dot + 1).replace(/["\\]/g, "\\$&")}"]`;
}

function quote(value: string): string {
  const escaped = value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return `"${escaped}"`;
}
