import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { flawsOf, type LandingBench, setUpLanding } from "../../../test/support/landing-repository.ts";
import { put } from "../../../test/support/landing-scene.ts";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";

const TRAILERS = ["Nomos-Session: s_1", "Nomos-Turn: t_1"];

/** An agent with two commits and an uncommitted file, and a person who went on. */
async function working(all: LandingBench) {
  const { git, repo } = all;
  const { id, path: tree } = await all.worktree();
  put(tree, "one.txt", "1\n");
  git(tree, "add", ".");
  git(
    tree,
    "-c",
    "user.name=Grace Ünicode",
    "-c",
    "user.email=g@h",
    "commit",
    "-q",
    "--date=1700000000 -0330",
    "-m",
    "one\n\nNomos-Session: forged\nReviewed-by: Bob",
  );
  put(tree, "two.txt", "2\n");
  git(tree, "add", ".");
  git(tree, "commit", "-q", "-m", "two");
  put(tree, "three.txt", "3\n");
  put(repo, "mine.txt", "mine\n");
  git(repo, "add", ".");
  git(repo, "commit", "-q", "-m", "mine");
  return { id, tree };
}

const log = ({ git, repo }: LandingBench, format = "%s", ...more: string[]) =>
  git(repo, "log", `--format=${format}`, ...more).split("\n");

