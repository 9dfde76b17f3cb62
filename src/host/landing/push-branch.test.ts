import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { flawsOf, pictureOf } from "../../../test/support/landing-repository.ts";
import { landingScene } from "../../../test/support/landing-scene.ts";
import { proves } from "../../../test/support/proves.ts";
import { forgeOf } from "./push-branch.ts";

proves("LH-9", "a branch for a pull request is pushed as the person would, or is neither here nor there", async () => {
  using all = await landingScene();
  const { git, repo, at, directory } = all;
  const capture = await all.capture(all.id);
  await using landing = await all.open([capture]);
  const made = await all.make(landing, capture);
  const commit = "commit" in made ? made.commit : "";
  const push = { branch: "nomos/work", commit, into: "main", title: "Title" };
  let before = pictureOf(all);
  expect(await landing.push(push)).toEqual({ pushed: false, words: "the repository has no remote origin" });
  expect(pictureOf(all)).toEqual(before);
  const remote = join(directory, "remote.git");
  git(directory, "clone", "-q", "--bare", repo, remote);
  git(repo, "remote", "add", "origin", remote);
  before = pictureOf(all);
  await using again = await all.open([capture]);
  const same = await again.make({
    how: "merge",
    message: "Land it\n",
    trailers: [],
    tip: git(repo, "rev-parse", "main"),
    head: capture.work.head,
    tree: capture.work.tree,
  });
  const done = "commit" in same ? same.commit : "";
  writeFileSync(at(".git/hooks/pre-push"), '#!/bin/sh\necho "not today" >&2\nexit 1\n');
  chmodSync(at(".git/hooks/pre-push"), 0o755);
  expect(await again.push({ ...push, commit: done })).toMatchObject({
    pushed: false,
    words: expect.stringContaining("not today"),
  });
  expect(pictureOf(all)).toEqual(before);
  writeFileSync(at(".git/hooks/pre-push"), "#!/bin/sh\nexit 0\n");
  expect(await again.push({ ...push, commit: done })).toMatchObject({ pushed: true, remote: "origin", url: null });
  expect(git(remote, "rev-parse", "nomos/work")).toBe(done);
  expect(git(repo, "rev-parse", "nomos/work")).toBe(done);
  expect(flawsOf(all)).toEqual([]);
  // The remote's branch went another way: nothing is forced.
  git(
    remote,
    "update-ref",
    "refs/heads/other",
    git(remote, "commit-tree", "HEAD^{tree}", "-m", "theirs", "-p", "HEAD"),
  );
  const theirs = git(remote, "rev-parse", "other");
  before = pictureOf(all);
  expect(await again.push({ ...push, branch: "other", commit: done })).toMatchObject({ pushed: false });
  expect(git(remote, "rev-parse", "other")).toBe(theirs);
  expect(pictureOf(all)).toEqual(before);
  git(repo, "switch", "-q", "nomos/work");
  expect(await again.push(push)).toMatchObject({ pushed: false, words: expect.stringContaining("checked out") });
});

test.each([
  ["https://github.com/o/r.git", "https://github.com/o/r/compare/main...b?expand=1", "gh pr create"],
  ["https://user:secret@github.com/o/r", "https://github.com/o/r/compare/main...b?expand=1", "gh pr create"],
  ["git@github.com:o/r.git", "https://github.com/o/r/compare/main...b?expand=1", "gh pr create"],
  [
    "ssh://git@github.example.org:2222/o/r.git/",
    "https://github.example.org/o/r/compare/main...b?expand=1",
    "gh pr create",
  ],
  [
    "git@gitlab.example.org:group/sub/r.git",
    "https://gitlab.example.org/group/sub/r/-/merge_requests/new?merge_request%5Bsource_branch%5D=b&merge_request%5Btarget_branch%5D=main",
    "glab mr create",
  ],
  [
    "https://gitlab.com/o/r",
    "https://gitlab.com/o/r/-/merge_requests/new?merge_request%5Bsource_branch%5D=b&merge_request%5Btarget_branch%5D=main",
    "glab mr create",
  ],
  ["/srv/git/r.git", null, "git log main..b --"],
  ["file:///srv/git/r.git", null, "git log main..b --"],
])("the page and the command for %s", (address, url, command) => {
  const told = forgeOf(address, { branch: "b", into: "main", title: "t" });
  expect(told.url).toBe(url);
  expect(told.next[0]).toMatch(new RegExp(`^${command}`));
  expect(JSON.stringify(told)).not.toContain("secret");
});

proves("LH-9", "a hostile title or branch is one word of the command that is shown", () => {
  const mark = "/tmp/nomos-landing-title";
  const title = `'; touch ${mark} #\n$(touch ${mark}) \u001b[201~\ntouch ${mark}\n\`touch ${mark}\` -x`;
  const branch = `a$(touch\${IFS}${mark});b&c'd`;
  for (const address of ["git@github.com:o/r", "git@gitlab.com:o/r", "/srv/r"]) {
    const { url, next } = forgeOf(address, { branch, into: "main;x", title });
    const [line = ""] = next;
    expect(line).not.toMatch(/\p{Cc}/u);
    const words = execFileSync(
      "bash",
      ["-c", `git() { printf '%s\\0' "$@"; }; gh() { git "$@"; }; glab() { git "$@"; }; ${line}`],
      { encoding: "utf8" },
    ).split("\0");
    expect(words.some((word) => word.includes(branch))).toBe(true);
    if (address !== "/srv/r") expect(words).toContain(`--title=${title}`);
    expect(url ?? "").not.toMatch(/[\s'"$;`]/);
    expect(existsSync(mark)).toBe(false);
  }
});
