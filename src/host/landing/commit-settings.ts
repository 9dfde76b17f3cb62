import { realpath } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { type GitConfig, readGitConfig } from "../git/config-file.ts";
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
}

const TEMPLATE_BYTES_MAX = 65_536;
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
  const own = await Promise.all([join(folder, "config"), join(home, ".gitconfig")].map((path) => readOwn(git, path)));
  const all = [...own, repository.config];
  const theirs = (name: string): string | undefined => lastOf(own, name);
  const any = (name: string): string | undefined => lastOf(all, name);
  const expanded = (path: string): string => path.replace(/^~(?=\/)/, home);
  return {
    identity: { name: any("user.name") ?? NOBODY.name, email: any("user.email") ?? NOBODY.email },
    signing: isTrue(any("commit.gpgsign")) ? signingOf(environment, home, theirs, any) : null,
    template: await templateOf(expanded(theirs("commit.template") ?? "")),
    hooks: await hooksOf(repository, any("core.hookspath"), expanded),
    filters: [...new Set(all.flatMap((config) => filtersIn(config)))],
  };
}

/** The person's own files may be links. */
async function readOwn(git: GitRunner, path: string): Promise<GitConfig | null> {
  const real = await realpath(path).catch(() => null);
  return real === null ? null : readGitConfig(git, real);
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
  const real = isAbsolute(path) ? await realpath(path).catch(() => null) : null;
  const text = real === null ? null : await readSmall(real, TEMPLATE_BYTES_MAX);
  const lines = (text ?? "").split("\n").filter((line) => !line.startsWith("#"));
  return lines.join("\n").trim();
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
