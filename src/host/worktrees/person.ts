import { realpath } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { type GitConfig, readGitConfig } from "../git/config-file.ts";
import { type Repository, readSmall } from "../git/find-repository.ts";
import type { GitRunner } from "../git/run-git.ts";
import type { WorktreeYard } from "./create-worktree.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The person's git settings. A repository may set their identity, but not which file is read, because an agent may have
 * written that.
 */
export function createPerson(
  git: GitRunner,
  environment: Environment,
): Pick<WorktreeYard, "identity" | "globalExclude"> {
  const home = environment["HOME"] ?? "/nonexistent";
  const folder = join(environment["XDG_CONFIG_HOME"] ?? join(home, ".config"), "git");
  const everywhere = () => Promise.all([join(folder, "config"), join(home, ".gitconfig")].map(readOwn));
  // The person's own files may be links.
  const readOwn = async (path: string): Promise<GitConfig | null> => {
    const real = await realpath(path).catch(() => null);
    return real === null ? null : readGitConfig(git, real);
  };
  const last = (configs: readonly (GitConfig | null)[], name: string): string | undefined =>
    configs.findLast((config) => config?.get(name) !== undefined)?.get(name);
  return {
    identity: async ({ config }: Repository) => {
      const configs = [...(await everywhere()), config];
      return { name: last(configs, "user.name"), email: last(configs, "user.email") };
    },
    globalExclude: async () => {
      const given = last(await everywhere(), "core.excludesfile") ?? join(folder, "ignore");
      const path = given.replace(/^~(?=\/)/, home);
      const real = isAbsolute(path) ? await realpath(path).catch(() => null) : null;
      return real === null ? "" : ((await readSmall(real)) ?? "");
    },
  };
}
