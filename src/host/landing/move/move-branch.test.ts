import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { byGit, filesOf, flawsOf, pictureOf } from "../../../../test/support/landing-repository.ts";
import { type LandingScene, landingScene, put } from "../../../../test/support/landing-scene.ts";
import { proves } from "../../../../test/support/proves.ts";

/** The branch moved, and everything is as git itself would have left it. */
async function expectAsGit(all: LandingScene, into = "main"): Promise<void> {
  const reference = byGit(all, into);
  const { made, moved } = await all.land(all.id, { into });
  expect({ made, moved }).toMatchObject({ moved: { moved: true } });
  reference.merge();
  const { git, repo } = all;
  const seen = (root: string) => ({
    files: filesOf(root),
    index: git(root, "ls-files", "--stage", "-v"),
    status: git(root, "status", "--porcelain"),
    tip: git(root, "rev-parse", into),
  });
  expect(seen(repo)).toEqual(seen(reference.root));
  expect(git(repo, "reflog", "-1", "--format=%gs", into)).toBe("nomos: land");
  expect(flawsOf(all)).toEqual([]);
}

describe("the branch is checked out", () => {
  const CLEAN: readonly [string, (all: LandingScene) => void][] = [
    ["as it was committed", () => undefined],
    [
      "with untracked and ignored files elsewhere",
      ({ at, repo }) => {
        put(repo, "mine.txt", "mine");
        put(repo, "ignored/mine", "mine");
        expect(existsSync(at(".env"))).toBe(false);
        put(repo, ".env", "SECRET");
      },
    ],
    [
      "with files that were only touched",
      ({ at }) => {
        writeFileSync(at("a.txt"), "a\n");
      },
    ],
    [
      "with an index in two parts",
      ({ git, repo }) => {
        git(repo, "config", "core.splitIndex", "true");
        git(repo, "update-index", "--split-index");
        put(repo, "keep.txt", "on\n");
        git(repo, "commit", "-qam", "on");
      },
    ],
    [
      "with an index of another version, and an untracked cache",
      ({ git, repo }) => {
        git(repo, "update-index", "--index-version", "4", "--untracked-cache");
        git(repo, "status");
      },
    ],
    [
      "with line endings that git converts",
      ({ git, repo, person }) => {
        writeFileSync(join(person, ".gitconfig"), "[user]\nname=Ada\nemail=a@b\n[core]\nautocrlf=true\n");
        git(repo, "rm", "-rq", "--cached", ".");
        git(repo, "reset", "--hard", "-q");
      },
    ],
    [
      "with attributes of the person's own",
      ({ repo, person, git }) => {
        put(repo, ".git/info/attributes", "a.txt eol=crlf\n");
        put(person, ".config/git/attributes", "*.txt text\nuncommitted.txt ident\n");
        git(repo, "status");
      },
    ],
    [
      "with an unchanged file that git is told not to look at",
      ({ git, repo, at }) => {
        git(repo, "update-index", "--assume-unchanged", "keep.txt");
        git(repo, "update-index", "--skip-worktree", "README.md");
        writeFileSync(at("keep.txt"), "mine");
        writeFileSync(at("README.md"), "mine");
      },
    ],
    [
      "with refs and objects packed, and a stash",
      ({ git, repo, at }) => {
        writeFileSync(at("keep.txt"), "stashed");
        git(repo, "stash", "-q");
        git(repo, "gc", "-q");
      },
    ],
    [
      "with a detached worktree beside it",
      ({ git, repo, directory }) => {
        git(repo, "worktree", "add", "-q", "--detach", join(directory, "beside"));
      },
    ],
  ];
  proves("LH-1", "a clean checkout moves with its branch, as `git merge --ff-only` would move it", async () => {
    for (const [what, prepare] of CLEAN) {
      using all = await landingScene();
      prepare(all);
      await expectAsGit(all).catch((cause: unknown) => {
        throw new Error(what, { cause });
      });
    }
  });

  const KEPT: readonly [string, (all: LandingScene) => void, RegExp][] = [
    ["a changed file", ({ at }) => writeFileSync(at("keep.txt"), "mine"), /not committed/],
    [
      "a change of the same length at the time of the index",
      ({ git, repo, at }) => {
        writeFileSync(at("keep.txt"), "1234\n");
        git(repo, "add", ".");
        git(repo, "commit", "-qm", "x");
        writeFileSync(at("keep.txt"), "5678\n");
      },
      /not committed/,
    ],
    [
      "a staged file",
      ({ at, git, repo }) => {
        writeFileSync(at("keep.txt"), "mine");
        git(repo, "add", "keep.txt");
      },
      /not committed/,
    ],
    [
      "a staged file that is as committed in the tree",
      ({ at, git, repo }) => {
        writeFileSync(at("keep.txt"), "mine");
        git(repo, "add", "keep.txt");
        writeFileSync(at("keep.txt"), "keep\n");
      },
      /not committed/,
    ],
    [
      "a new file that is staged",
      ({ git, repo }) => {
        put(repo, "mine.txt", "mine");
        git(repo, "add", "mine.txt");
      },
      /not committed/,
    ],
    [
      "a new file that is to be added",
      ({ git, repo }) => {
        put(repo, "uncommitted.txt", "mine");
        git(repo, "add", "-N", "uncommitted.txt");
      },
      /not committed|does not know/,
    ],
    ["a deleted file", ({ at }) => rmSync(at("keep.txt")), /not committed/],
    ["a changed right to run", ({ at }) => chmodSync(at("keep.txt"), 0o755), /not committed/],
    ["an untracked file in the way", ({ repo }) => put(repo, "uncommitted.txt", "mine"), /does not know/],
    [
      "an ignored file in the way",
      ({ repo, git }) => {
        put(repo, ".git/info/exclude", "uncommitted.txt\nnew/\n");
        put(repo, "new/deep/file.bin", "mine");
        expect(git(repo, "status", "--porcelain")).toBe("");
      },
      /does not know/,
    ],
    ["an untracked file where a folder comes", ({ repo }) => put(repo, "new", "mine"), /does not know/],
    [
      "an untracked file in a folder that goes",
      ({ repo }) => put(repo, "dir/mine.txt", "mine"),
      /dir was changed|does not know/,
    ],
    [
      "an untracked link where a folder comes",
      ({ at, directory }) => symlinkSync(directory, at("new")),
      /does not know/,
    ],
    [
      "files in conflict",
      ({ git, repo, at }) => {
        git(repo, "switch", "-qc", "other");
        writeFileSync(at("keep.txt"), "other\n");
        git(repo, "commit", "-qam", "other");
        git(repo, "switch", "-q", "main");
        writeFileSync(at("keep.txt"), "mine\n");
        git(repo, "commit", "-qam", "mine");
        expect(() => git(repo, "merge", "-q", "other")).toThrow();
        rmSync(at(".git/MERGE_HEAD"));
      },
      /not committed/,
    ],
    [
      "a file that is assumed to be unchanged",
      ({ git, repo, at }) => {
        git(repo, "update-index", "--assume-unchanged", "a.txt");
        writeFileSync(at("a.txt"), "mine");
      },
      /not committed/,
    ],
    [
      "a file that git skips",
      ({ git, repo, at }) => {
        git(repo, "update-index", "--skip-worktree", "a.txt");
        writeFileSync(at("a.txt"), "mine");
      },
      /not committed/,
    ],
    [
      "a skipped file that is not there",
      ({ git, repo, at }) => {
        git(repo, "update-index", "--skip-worktree", "a.txt");
        rmSync(at("a.txt"));
      },
      /not committed/,
    ],
    ["a sparse checkout", ({ git, repo }) => git(repo, "sparse-checkout", "set", "etc"), /sparse/],
    ["a git that works", ({ at }) => writeFileSync(at(".git/index.lock"), ""), /another git/],
    ["a merge", ({ git, repo, at }) => writeFileSync(at(".git/MERGE_HEAD"), git(repo, "rev-parse", "HEAD")), /a merge/],
    [
      "a rebase of the branch",
      ({ git, repo }) => {
        put(repo, "keep.txt", "on\n");
        git(repo, "commit", "-qam", "on");
        try {
          git(repo, "rebase", "-q", "--exec", "false", "HEAD~1");
        } catch {
          return;
        }
        throw new Error("no rebase");
      },
      /a rebase/,
    ],
    [
      "a bisection",
      ({ git, repo }) => {
        git(repo, "bisect", "start");
        git(repo, "bisect", "bad");
        git(repo, "bisect", "good", "HEAD~1");
      },
      /a bisection/,
    ],
    [
      "a filter that the person uses",
      ({ repo, person, git }) => {
        writeFileSync(
          join(person, ".gitconfig"),
          '[user]\nname=Ada\nemail=a@b\n[filter "lfs"]\nclean=cat\nsmudge=cat\n',
        );
        put(repo, ".git/info/attributes", "*.bin filter=lfs\n");
        git(repo, "status");
      },
      /a filter/,
    ],
    ["no index", ({ at }) => rmSync(at(".git/index")), /no index/],
    [
      "another name for another branch",
      ({ git, repo }) => {
        git(repo, "branch", "-m", "main", "trunk");
        git(repo, "symbolic-ref", "refs/heads/main", "refs/heads/trunk");
      },
      /another name/,
    ],
    [
      "a branch in two places",
      ({ git, repo, directory }) => git(repo, "worktree", "add", "-qf", join(directory, "second"), "main"),
      /several places/,
    ],
  ];
  proves(
    "LH-2",
    "whatever the person has there that is not committed keeps the branch where it is, and itself as it was",
    async () => {
      using all = await landingScene();
      const taken = await all.capture(all.id);
      const clean = join(all.directory, "clean");
      cpSync(all.repo, clean, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      for (const [what, prepare, words] of KEPT) {
        rmSync(all.repo, { recursive: true });
        cpSync(clean, all.repo, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
        rmSync(join(all.directory, "second"), { recursive: true, force: true });
        prepare(all);
        const before = pictureOf(all);
        const packs = readdirSync(all.at(".git/objects/pack"));
        await using landing = await all.open([taken]);
        const { moved } = await all.landIn(landing, taken);
        // That one is only seen when the file takes the folder's place.
        if (what !== "an untracked file in a folder that goes")
          expect({ what, packs: readdirSync(all.at(".git/objects/pack")) }).toEqual({ what, packs });
        expect({ what, moved }).toMatchObject({
          what,
          moved: { moved: false, why: "checkout", words: expect.stringMatching(words) },
        });
        expect({ what, picture: pictureOf(all) }).toEqual({ what, picture: before });
        if (what !== "a git that works") expect({ what, flaws: flawsOf(all) }).toEqual({ what, flaws: [] });
      }
    },
  );
});

test("files are replaced, never written through: hard links and open files keep their bytes", async () => {
  using all = await landingScene();
  const { at, directory } = all;
  linkSync(at("a.txt"), join(directory, "second-name"));
  chmodSync(at("a.txt"), 0o600);
  await expectAsGit(all);
  expect(readFileSync(join(directory, "second-name"), "utf8")).toBe("a\n");
  expect(lstatSync(at("a.txt")).mode & 0o777).toBe(0o600);
  expect(lstatSync(at("uncommitted.txt")).mode & 0o777).toBe(lstatSync(at(".")).mode & 0o664);
  renameSync(at("a.txt"), at("b.txt"));
});
