import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { setUpFileCommits } from "../../../test/support/file-commits.ts";
import { proves } from "../../../test/support/proves.ts";
import { sampled } from "../../../test/support/sampled.ts";
import { createFileCommits } from "./commit-files.ts";

const FILE = ".nomos/tickets/TKT-20260102-030405-A1B2.yaml";
const KILLS = 8;
const LONG_MS = 180_000;

proves(
  "GT-2",
  "the branch moves meanwhile: the change is made anew on what is there then, and nothing is lost",
  async () => {
    using bench = setUpFileCommits();
    const { repo, git, write } = bench;
    await bench.write1(FILE, "count: 0\n");
    let seen = 0;
    const { commit } = await bench.commits.commit({
      governed: bench.place,
      message: "Count",
      actor: "operator",
      changes: async ({ read }) => {
        const text = (await read(FILE))?.toString() ?? "";
        seen += 1;
        if (seen === 1) {
          write(join(repo, FILE), "count: 5\n");
          write(join(repo, "other.txt"), "other\n");
          git(repo, "add", "other.txt");
          git(repo, "commit", "-qam", "meanwhile");
        }
        return new Map([[FILE, `count: ${Number(text.slice(7)) + 1}\n`]]);
      },
    });
    expect(seen).toBe(2);
    expect(git(repo, "show", `${commit}:${FILE}`)).toBe("count: 6");
    expect(git(repo, "show", `${commit}:other.txt`)).toBe("other");
    expect(git(repo, "status", "--porcelain")).toBe("");
  },
);

proves(
  "GT-2",
  "8 processes and the person's own commits at once: every file of every writer is there",
  async () => {
    using bench = setUpFileCommits();
    const { repo, git, write } = bench;
    const writers = Array.from({ length: 8 }, (_, n) => `w${n}`);
    const running = Promise.all(
      writers.map((name) =>
        bench.run(
          name,
          [0].map((at) => ({
            path: `.nomos/tickets/${name}-${at}.yaml`,
            text: `id: ${name}-${at}\n`,
          })),
        ),
      ),
    );
    let own = 0;
    let isOver = false;
    const ended = running.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      try {
        write(join(repo, "own.txt"), `${own}\n`);
        git(repo, "add", "own.txt");
        git(repo, "commit", "-qm", `own ${own}`);
        own += 1;
      } catch (thrown) {
        // A person tries again.
        expect(String(thrown)).toMatch(/\.lock|cannot lock ref/);
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    for (const { error, said } of await ended) expect({ error, said: said.length }).toEqual({ error: "", said: 2 });
    const files = git(repo, "ls-tree", "-r", "--name-only", "main", ".nomos").split("\n");
    expect(files).toEqual(writers.flatMap((name) => [`.nomos/tickets/${name}-0.yaml`]));
    expect(
      git(repo, "log", "--format=%s", "main")
        .split("\n")
        .filter((line) => line.startsWith("own")),
    ).toHaveLength(own);
    expect(git(repo, "status", "--porcelain").replace(/^.. own\.txt$/, "")).toBe("");
    expect(git(repo, "fsck", "--full", "--no-dangling")).toBe("");
  },
  LONG_MS,
);

proves(
  "GT-3",
  "killed at any step: the commit is there or it is not, and the next one finds nothing in its way",
  async () => {
    using bench = setUpFileCommits();
    const { repo, git, write } = bench;
    await bench.write1(FILE, "id: A\n");
    write(join(repo, "README.md"), "staged\n");
    git(repo, "add", "README.md");
    write(join(repo, "src/main.ts"), "unstaged\n");
    const clean = join(bench.directory, "clean");
    execFileSync("cp", ["-a", repo, clean]);
    const status = git(repo, "status", "--porcelain");
    const writes = [{ path: FILE, text: "id: B\n" }];
    const whole = await bench.run("whole", writes);
    const calls = Number.parseInt(whole.said.at(-1) ?? "", 10);
    expect(calls).toBeGreaterThan(50);
    const steps = Array.from({ length: calls }, (_, at) => at + 1);
    const few = Array.from({ length: KILLS }, (_, n) => Math.ceil(((n + 1) * calls) / KILLS));
    const seen = new Set<string>();
    for (const at of sampled(steps, few)) {
      execFileSync("sh", ["-c", `rm -rf "$1"; cp -a "$2" "$1"`, "sh", repo, clean]);
      const { isKilled } = await bench.run("cut", writes, at);
      const commits = createFileCommits({
        environment: { PATH: process.env["PATH"], HOME: join(bench.directory, "person"), LC_ALL: "C" },
        folder: join(bench.directory, "home", "governance", "commits"),
        scratch: join(bench.directory, "home", "tmp", "governance"),
      });
      await commits.recover();
      const text = git(repo, "show", `main:${FILE}`);
      seen.add(text);
      const what = `killed at ${at} of ${calls} (${isKilled}): ${text}`;
      expect(readFileSync(join(repo, FILE), "utf8").trim(), what).toBe(text);
      expect(git(repo, "status", "--porcelain"), what).toBe(status);
      expect(git(repo, "diff", "--cached", "--name-only"), what).toBe("README.md");
      const next = await commits.commit({
        governed: bench.place,
        changes: new Map([[FILE, "id: C\n"]]),
        message: "Next",
        actor: "x",
      });
      expect(next.isNew, what).toBe(true);
      expect(git(repo, "status", "--porcelain"), what).toBe(status);
    }
    expect(seen).toEqual(new Set(["id: A", "id: B"]));
  },
  LONG_MS,
);
