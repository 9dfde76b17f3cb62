import { realpath } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { type GitConfig, listedConfig, readGitConfig } from "../git/config-file.ts";
import { type Repository, readSmall } from "../git/find-repository.ts";
import type { GitRunner, GitSigning } from "../git/run-git.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** How the person commits in a repository. */
export interface CommitSettings {
  readonly identity: { readonly name: string; readonly email: string };
  /** Null: their commits are not signed. */
  readonly signing: GitSigning | null;
  /** The text that `commit.template` begins a message with, without comments; empty for none. */
  readonly template: string;
  /** Null: they have no hooks. */
  readonly hooks: string | null;
  /** Filters that the person set up, such as `lfs`: git needs them to write such files. */
  readonly filters: readonly string[];
  /** Any setting, such as `core.autocrlf`: the repository's before the person's before the machine's. */
  readonly setting: (name: string) => string | undefined;
  /** Attributes that no commit holds: `info/attributes`, and those for all repositories. */
  readonly attributes: { readonly repository: string; readonly everywhere: string };
}

const TEXT_BYTES_MAX = 65_536;
const NOBODY = { name: "Nomos", email: "nomos@localhost" } as const;

/**
 * Reads the person's settings as data. Programs are taken from the person's own files only: the repository's settings may
 * come from an agent.
 */
export async function readCommitSettings(
  git: GitRunner,
  environment: Environment,
  repository: Repository,
): Promise<CommitSettings> {
  const home = environment["HOME"] ?? "/nonexistent";
  const folder = join(environment["XDG_CONFIG_HOME"] ?? join(home, ".config"), "git");
  const read = (paths: readonly string[]) =>
    Promise.all(paths.map((path) => readOwn(git, path, home, repository.gitDir)));
  const machine = await read([environment["GIT_CONFIG_SYSTEM"] ?? "", ...MACHINE_FILES]);
  const { GIT_CONFIG_GLOBAL: named } = environment;
  const own = await read(named === undefined ? [join(folder, "config"), join(home, ".gitconfig")] : [named]);
  const all = [...machine, ...own, repository.config];
  const theirs = (name: string): string | undefined => lastOf([...machine, ...own], name);
  const any = (name: string): string | undefined => lastOf(all, name);
  const expanded = (path: string): string => path.replace(/^~(?=\/)/, home);
  return {
    identity: { name: any("user.name") ?? NOBODY.name, email: any("user.email") ?? NOBODY.email },
    signing: isTrue(any("commit.gpgsign")) ? signingOf(environment, home, theirs, any) : null,
    template: await templateOf(expanded(theirs("commit.template") ?? "")),
    hooks: await hooksOf(repository, any("core.hookspath"), expanded),
    filters: [...new Set(all.flatMap((config) => filtersIn(config)))],
    setting: any,
    attributes: {
      repository: (await readSmall(join(repository.commonDir, "info", "attributes"), TEXT_BYTES_MAX)) ?? "",
      everywhere: await textOf(expanded(theirs("core.attributesfile") ?? join(folder, "attributes"))),
    },
  };
}

/** Where git's packages look; one that is missing says nothing. */
const MACHINE_FILES = ["/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"] as const;

/** The person's own files may be links, and may include others for some repositories. */
async function readOwn(git: GitRunner, path: string, home: string, gitDir: string): Promise<GitConfig | null> {
  const real = isAbsolute(path) ? await realpath(path).catch(() => null) : null;
  if (real === null) return null;
  const args = ["config", "--file", real, "--includes", "--null", "--list"];
  const { exitCode, stdout } = await git.run(args, { gitDir, signing: { settings: [], environment: { HOME: home } } });
  return exitCode === 0 ? listedConfig(stdout) : readGitConfig(git, real);
}

function lastOf(configs: readonly (GitConfig | null)[], name: string): string | undefined {
  return configs.findLast((config) => config?.get(name) !== undefined)?.get(name);
}

function isTrue(value: string | undefined): boolean {
  return ["true", "yes", "on", "1"].includes(value?.toLowerCase() ?? "");
}

type Get = (name: string) => string | undefined;

function signingOf(environment: Environment, home: string, theirs: Get, any: Get): GitSigning {
  const format = any("gpg.format") ?? "openpgp";
  const named: readonly (readonly [string, string | undefined])[] = [
    ["gpg.format", format],
    ["user.signingKey", any("user.signingkey")?.replace(/^~(?=\/)/, home)],
    ["gpg.program", theirs("gpg.program") ?? "gpg"],
    ["gpg.openpgp.program", theirs("gpg.openpgp.program")],
    ["gpg.ssh.program", theirs("gpg.ssh.program")],
    ["gpg.ssh.defaultKeyCommand", theirs("gpg.ssh.defaultkeycommand")],
    ["gpg.x509.program", theirs("gpg.x509.program")],
  ];
  const settings = named.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  const passed = ["GNUPGHOME", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "GPG_TTY"].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { settings, environment: { HOME: home, ...Object.fromEntries(passed) } };
}

async function templateOf(path: string): Promise<string> {
  const lines = (await textOf(path)).split("\n").filter((line) => !line.startsWith("#"));
  return lines.join("\n").trim();
}

async function textOf(path: string): Promise<string> {
  const real = isAbsolute(path) ? await realpath(path).catch(() => null) : null;
  return (real === null ? null : await readSmall(real, TEXT_BYTES_MAX)) ?? "";
}

async function hooksOf(
  { root, commonDir }: Repository,
  given: string | undefined,
  expanded: (path: string) => string,
): Promise<string | null> {
  const path = given === undefined ? join(commonDir, "hooks") : resolve(root ?? commonDir, expanded(given));
  return realpath(path).catch(() => null);
}

function filtersIn(config: GitConfig | null): readonly string[] {
  return (config?.entries ?? []).flatMap(([name]) => /^filter\.(.+)\.(?:smudge|process|clean)$/.exec(name)?.[1] ?? []);
}