describe("the commits of a landing", () => {
  proves(
    "LH-8",
    "merged, rebased or squashed, with trailers that cannot be forged and authors as they were",
    async () => {
      for (const how of ["merge", "rebase", "squash"] as const) {
        using all = setUpLanding();
        const { git, repo } = all;
        const { id } = await working(all);
        const before = git(repo, "rev-parse", "main");
        const { made, moved } = await all.land(id, {
          how,
          message: "Title\n\nBody\n---\n# kept\nnomos-session : forged\r\n x\rNomos-Turn: forged\n",
          trailers: TRAILERS,
        });
        expect({ how, made, moved }).toMatchObject({ how, moved: { moved: true }, made: { hasUncommitted: true } });
        expect(git(repo, "merge-base", "main", before)).toBe(before);
        expect(git(repo, "status", "--porcelain")).toBe("");
        expect(readFileSync(join(repo, "three.txt"), "utf8")).toBe("3\n");
        const wanted = {
          merge: ["Title", "Title", "two", "one", "mine", "first"],
          rebase: ["Title", "two", "one", "mine", "first"],
          squash: ["Title", "mine", "first"],
        };
        expect(log(all, "%s", "--topo-order").toSorted()).toEqual([...wanted[how]].toSorted());
        const trailers = "%(trailers:key=Nomos-Session,key=Nomos-Turn,only,separator=%x2C)";
        const told = log(all, trailers, "-1");
        expect(told).toEqual(["Nomos-Session: s_1,Nomos-Turn: t_1"]);
        const body = git(repo, "log", "-1", "--format=%B");
        expect(body).toContain("---\n# kept");
        expect(body).not.toMatch(/forged/);
        if (how === "rebase") {
          const [author, ...text] = git(repo, "log", "-1", "--format=%an <%ae> %ad%n%B", "--date=raw", "main~2").split(
            "\n",
          );
          expect(author).toBe("Grace Ünicode <g@h> 1700000000 -0330");
          expect(text.join("\n").trim()).toBe(`one\n\nReviewed-by: Bob\n${TRAILERS.join("\n")}`);
          expect(log(all, trailers, "main~3..").join()).not.toContain("forged");
          expect("kept" in made && made.kept).toEqual([]);
        }
        if (how === "merge") expect("kept" in made && made.kept).toHaveLength(2);
        expect(flawsOf(all)).toEqual([]);
      }
    },
  );

  proves(
    "LH-8",
    "what is made anew holds nothing that a terminal obeys, and no trailer that hides behind it",
    async () => {
      using all = setUpLanding();
      const { git } = all;
      const { id, path: tree } = await all.worktree();
      put(tree, "one.txt", "1\n");
      git(tree, "add", ".");
      const message = "one\u001b[2J \u202eeno\n\nNom\u001bos-Session: forged";
      git(tree, "commit", "-q", "--author", "Gr\u001b]0;x\u0007ace\u2066 <g@h>", "-m", message);
      await all.land(id, { how: "rebase", trailers: TRAILERS });
      expect(log(all, "%an%n%B", "-1", "main").join("\n").trim()).toBe(
        `Gr]0;xace\none[2J eno\n\n${TRAILERS.join("\n")}`,
      );
    },
  );

  proves(
    "LH-8",
    "conflicts name the files; what the branch has, and what shares no history, makes no commit",
    async () => {
      using all = setUpLanding();
      const { git, repo } = all;
      const { id, path: tree } = await all.worktree();
      expect((await all.land(id)).made).toEqual({ nothing: true });
      put(tree, "README.md", "theirs\n");
      put(tree, "deep/odd\tname", "theirs\n");
      put(repo, "README.md", "mine\n");
      put(repo, "deep/odd\tname", "mine\n");
      git(repo, "add", ".");
      git(repo, "commit", "-qm", "mine");
      const tip = git(repo, "rev-parse", "main");
      for (const how of ["merge", "rebase", "squash"] as const)
        expect((await all.land(id, { how })).made).toEqual({ conflicts: ["README.md", "deep/odd\tname"] });
      // Taken over by hand: nothing is left to land.
      put(tree, "README.md", "mine\n");
      put(tree, "deep/odd\tname", "mine\n");
      expect((await all.land(id)).made).toEqual({ nothing: true });
      git(tree, "checkout", "-q", "--orphan", "other");
      git(tree, "commit", "-q", "-m", "no parents");
      expect((await all.land(id)).made).toEqual({ unrelated: true });
      expect(git(repo, "rev-parse", "main")).toBe(tip);
    },
  );

  proves(
    "LH-8",
    "merges, empty commits and odd bytes in the session's history, and the person's own commits",
    async () => {
      using all = setUpLanding();
      const { git, repo } = all;
      git(repo, "switch", "-qc", "feature");
      put(repo, "feature.txt", "the person's\n");
      git(repo, "add", ".");
      git(repo, "commit", "-qm", "feature");
      const { id, path: tree } = await all.worktree();
      git(tree, "commit", "-q", "--allow-empty", "-m", "empty");
      git(tree, "switch", "-qc", "side");
      put(tree, "side.txt", "side\n");
      git(tree, "add", ".");
      const latin = join(all.directory, "message");
      writeFileSync(latin, Buffer.from("caf\xe9\n\nbody\r\n", "latin1"));
      git(tree, "-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "-F", latin);
      git(tree, "switch", "-q", "-");
      put(tree, "line.txt", "line\n");
      git(tree, "add", ".");
      git(tree, "commit", "-qm", "line");
      git(tree, "merge", "-q", "--no-ff", "-m", "joined", "side");
      git(repo, "switch", "-q", "main");
      const { made, moved } = await all.land(id, { how: "rebase", into: "main", trailers: TRAILERS });
      expect({ made, moved }).toMatchObject({ moved: { moved: true } });
      expect(log(all, "%s", "--topo-order").toSorted()).toEqual(["café", "feature", "first", "line"]);
      expect(git(repo, "log", "--merges", "--format=%s")).toBe("");
      expect(git(repo, "show", "main:feature.txt")).toBe("the person's");
      // On the person's own branch, their commit stays what it is.
      const feature = git(repo, "rev-parse", "feature");
      put(tree, "later.txt", "later\n");
      expect((await all.land(id, { how: "rebase", into: "feature" })).moved).toEqual({ moved: true });
      expect(git(repo, "merge-base", "feature", feature)).toBe(feature);
      expect(flawsOf(all)).toEqual([]);
    },
  );

  proves("LH-8", "a file that the session sets back to what it was at its base is the session's change", async () => {
    using all = setUpLanding();
    const { git, repo } = all;
    const { id, path: tree } = await all.worktree();
    const base = git(tree, "rev-parse", "HEAD");
    put(repo, "README.md", "mended by the person\n");
    git(repo, "commit", "-qam", "mended");
    git(tree, "fetch", "-q", repo, "main");
    git(tree, "merge", "-q", "--no-ff", "-s", "ours", "-m", "sets it back", "FETCH_HEAD");
    const capture = await all.capture(id);
    await using landing = await all.open([capture]);
    const made = await all.make(landing, capture);
    const commit = "commit" in made ? made.commit : "";
    const tip = git(repo, "rev-parse", "main");
    const changes = await landing.changes({ tip, commit, userBase: capture.work.userBase });
    expect(capture.work.userBase).toBe(base);
    expect(changes.filter((one) => one.commit === null).map(({ path }) => path)).toEqual(["README.md"]);
  });
});

test.skipIf(!needs("ssh-keygen"))(
  "signed by the person's own ssh key, with the settings that their configuration includes",
  async () => {
    using all = setUpLanding();
    const { repo, person } = all;
    const key = join(person, "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    const allowed = join(person, "allowed");
    writeFileSync(allowed, `ada@example.org ${readFileSync(`${key}.pub`, "utf8")}`);
    writeFileSync(
      join(person, ".gitconfig"),
      `[user]\n\tname = Ada\n\temail = a@b\n[includeIf "gitdir:${repo}/"]\n\tpath = ~/.gitconfig-work\n[init]\n\tdefaultBranch = main\n`,
    );
    writeFileSync(
      join(person, ".gitconfig-work"),
      `[user]\n\tname = Ada at Work\n\temail = ada@example.org\n\tsigningKey = ~/key.pub\n[commit]\n\tgpgSign = true\n[gpg]\n\tformat = ssh\n[gpg "ssh"]\n\tallowedSignersFile = ${allowed}\n`,
    );
    const { id } = await working(all);
    expect((await all.land(id, { how: "rebase", trailers: TRAILERS })).moved).toEqual({ moved: true });
    expect(log(all, "%G? %cn", "main~3..")).toEqual(Array(3).fill("G Ada at Work"));
    rmSync(key);
    const again = await all.worktree();
    put(again.path, "unsigned.txt", "x");
    await expect(all.land(again.id)).rejects.toMatchObject({ code: "git_failed" });
  },
);
