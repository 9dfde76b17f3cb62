import { realpathSync, type Stats, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";
import { isInside } from "../files/path-inside.ts";
import { HostError } from "../host-error.ts";
import type { Walls } from "../sandbox/walls.ts";
import { findProgram } from "./find-program.ts";
import type { ResourceLimits } from "./resource-limits.ts";

export interface ProcessSpec {
  /** The program (searched on the PATH of `env`) and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment; only PWD and the marker are added. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: "none" | "pipe";
  /** Directories below the product's home that the process may read and write. */
  readonly readBack?: readonly string[];
  /** Directories below the product's home that the process may only read. */
  readonly shown?: readonly string[];
  /**
   * The walls of sandbox mode `strict`. Default: `off`, with the person's files and network but without the product's
   * home.
   */
  readonly walls?: Walls;
  /** Default: none, except that no core file is written. */
  readonly limits?: ResourceLimits;
  /** Output beyond this (both streams together) is read and dropped. Default: no limit. */
  readonly outputLimitBytes?: number;
}

export interface Surroundings {
  /** The configured path; `realHome` is the real one. */
  readonly home: string;
  readonly realHome: string;
  /** Real paths that the process cannot see: at least the home with a sandbox, none without. */
  readonly hidden: readonly string[];
}

export interface CheckedSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly readBack: readonly string[];
  readonly shown: readonly string[];
}

/** Resolves the spec to real, visible paths. Refuses here what would fail later with an unclear error. */
export function checkSpec(spec: ProcessSpec, around: Surroundings): CheckedSpec {
  refuseMalformed(spec);
  const readBack = (spec.readBack ?? []).map((path) => realReadBack(path, around));
  const shown = (spec.shown ?? []).map((path) => realReadBack(path, around));
  const isHidden = (path: string, hidden: readonly string[]) =>
    hidden.some((root) => isInside(root, path)) && ![...readBack, ...shown].some((root) => isInside(root, path));
  const cwd = realCwd(spec.cwd);
  // Also without a sandbox, so that behaviour does not depend on what is installed.
  if (isHidden(cwd, [around.realHome, ...around.hidden])) {
    throw new HostError("cwd_hidden", `${spec.cwd} lies in ${around.home}, which agents cannot see`, {
      remedy: "work in a directory outside it",
      details: { cwd: spec.cwd, home: around.home },
    });
  }
  const isHiddenFile = (path: string) => {
    const real = unless(UNREACHABLE, () => realpathSync(path));
    return real !== null && isHidden(real, around.hidden);
  };
  return { argv: visibleArgv(spec, cwd, isHiddenFile), cwd, readBack, shown };
}

function refuseMalformed(spec: ProcessSpec): void {
  const texts = [
    spec.cwd,
    ...spec.argv,
    ...Object.entries(spec.env).flat(),
    ...(spec.readBack ?? []),
    ...(spec.shown ?? []),
  ];
  const problem = !spec.argv[0]
    ? "no program is named"
    : texts.some((text) => text.includes("\0"))
      ? "an argument, variable or path contains a NUL byte"
      : Object.keys(spec.env).some((name) => name === "" || name.includes("="))
        ? "a variable's name is empty or contains ="
        : null;
  if (problem !== null) throw new HostError("process_spec_invalid", problem, { remedy: "correct the command" });
}

function realCwd(cwd: string): string {
  const real = isAbsolute(cwd) ? unless(UNREACHABLE, () => realpathSync(cwd)) : null;
  if (real !== null && isDirectory(real)) return real;
  throw new HostError("cwd_missing", `${cwd} is not a directory`, {
    remedy: "create it, or name another one by its absolute path",
    details: { cwd },
  });
}

/** Strictly below the home and without links: an agent could have made a link to another part of the home. */
function realReadBack(path: string, { home, realHome }: Surroundings): string {
  const root = isInside(realHome, path) ? realHome : resolve(home);
  const place = join(realHome, relative(root, path));
  const real = unless(UNREACHABLE, () => realpathSync(place));
  const isBelow = isAbsolute(path) && isInside(root, path) && place !== realHome;
  if (isBelow && real === place && isDirectory(real)) return real;
  throw new HostError("read_back_invalid", `${path} cannot be shown to an agent`, {
    remedy: `name a directory below ${home}, without links`,
    details: { path, home },
  });
}

function visibleArgv(spec: ProcessSpec, cwd: string, isHidden: (path: string) => boolean): string[] {
  const [name = "", ...args] = spec.argv;
  const found = findProgram(name, { searchPath: spec.env["PATH"] ?? "", cwd });
  const program = found.find((path) => !isHidden(path));
  if (found[0] === undefined) {
    throw new HostError("program_not_found", `there is no program ${name}`, {
      remedy: "install it, or correct PATH",
      details: { program: name, path: spec.env["PATH"] ?? "" },
    });
  }
  const concealed = program === undefined ? found[0] : args.find((arg) => isAbsolute(arg) && isHidden(arg));
  if (program === undefined || concealed !== undefined) {
    throw new HostError("program_hidden", `${concealed} cannot be seen by the process that needs it`, {
      remedy: "install it outside the product's home directory",
      details: { path: concealed },
    });
  }
  return [program, ...args];
}

function isDirectory(path: string): boolean {
  return unless<Stats>(UNREACHABLE, () => statSync(path))?.isDirectory() ?? false;
}
