import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ConfigSection, writeGitConfig } from "../git/config-file.ts";
import type { Repository } from "../git/find-repository.ts";
import { alternates, formatSections } from "../git/repository-view.ts";

export interface Identity {
  readonly name: string | undefined;
  readonly email: string | undefined;
}

export interface PrivateGitDir {
  readonly repository: Repository;
  readonly branch: string;
  /** Null: a branch without a commit. */
  readonly commit: string | null;
  /** Lines `<id> <name>`, sorted by name. */
  readonly refs: readonly string[];
  readonly objectDirs: readonly string[];
  readonly identity: Identity;
  readonly exclude: string;
}

/**
 * Makes the git dir of one worktree. Work in it touches no other repository's refs, index, configuration, hooks or
 * objects.
 */
export async function writePrivateGitDir(gitDir: string, given: PrivateGitDir): Promise<void> {
  const { repository, branch, commit, refs, objectDirs, identity, exclude } = given;
  const ref = `refs/heads/${branch}`;
  for (const path of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks", "logs/refs/heads"])
    await mkdir(join(gitDir, path), { recursive: true });
  const put = (name: string, text: string) => writeFile(join(gitDir, name), text);
  await put("objects/info/alternates", alternates(objectDirs));
  await put("info/exclude", exclude);
  await put("config", writeGitConfig(configOf(repository, identity)));
  const lines = commit === null ? refs : withRef(refs, ref, commit);
  await put("packed-refs", ["# pack-refs with: sorted", ...lines].map((line) => `${line}\n`).join(""));
  await put("HEAD", `ref: ${ref}\n`);
}

/** Leaves out a user's branch `nomos`, because it would conflict with `nomos/<name>`. */
function withRef(refs: readonly string[], ref: string, commit: string): readonly string[] {
  const isInTheWay = (name: string) => name === ref || ref.startsWith(`${name}/`) || name.startsWith(`${ref}/`);
  const others = refs.map((line) => ({ line, name: line.slice(line.indexOf(" ") + 1) }));
  const kept = others.filter(({ name }) => !isInTheWay(name));
  return [...kept, { line: `${commit} ${ref}`, name: ref }]
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
    .map(({ line }) => line);
}

/** Always the plain file format for refs, whatever the user has, because we write them ourselves. */
function configOf(repository: Repository, { name, email }: Identity): ConfigSection[] {
  const user = [
    ...(name === undefined ? [] : ([["name", name]] as const)),
    ...(email === undefined ? [] : ([["email", email]] as const)),
  ];
  const [core, extensions] = formatSections({ ...repository, refFormat: "files" });
  return [
    { section: "core", values: [...(core?.values ?? []), ["logallrefupdates", "true"]] },
    ...(extensions === undefined ? [] : [extensions]),
    { section: "user", values: user },
    ...remotes(repository),
  ];
}

function remotes({ config }: Repository): ConfigSection[] {
  const names = config.entries.flatMap(([name]) => /^remote\.(.+)\.url$/s.exec(name)?.[1] ?? []);
  return [...new Set(names)].flatMap((name) => {
    const url = withoutCredentials(config.get(`remote.${name}.url`) ?? "");
    if (url === null || /["\\\n]/.test(name)) return [];
    return [
      {
        section: `remote.${name}`,
        values: [["url", url] as const, ["fetch", `+refs/heads/*:refs/remotes/${name}/*`] as const],
      },
    ];
  });
}

/**
 * Null for a program instead of an address (`ext::sh -c ...`). A user name without a password is part of an ssh
 * address.
 */
function withoutCredentials(url: string): string | null {
  if (/^[\w-]+::/.test(url) || /^-/.test(url) || url === "") return null;
  // In `git@host:path` the name comes first; a colon before the `@` would precede a password.
  if (!/^[\w+.-]+:\/\//.test(url)) return /^[^@]*:[^@]*@/.test(url) ? null : url;
  try {
    const parsed = new URL(url);
    parsed.password = "";
    if (!parsed.protocol.includes("ssh")) parsed.username = "";
    parsed.search = "";
    parsed.hash = "";
    return parsed.href;
  } catch (thrown) {
    if (thrown instanceof TypeError) return null;
    throw thrown;
  }
}
