import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyFolder, copyPlain, TooMuch } from "../files/copy-plain.ts";
import { holdFolder } from "../files/held-folder.ts";
import { HostError } from "../host-error.ts";
import { removeTree } from "../trash/remove-tree.ts";
import { type ConfigSection, writeGitConfig } from "./config-file.ts";
import { type Repository, readSmall } from "./find-repository.ts";
import type { GitOptions, GitRunner } from "./run-git.ts";

/**
 * A temporary git dir that shows the refs and objects of another repository. Its configuration is ours, it has no hooks
 * or attributes, and new objects go to its own store. So git never uses a configuration that an agent can write. The
 * refs are copied: a link among them cannot mislead git, and a pipe cannot block it.
 */
export interface RepositoryView extends AsyncDisposable {
  readonly gitDir: string;
  readonly git: GitRunner;
}

/** Makes the view in `folder`, out of any agent's reach. `objectDirs`: further objects that can be read through it. */
export function openView(
  git: GitRunner,
  repository: Repository,
  folder: string,
  objectDirs: readonly string[] = [],
): Promise<RepositoryView> {
  return viewOf(git, folder, async (gitDir) => {
    await fillView(gitDir, repository, objectDirs);
    await writeFile(join(gitDir, "HEAD"), await headOf(repository));
    await copyRefs(repository, gitDir);
  });
}

/** A view of the objects alone, for a commit that is known by its id: no refs are copied. */
export function openObjectsView(git: GitRunner, repository: Repository, folder: string): Promise<RepositoryView> {
  return viewOf(git, folder, async (gitDir) => {
    await fillView(gitDir, { ...repository, refFormat: "files" }, []);
    await writeFile(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
    await mkdir(join(gitDir, "refs"));
  });
}

async function viewOf(
  git: GitRunner,
  folder: string,
  fill: (gitDir: string) => Promise<void>,
): Promise<RepositoryView> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const gitDir = await mkdtemp(join(folder, "view-"));
  try {
    await fill(gitDir);
  } catch (thrown) {
    await removeTree(gitDir);
    throw thrown;
  }
  const within = (options: GitOptions = {}): GitOptions => ({ ...options, gitDir });
  return {
    gitDir,
    git: {
      run: (args, options) => git.run(args, within(options)),
      must: (args, options) => git.must(args, within(options)),
      text: (args, options) => git.text(args, within(options)),
    },
    [Symbol.asyncDispose]: async () => void (await removeTree(gitDir)),
  };
}

async function fillView(gitDir: string, repository: Repository, objectDirs: readonly string[]): Promise<void> {
  await mkdir(join(gitDir, "objects", "info"), { recursive: true });
  await mkdir(join(gitDir, "objects", "pack"));
  const borrowed = [...new Set([...repository.objectDirs, ...objectDirs])];
  await writeFile(join(gitDir, "objects", "info", "alternates"), alternates(borrowed));
  await writeFile(join(gitDir, "config"), writeGitConfig(formatSections(repository)));
}

const REFS_MAX = { bytesMax: 1_073_741_824, entriesMax: 500_000 } as const;

/** Loose refs first: whoever packs refs writes the pack before removing the loose ones. */
async function copyRefs({ commonDir, refFormat }: Repository, gitDir: string): Promise<void> {
  const refuse = (reason: string): never => {
    throw invalid(commonDir, reason);
  };
  await using source = await holdFolder(commonDir);
  if (source === null) return refuse("it is no folder, or a link is on the way to it");
  const onOther = (place: string) => refuse(`${place.slice(gitDir.length + 1)} is neither a file nor a folder`);
  for (const name of refFormat === "reftable" ? ["refs", "reftable"] : ["refs"]) {
    await using refs = await source.inner(name);
    if (refs === null) return refuse(`${name} is no folder`);
    await copyFolder(refs, join(gitDir, name), { ...REFS_MAX, keepsLink: () => false, onOther }).catch(
      (thrown: unknown) => {
        if (thrown instanceof TooMuch) refuse(`${name}: ${thrown.message}`);
        throw thrown;
      },
    );
  }
  for (const name of ["packed-refs", "shallow"]) {
    const taken = await copyPlain(source, Buffer.from(name), Buffer.from(join(gitDir, name)));
    if (taken === "other") refuse(`${name} is no file`);
  }
}

/** The configuration that a repository of the same format needs, and how its files are checked out; nothing else. */
export function formatSections({
  config,
  objectFormat,
  refFormat,
}: Pick<Repository, "config" | "objectFormat" | "refFormat">): ConfigSection[] {
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

/** Plain paths, because not all of git reads quoted ones; quoted only if a path contains a newline. */
export function alternates(objectDirs: readonly string[]): string {
  return objectDirs.map((path) => `${path.includes("\n") ? quoted(path) : path}\n`).join("");
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

const HEAD = /^(ref: refs\/[^\s\0~^:?*[\\]+|[0-9a-f]{40}|[0-9a-f]{64})\n?$/;

async function headOf({ gitDir }: Repository): Promise<string> {
  const head = await readSmall(join(gitDir, "HEAD"));
  if (head !== null && HEAD.test(head)) return head;
  throw invalid(gitDir, "it has no HEAD that can be read");
}

function invalid(path: string, reason: string): HostError {
  return new HostError("repository_invalid", `${path} cannot be used: ${reason}`, {
    remedy: "repair it: `git fsck` in it says what is damaged, `git symbolic-ref HEAD refs/heads/<branch>` sets HEAD",
    details: { path, reason },
  });
}
