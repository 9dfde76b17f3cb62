import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect } from "vitest";
import { flawsOf, setUpLanding } from "../../../test/support/landing-repository.ts";
import { landingScene, put } from "../../../test/support/landing-scene.ts";
import { proves } from "../../../test/support/proves.ts";

describe("the work of a session", () => {
  proves(
    "LH-7",
    "of all kinds, committed or not, is captured with what git stores of it, and later changes do not reach it",
    async () => {
      using all = await landingScene();
      const { git, tree, id, repo } = all;
      put(tree, "staged.txt", "staged");
      git(tree, "add", "staged.txt");
      put(tree, "staged.txt", "then changed");
      put(tree, "binary", "\0\xff\r\n");
      put(tree, "crlf.txt", "a\r\nb\r\n");
      put(tree, "-odd\nname", "odd");
      put(tree, "ignored/never", "never");
      put(tree, "nested/inner.txt", "inner");
      git(join(tree, "nested"), "init", "-q");
      symlinkSync("/etc/passwd", join(tree, "out"));
      const capture = await all.capture(id);
      const { work } = capture;
      expect(work).toMatchObject({
        fault: null,
        nested: ["nested"],
        repository: { root: repo, gitDir: join(repo, ".git") },
      });
      rmSync(tree, { recursive: true });
      await using landing = await all.open([capture]);
      const ask = (...args: string[]) => landing.git.text(args);
      const listed = (await ask("ls-tree", "-r", "-z", work.tree))
        .split("\0")
        .filter(Boolean)
        .map((line) => line.replace(/ \w+ \w+\t/, " "));
      expect(listed).toContain("120000 out");
      expect(listed).toContain("100755 run.sh");
      expect(listed).toContain("100644 -odd\nname");
      expect(listed.filter((line) => /ignored|nested|gone|\.git/.test(line))).toEqual(["100644 .gitignore"]);
      expect(await ask("cat-file", "blob", `${work.tree}:staged.txt`)).toBe("then changed");
      expect(await ask("cat-file", "blob", `${work.tree}:crlf.txt`)).toBe("a\r\nb\r");
      expect(await ask("cat-file", "blob", `${work.tree}:out`)).toBe("/etc/passwd");
      expect(await ask("log", "-1", "--format=%s", work.head ?? "")).toBe("all kinds");
    },
  );

  proves(
    "LH-7",
    "files that nobody committed are captured as the person's attributes have git store them",
    async () => {
      using all = await landingScene({}, ({ git, repo }) => {
        put(
          repo,
          ".gitattributes",
          "*.bat text eol=crlf\n*.c ident\n*.strings text working-tree-encoding=UTF-16LE-BOM\n",
        );
        put(repo, "kept.bat", "rem\r\n");
        put(repo, ".git/info/attributes", "*.cmd text eol=crlf\n");
        git(repo, "add", "--all");
      });
      const { git, tree, repo, id } = all;
      put(tree, "kept.bat", "rem\r\nchanged\r\n");
      put(tree, "new.bat", "rem new\r\n");
      chmodSync(join(tree, "new.bat"), 0o755);
      put(tree, "new.cmd", "rem new\r\n");
      put(tree, "new.c", "$Id: of the agent $\n");
      put(tree, "plain.txt", "plain\r\nit\r\n");
      writeFileSync(join(tree, "new.strings"), Buffer.from("\ufeffhello\n", "utf16le"));
      put(tree, "broken.strings", "x");
      const { moved } = await all.land(id);
      expect(moved).toEqual({ moved: true });
      const stored = (path: string) => git(repo, "cat-file", "blob", `main:${path}`);
      expect(
        ["kept.bat", "new.bat", "new.cmd", "new.c", "plain.txt", "new.strings", "broken.strings"].map(stored),
      ).toEqual([...["rem\nchanged", "rem new", "rem new", "$Id$", "plain\r\nit", "hello", "x"]]);
      expect(git(repo, "ls-tree", "main", "new.bat")).toMatch(/^100755 /);
      expect(readFileSync(join(repo, "new.bat"), "utf8")).toBe("rem new\r\n");
      rmSync(join(repo, "broken.strings"));
      expect(git(repo, "status", "--porcelain")).toBe(" D broken.strings");
    },
  );

  proves("LH-7", "nothing that the agent set decides what is captured, and none of it runs", async () => {
    using all = await landingScene();
    const { git, tree, id, directory } = all;
    const mark = join(directory, "ran");
    const program = join(directory, "program");
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`);
    chmodSync(program, 0o755);
    const first = git(tree, "rev-parse", "HEAD~1");
    put(tree, ".gitattributes", "* filter=evil eol=crlf ident working-tree-encoding=UTF-16\n");
    put(tree, ".git/info/attributes", "* filter=evil\n");
    for (const [name, value] of Object.entries({
      "filter.evil.clean": program,
      "filter.evil.process": program,
      "filter.evil.required": "true",
      "core.autocrlf": "input",
      "core.fsmonitor": program,
      "core.excludesFile": join(directory, "all"),
      "core.fileMode": "false",
      "core.hooksPath": dirname(program),
    }))
      git(tree, "config", name, value);
    writeFileSync(join(directory, "all"), "*\n");
    put(tree, ".git/info/exclude", "*\n");
    put(tree, ".gitignore", "*\n");
    put(tree, "plain.txt", "plain\r\n");
    // The history is cut off, replaced and grafted where it would hide the agent's commit.
    put(tree, ".git/shallow", `${git(tree, "-c", "core.fsmonitor=false", "rev-parse", "HEAD")}\n`);
    put(tree, ".git/info/grafts", `${git(tree, "-c", "core.fsmonitor=false", "rev-parse", "HEAD")}\n`);
    mkdirSync(join(tree, ".git/refs/replace"), { recursive: true });
    put(tree, `.git/refs/replace/${git(tree, "-c", "core.fsmonitor=false", "rev-parse", "HEAD")}`, `${first}\n`);
    rmSync(mark, { force: true });
    const capture = await all.capture(id);
    expect(capture.work.fault).toBeNull();
    await using landing = await all.open([capture]);
    const { work } = capture;
    expect(await landing.git.text(["cat-file", "blob", `${work.tree}:plain.txt`])).toBe("plain\r");
    expect(await landing.git.text(["log", "--format=%s", work.head ?? ""])).toBe("all kinds\nsecond\nfirst");
    expect(existsSync(mark)).toBe(false);
  });

  proves(
    "LH-7",
    "objects that are not what their names say, that are missing or that git would not take from strangers are a fault",
    async () => {
      using all = await landingScene();
      const { git, tree, id, repo } = all;
      const head = git(tree, "rev-parse", "HEAD");
      const forge = (name: string, content: string): void => {
        const path = join(tree, ".git/objects", name.slice(0, 2), name.slice(2));
        rmSync(path, { force: true });
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, deflateSync(Buffer.from(`blob ${Buffer.byteLength(content)}\0${content}`)));
      };
      const named = (content: string) => createHash("sha1").update(`blob ${content.length}\0${content}`).digest("hex");
      // A blob under the name of another one.
      put(tree, "lie.txt", "harmless");
      git(tree, "add", "lie.txt");
      git(tree, "commit", "-qm", "a lie");
      forge(named("harmless"), "anything else");
      rmSync(join(tree, "lie.txt"));
      const lie = await all.capture(id).catch((thrown: unknown) => thrown);
      expect(lie).toMatchObject(
        lie instanceof Error ? { code: "git_failed" } : { work: { fault: expect.any(String) } },
      );
      git(tree, "reset", "-q", "--hard", head);
      // A tree with a name that would write into a git dir.
      const blob = git(repo, "rev-parse", "HEAD:a.txt");
      const entry = Buffer.concat([Buffer.from("100644 .git\0"), Buffer.from(blob, "hex")]);
      writeFileSync(join(all.directory, "tree"), entry);
      const evil = git(tree, "hash-object", "-t", "tree", "-w", "--literally", join(all.directory, "tree"));
      const made = git(tree, "commit-tree", evil, "-p", head, "-m", "evil");
      // Hidden below a commit that takes it back.
      git(tree, "update-ref", "HEAD", git(tree, "commit-tree", `${head}^{tree}`, "-p", made, "-m", "nothing"));
      expect((await all.capture(id)).work.fault).toMatch(/hasDotgit|\.git/);
      git(tree, "update-ref", "HEAD", head);
      put(tree, ".git/objects/info/alternates", `${join(all.directory, "elsewhere")}\n`);
      await expect(all.capture(id)).rejects.toMatchObject({ code: "repository_invalid" });
      expect(flawsOf(all)).toEqual([]);
    },
  );
});

proves("LH-7", "a worktree of a repository without commits", async () => {
  using all = setUpLanding({ commit: false });
  const { id, path } = await all.worktree();
  put(path, "first.txt", "first");
  expect((await all.capture(id)).work).toMatchObject({ head: null, userBase: null, fault: null });
});
