import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { configure, land, type ShownLanding, settled, worked } from "../../support/landing-bench.ts";
import { proves } from "../../support/proves.ts";
import { type Bench, setUpBench } from "../../support/worktree-bench.ts";
import { expectRefusal, PATIENCE } from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function landed(repo: string, script: string, wish: object = {}): Promise<ShownLanding> {
  const { id } = await worked(daemon, repo, script);
  return settled(daemon, (await land(daemon, id, { ...wish })).id);
}

function commitIn({ git, write }: Bench, repo: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) write(join(repo, path), text);
  git(repo, "add", "--all");
  git(repo, "commit", "-qm", "the person's");
}

const MERGE_WITH_A_FIX = [
  "run git checkout -qb side && echo a > a.txt && git add a.txt && git commit -qm side && git checkout -q -",
  "run echo b > b.txt && git add b.txt && git commit -qm b && git merge -q --no-commit --no-ff side",
  "run echo fix > fix.txt && git add fix.txt && git commit -qm joined",
].join("\n");

for (const [what, more] of [
  ["", ""],
  [", with work on top of it that is not committed", "\nrun echo fixed >> fix.txt"],
] as const)
  proves("LAND-43", `what a merge itself changed lands with a rebase too${what}`, async () => {
    using bench = setUpBench();
    commitIn(bench, bench.repo, { "mine.txt": "mine\n" });
    const { state } = await landed(bench.repo, `${MERGE_WITH_A_FIX}${more}`, { how: "rebase" });
    expect(state).toBe("landed");
    expect(bench.git(bench.repo, "show", "main:fix.txt")).toBe(more === "" ? "fix" : "fix\nfixed");
    expect(bench.git(bench.repo, "log", "--merges", "--format=%s", "main")).toBe("");
    expect(bench.git(bench.repo, "status", "--porcelain")).toBe("");
  });

for (const [what, command] of [
  ["merge", "git merge side"],
  ["rebase", "git rebase side"],
] as const)
  proves(
    "LAND-43",
    `a ${what} that the session did not finish is refused by file, and lands once it is finished`,
    async () => {
      using bench = setUpBench();
      const { git, repo } = bench;
      const both = "git checkout -qb side && echo side > README.md && git commit -qam side && git checkout -q - &&";
      const script = `run ${both} echo mine > README.md && git commit -qam mine && (${command} || true)`;
      // Its agent would be told at once, and be busy.
      await configure(daemon, { attemptsMax: 1 });
      const { id, cwd } = await worked(daemon, repo, script);
      const refused = await settled(daemon, (await land(daemon, id)).id);
      expect(refused).toMatchObject({ state: "refused", findings: [{ rule: "conflict", path: "README.md" }] });
      writeFileSync(join(cwd, "README.md"), "both\n");
      git(cwd, "add", "README.md");
      git(cwd, "commit", "-qm", "finished");
      expect(await settled(daemon, (await land(daemon, id)).id)).toMatchObject({ state: "landed" });
      expect(git(repo, "show", "main:README.md")).toBe("both");
      await configure(daemon, {});
    },
  );

proves("LAND-43", "a worktree without its git dir is refused by name", async () => {
  using bench = setUpBench();
  const { id } = await worked(daemon, bench.repo, "run rm -rf .git && echo a > a.txt");
  expectRefusal(await daemon.call("POST", `/sessions/${id}/land`, {}), 400, "repository_invalid");
});

proves("LAND-43", "files of a nested repository, or where a submodule belongs, are refused by name", async () => {
  using bench = setUpBench();
  const { git, repo } = bench;
  const library = join(bench.directory, "library");
  mkdirSync(library);
  git(library, "init", "-q");
  commitIn(bench, library, { "inner.txt": "inner\n" });
  git(repo, "submodule", "add", "-q", library, "vendor/library");
  git(repo, "commit", "-qm", "submodule");
  const before = git(repo, "rev-parse", "main");
  const nested = await landed(repo, "write a.txt a\nrun git init -q tools && echo x > tools/x.txt");
  expect(nested).toMatchObject({ state: "refused", findings: [{ rule: "policy", path: "tools" }] });
  const placed = await landed(repo, "write a.txt a\nwrite vendor/library/x.txt lost");
  expect(placed).toMatchObject({ state: "refused", findings: [{ rule: "policy", path: "vendor/library/x.txt" }] });
  expect(git(repo, "rev-parse", "main")).toBe(before);
  // What the person's rules ignore is no work, and an empty repository holds none.
  const ignored = "run git init -q ignored/tool && echo x > ignored/tool/x.txt && git init -q empty";
  expect(await landed(repo, `write a.txt a\n${ignored}`)).toMatchObject({ state: "landed", findings: [] });
  expect(git(repo, "submodule", "status")).not.toMatch(/^[-+U]/);
  expect(git(repo, "status", "--porcelain")).toBe("");
});

