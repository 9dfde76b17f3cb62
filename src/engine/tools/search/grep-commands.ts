import { posix } from "node:path";
import { argumentPath } from "../shared/argument-path.ts";
import type { GlobPattern } from "./glob-pattern.ts";
import { GIT, RG, rgNames } from "./search-program.ts";

export interface Sought {
  readonly pattern: string;
  /** File or directory. */
  readonly path: string;
  readonly names: GlobPattern["names"];
  readonly ignoreCase: boolean;
  readonly literal: boolean;
  readonly context: number;
  readonly limit: number;
}

/** Everything a model wrote stands behind `-e` or `--`, or in one argument with the option it is the value of. */
export function rgCommand(sought: Sought): readonly string[] {
  return [
    ...RG,
    ...["--line-number", "--with-filename", "--no-heading", "--null", "--color=never", "--sort=path", "--no-messages"],
    ...[`--max-columns=${COLUMNS_MAX}`, "--max-columns-preview", `--max-count=${sought.limit + 1}`],
    ...(sought.ignoreCase ? ["--ignore-case"] : []),
    ...(sought.literal ? ["--fixed-strings"] : []),
    ...(sought.context > 0 ? [`--context=${sought.context}`] : []),
    ...rgNames(sought.names),
    ...["-e", sought.pattern, "--", argumentPath(sought.path)],
  ];
}

export function gitGrepCommand(sought: Sought): readonly string[] {
  return [
    ...GIT,
    ...["grep", "--no-textconv", "--no-color", "--untracked", "--heading", "--break", "-n", "-I"],
    ...shared(sought),
    "--",
    ...pathspecs(sought),
  ];
}

export function plainGrepCommand(sought: Sought): readonly string[] {
  return [
    ...["grep", "-r", "-n", "-I", "-H", "-s", "--null", "--color=never", "--exclude-dir=.git"],
    ...(sought.names ?? []).map((name) => `--include=${name}`),
    ...shared(sought),
    "--",
    argumentPath(sought.path),
  ];
}

/** A line of a minified file; the rest of it says nothing. */
const COLUMNS_MAX = 2000;

function shared({ pattern, ignoreCase, literal, context }: Sought): readonly string[] {
  return [
    ...(ignoreCase ? ["-i"] : []),
    ...(context > 0 ? [`-C${context}`] : []),
    ...(literal ? ["-F", "-e", pattern] : ["-E", "-e", extendedRegex(pattern)]),
  ];
}

function pathspecs({ path, names }: Sought): readonly string[] {
  const at = argumentPath(path);
  if (names === null) return [`:(literal)${at}`];
  const folder = posix.normalize(at).replaceAll(/[\\*?[\]]/g, "\\$&");
  const inside = folder === "." ? "" : `${folder.replace(/\/$/, "")}/`;
  return names.map((name) => `:(glob)${inside}**/${name}`);
}

/**
 * Models write regular expressions as ripgrep takes them. Without ripgrep the shorthands that POSIX does not know are
 * spelled out: `\d` would silently match the letter d.
 */
export function extendedRegex(pattern: string): string {
  let isInClass = false;
  return pattern.replaceAll(/\\.|\(\?:|\[\^?\]?|\]/gs, (part) => {
    if (part.startsWith("[")) {
      if (isInClass) return part;
      isInClass = true;
      return part;
    }
    if (part === "]") {
      isInClass = false;
      return part;
    }
    if (part === "(?:") return isInClass ? part : "(";
    const inside = SHORTHANDS[part];
    if (inside === undefined) return part;
    return isInClass ? inside : `[${inside}]`;
  });
}

const SHORTHANDS: Readonly<Record<string, string>> = {
  "\\d": "[:digit:]",
  "\\w": "[:alnum:]_",
  "\\s": "[:space:]",
  "\\t": "\t",
};
