import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "../host-error.ts";
import { type ConfigSection, writeGitConfig } from "./config-file.ts";
import { type Repository, readSmall } from "./find-repository.ts";
import type { GitOptions, GitRunner } from "./run-git.ts";

/**
 * A git dir of our own that shows somebody else's refs and objects: its configuration is ours, it has no hooks and no
 * attributes, and what is written goes to objects of its own. So git never runs under a configuration that an agent can write.
 */
export interface RepositoryView extends AsyncDisposable {
  readonly gitDir: string;
  readonly git: GitRunner;
}

/** In `folder`, out of any agent's reach. `objectDirs`: what else can be read through it. */
export async function openView(
  git: GitRunner,
  repository: Repository,
  folder: string,
  objectDirs: readonly string[] = [],
): Promise<RepositoryView> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const gitDir = await mkdtemp(join(folder, "view-"));
  const { commonDir } = repository;
  await mkdir(join(gitDir, "objects", "info"), { recursive: true });
  await mkdir(join(gitDir, "objects", "pack"));
  const borrowed = [...new Set([...repository.objectDirs, ...objectDirs])];
  await writeFile(join(gitDir, "objects", "info", "alternates"), alternates(borrowed));
  await writeFile(join(gitDir, "config"), writeGitConfig(formatSections(repository)));
  await writeFile(join(gitDir, "HEAD"), await headOf(repository));
  for (const name of ["refs", "packed-refs", "shallow"]) await symlink(join(commonDir, name), join(gitDir, name));
  if (repository.refFormat === "reftable") await symlink(join(commonDir, "reftable"), join(gitDir, "reftable"));
  const within = (options: GitOptions = {}): GitOptions => ({ ...options, gitDir });
  return {
    gitDir,
    git: {
      run: (args, options) => git.run(args, within(options)),
      must: (args, options) => git.must(args, within(options)),
      text: (args, options) => git.text(args, within(options)),
    },
    [Symbol.asyncDispose]: () => rm(gitDir, { recursive: true, force: true }),
  };
}

/** What a repository of the same kind needs in its configuration, and how its files are to look; nothing else of it. */
export function formatSections({ config, objectFormat, refFormat }: Repository): ConfigSection[] {
  const extensions: [string, string][] = [
    ...(objectFormat === "sha256" ? [["objectformat", objectFormat] as [string, string]] : []),
    ...(refFormat === "reftable" ? [["refstorage", refFormat] as [string, string]] : []),
  ];
  const looks = LOOKS.flatMap(([name, allowed]): [string, string][] => {
    const value = config.get(`core.${name}`)?.toLowerCase();
    return value !== undefined && allowed.includes(value) ? [[name, value]] : [];
  });
  const version = extensions.length === 0 ? "0" : "1";
  return [
    { section: "core", values: [["repositoryformatversion", version], ["bare", "false"], ...looks] },
    { section: "extensions", values: extensions },
  ];
}

const BOOLEAN = ["true", "false"];
const LOOKS: readonly (readonly [string, readonly string[]])[] = [
  ["filemode", BOOLEAN],
  ["symlinks", BOOLEAN],
  ["ignorecase", BOOLEAN],
  ["precomposeunicode", BOOLEAN],
  ["autocrlf", [...BOOLEAN, "input"]],
  ["eol", ["lf", "crlf", "native"]],
];

export function alternates(objectDirs: readonly string[]): string {
  return objectDirs.map((path) => `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"\n`).join("");
}

const HEAD = /^(ref: refs\/[^\s\0~^:?*[\\]+|[0-9a-f]{40}|[0-9a-f]{64})\n?$/;

async function headOf({ gitDir }: Repository): Promise<string> {
  const head = await readSmall(join(gitDir, "HEAD"));
  if (head !== null && HEAD.test(head)) return head;
  throw new HostError("repository_invalid", `${gitDir} has no HEAD that can be read`, {
    remedy: "repair it: `git symbolic-ref HEAD refs/heads/<branch>`",
    details: { path: gitDir, reason: "HEAD" },
  });
}
