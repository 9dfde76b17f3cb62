import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { setUpLanding } from "../../../../test/support/landing-repository.ts";
import { put } from "../../../../test/support/landing-scene.ts";
import { proves } from "../../../../test/support/proves.ts";

proves(
  "LH-4",
  "work of a session in a linked worktree: the first checkout moves too, wherever its git dir lies",
  async () => {
    for (const kind of ["a submodule", "a git dir elsewhere"]) {
      using all = setUpLanding();
      const { git, repo, directory } = all;
      const [main, linked] = [join(directory, "super", "sub"), join(directory, "linked")];
      git(directory, "init", "-q", "super");
      if (kind === "a submodule")
        git(join(directory, "super"), "-c", "protocol.file.allow=always", "submodule", "add", "-q", repo, "sub");
      else git(directory, "clone", "-q", "--separate-git-dir", join(directory, "elsewhere"), repo, main);
      git(main, "worktree", "add", "-q", "-b", "other", linked);
      rmSync(repo, { recursive: true });
      renameSync(linked, repo);
      git(main, "worktree", "repair", repo);
      const own = await all.worktree();
      put(own.path, "new.txt", "new");
      const { moved } = await all.land(own.id);
      const blocked = { moved: false, why: "checkout", words: expect.stringMatching(/elsewhere does not name/) };
      expect({ kind, moved }).toMatchObject({ kind, moved: kind === "a submodule" ? { moved: true } : blocked });
      expect(git(main, "status", "--porcelain")).toBe("");
      expect(existsSync(join(main, "new.txt"))).toBe(kind === "a submodule");
    }
  },
);