proves("LAND-43", "a file that the person's filter would convert is refused; an LFS pointer lands", async () => {
  using bench = setUpBench();
  const { git, repo } = bench;
  for (const [name, program] of [
    ["clean", "sed s/raw/stored/"],
    ["smudge", "sed s/stored/raw/"],
  ] as const) {
    git(repo, "config", `filter.lfs.${name}`, program);
    git(repo, "config", `filter.sealed.${name}`, program);
  }
  commitIn(bench, repo, { ".gitattributes": "*.bin filter=lfs\n*.key filter=sealed\n", "x.bin": "raw\n" });
  git(repo, "checkout", "-qb", "elsewhere");
  const into = { into: "main" };
  for (const script of ["write y.bin raw", "write y.bin raw\nrun git add -A && git commit -qm raw"])
    expect(await landed(repo, script, into)).toMatchObject({
      state: "refused",
      findings: [{ rule: "policy", path: "y.bin" }],
    });
  const sealed = await landed(repo, "write sub/a.key version https://git-lfs.github.com/spec/v1", into);
  expect(sealed).toMatchObject({ state: "refused", findings: [{ path: "sub/a.key" }] });
  const pointer =
    "write y.bin version https://git-lfs.github.com/spec/v1\nrun : > none.key; echo a > a.txt; mv x.bin z.bin";
  expect(await landed(repo, pointer, into)).toMatchObject({ state: "landed", findings: [] });
  expect(git(repo, "ls-tree", "--name-only", "main").split("\n")).toEqual(
    expect.arrayContaining(["a.txt", "none.key", "y.bin", "z.bin"]),
  );
});

proves("LAND-44", "files merge as the branch's attributes say, with every way to land", async () => {
  for (const how of ["merge", "rebase", "squash"] as const) {
    using bench = setUpBench();
    const { git, repo } = bench;
    const lines = Array.from({ length: 9 }, (_, n) => `${n}\n`);
    const attributes = { "data/.gitattributes": "lock -merge\nlog merge=union\n" };
    commitIn(bench, repo, { ...attributes, "data/lock": lines.join(""), "data/log": lines.join("") });
    const [locks, logs] = [
      await worked(daemon, repo, "run sed -i s/0/zero/ data/lock && git commit -qam lock"),
      await worked(daemon, repo, "run echo theirs >> data/log && git commit -qam log"),
    ];
    commitIn(bench, repo, { "data/lock": lines.join("").replace("8", "eight"), "data/log": `${lines.join("")}mine\n` });
    const conflict = await settled(daemon, (await land(daemon, locks.id, { how })).id);
    expect(conflict).toMatchObject({ state: "refused", findings: [{ rule: "conflict", path: "data/lock" }] });
    const union = await settled(daemon, (await land(daemon, logs.id, { how })).id);
    expect(union).toMatchObject({ state: "landed" });
    expect(git(repo, "show", "main:data/log")).toBe(`${lines.join("")}mine\ntheirs`);
  }
});

proves("LAND-44", "in shallow and bare repositories work lands as elsewhere", async () => {
  using bench = setUpBench();
  const { git, directory, repo } = bench;
  for (const text of ["1", "2", "3"]) commitIn(bench, repo, { "n.txt": text });
  const [shallow, bare] = [join(directory, "shallow"), join(directory, "bare.git")];
  git(directory, "clone", "-q", "--depth", "2", `file://${repo}`, shallow);
  git(directory, "clone", "-q", "--bare", repo, bare);
  for (const place of [shallow, bare])
    for (const how of ["merge", "rebase", "squash"]) {
      const script = `write ${how}.txt a\nrun git add -A && git commit -qm a\nwrite ${how}-2.txt b`;
      expect(await landed(place, script, { how })).toMatchObject({ state: "landed" });
      git(place, "fsck", "--strict");
      expect(git(place, "show", `main:${how}-2.txt`)).toBe("b");
    }
  expect(git(shallow, "status", "--porcelain")).toBe("");
});

proves(
  "LAND-44",
  "a repository without commits says so; a session begun there is refused when it has one",
  async () => {
    using bench = setUpBench({ commit: false });
    const { id } = await worked(daemon, bench.repo, "write a.txt a");
    const early = await daemon.call("POST", `/sessions/${id}/land`, {});
    expectRefusal(early, 404, "branch_not_found");
    expect(JSON.stringify(early.body)).toContain("no commit yet");
    commitIn(bench, bench.repo, { "z.txt": "z" });
    const late = await settled(daemon, (await land(daemon, id)).id);
    expect(late).toMatchObject({ state: "refused", findings: [{ rule: "base" }] });
    expect(JSON.stringify(late.findings)).toContain("nomos worktree apply");
  },
);

proves("LAND-44", "a git lock that stays in the person's checkout refuses with what to do about it", async () => {
  using bench = setUpBench();
  const lock = join(bench.repo, ".git", "index.lock");
  writeFileSync(lock, "");
  const refused = await landed(bench.repo, "write a.txt a");
  expect(refused).toMatchObject({ state: "refused", findings: [{ rule: "policy" }] });
  expect(JSON.stringify(refused.findings)).toContain("delete its lock");
});

proves("LAND-44", "where a commit cannot be signed the landing is refused after one try, and says why", async () => {
  using bench = setUpBench();
  const { git, repo } = bench;
  const before = git(repo, "rev-parse", "main");
  // As people write it by hand: a name without a value is true.
  writeFileSync(join(repo, ".git", "config"), "\n[commit]\n\tgpgSign\n[gpg]\n\tformat = ssh\n", { flag: "a" });
  git(repo, "config", "user.signingKey", join(bench.directory, "no-key"));
  const { id, findings, state } = await landed(repo, "write a.txt a");
  expect([state, findings.length, findings[0]?.rule]).toEqual(["refused", 1, "policy"]);
  expect(findings[0]?.message).toMatch(/could not be signed: .*no-key/);
  const entries = await daemon.call<{ entries: { stream: string; type: string }[] }>(
    "GET",
    "/api/audit/entries?limit=1000",
  );
  const types = entries.body.entries.filter(({ stream }) => stream === `landing/${id}`).map(({ type }) => type);
  expect(types).not.toContain("landing.returned@1");
  expect(git(repo, "rev-parse", "main")).toBe(before);
});
