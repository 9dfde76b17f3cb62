import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import { expectOk, expectRefusal, PATIENCE } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Answer {
  readonly path: string;
  readonly binary: boolean;
  readonly next: number | null;
  readonly lines: readonly { readonly text: string; readonly by: string; readonly path?: string }[];
}

const ask = (cwd: string, path: string, more: Readonly<Record<string, string>> = {}, headers = {}) =>
  daemon.call<Answer>("GET", `/api/blame?${new URLSearchParams({ cwd, path, ...more })}`, undefined, headers);
const texts = async (cwd: string, path: string) => expectOk(await ask(cwd, path)).lines.map(({ text }) => text);

proves("BLAME-7", "programs that the repository names do not run", async () => {
  using bench = setUpBench();
  const { repo, git, directory } = bench;
  const ran = join(directory, "ran");
  bench.write(join(repo, ".gitattributes"), "* filter=evil diff=evil text eol=crlf\n");
  git(repo, "add", "-A");
  git(repo, "commit", "-qm", "attributes");
  for (const name of ["filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv", "diff.evil.command"])
    git(repo, "config", name, `touch ${ran}; cat`);
  for (const name of ["core.fsmonitor", "core.sshCommand", "core.pager", "blame.ignoreRevsFile"])
    git(repo, "config", name, name.startsWith("blame") ? "/dev/fd/0" : `touch ${ran}`);
  expect((await texts(repo, "README.md")).length).toBeGreaterThan(0);
  writeFileSync(join(repo, "README.md"), "mine\r\n");
  expect(await texts(repo, "README.md")).toHaveLength(1);
  expect(existsSync(ran)).toBe(false);
});

proves("BLAME-7", "no file outside of the repository, in a git dir or untracked is shown", async () => {
  using bench = setUpBench();
  const { repo, directory } = bench;
  writeFileSync(join(directory, "outside.txt"), "a secret\n");
  symlinkSync(directory, join(repo, "away"));
  symlinkSync(join(directory, "outside.txt"), join(repo, "README.md.link"));
  writeFileSync(join(repo, ".env"), "TOKEN=1\n");
  expectRefusal(await ask(repo, "../outside.txt"), 400, "not_a_repository");
  expectRefusal(await ask(repo, "away/outside.txt"), 400, "not_a_repository");
  // A git dir as such is a repository without files of its own: it shows what is committed.
  expectRefusal(await ask(repo, ".git/config"), 404, "file_missing");
  expectRefusal(await ask(repo, ".git/refs/heads/main"), 403, "path_outside");
  expectRefusal(await ask(repo, ".GIT/HEAD"), 403, "path_outside");
  expectRefusal(await ask(repo, ".env"), 404, "file_missing");
  expectRefusal(await ask(repo, "README.md.link"), 404, "file_missing");
  expectRefusal(await ask(repo, "src"), 404, "file_missing");
  expectRefusal(await ask(repo, "gone/deep/file.txt"), 404, "file_missing");
  expectRefusal(await ask(join(directory, "nowhere"), "a"), 400, "cwd_missing");
  expectRefusal(await ask(daemon.home, "token"), 400, "cwd_hidden");
});

proves("BLAME-7", "odd repositories and files: told, or refused with the reason", async () => {
  using bench = setUpBench();
  const { repo, git, directory } = bench;
  const odd = 'new\nline "quoted" ü\\.txt';
  writeFileSync(join(repo, odd), "odd\n");
  writeFileSync(join(repo, "binary"), Buffer.from([1, 0, 2]));
  writeFileSync(join(repo, "empty.txt"), "");
  writeFileSync(join(repo, "latin.txt"), Buffer.from([0xe4, 0x0a]));
  writeFileSync(join(repo, "large.txt"), "x".repeat(11_000_000));
  writeFileSync(join(repo, "long.txt"), "line\n".repeat(20_001));
  symlinkSync("README.md", join(repo, "link"));
  git(repo, "add", "-A");
  git(repo, "commit", "-qm", "odd");
  expect(expectOk(await ask(repo, odd))).toMatchObject({ path: odd, lines: [{ text: "odd", by: "person" }] });
  git(repo, "mv", odd, "plain.txt");
  git(repo, "commit", "-qm", "plain");
  expect(expectOk(await ask(repo, "plain.txt")).lines[0]).toMatchObject({ path: odd });
  expect(expectOk(await ask(repo, "binary"))).toMatchObject({ binary: true, lines: [] });
  expect(expectOk(await ask(repo, "empty.txt"))).toMatchObject({ lines: [], next: null });
  expect(await texts(repo, "latin.txt")).toEqual(["\ufffd"]);
  expect(await texts(repo, "link")).toEqual(["README.md"]);
  expectRefusal(await ask(repo, "large.txt"), 413, "file_too_large");
  expect(expectOk(await ask(repo, "long.txt"))).toMatchObject({ next: 20_001 });
  expect(expectOk(await ask(repo, "long.txt", { lines: "20001,20009" })).lines).toHaveLength(1);
  expectRefusal(await ask(repo, "long.txt", { lines: "5,4" }), 400, "invalid_request");
  git(directory, "clone", "-q", "--bare", repo, "bare.git");
  expect(await texts(join(directory, "bare.git"), "plain.txt")).toEqual(["odd"]);
  git(directory, "clone", "-q", "--depth", "1", `file://${repo}`, "shallow");
  expect(await texts(join(directory, "shallow"), "plain.txt")).toEqual(["odd"]);
  git(repo, "checkout", "-q", "--detach");
  expect(await texts(join(repo, "src"), "../plain.txt")).toEqual(["odd"]);
  mkdirSync(join(directory, "young"));
  git(join(directory, "young"), "init", "-q");
  writeFileSync(join(directory, "young", "a.txt"), "a\n");
  expectRefusal(await ask(join(directory, "young"), "a.txt"), 404, "file_missing");
});

proves("BLAME-7", "a token without a person's rights reads files of workspaces alone", async () => {
  using bench = setUpBench();
  const { repo, directory, git } = bench;
  const capabilities = ["blame.read", "session.*"];
  const { secret } = expectOk(await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities }), 201);
  const headers = { authorization: `Bearer ${secret}` };
  expectRefusal(await ask(repo, "README.md", {}, headers), 403, "denied");
  expectOk(await daemon.call("POST", "/api/workspaces", { slug: "blamed", path: repo }), 201);
  expectOk(await ask(repo, "README.md", {}, headers));
  // A repository elsewhere, reached by a link in the workspace.
  git(directory, "clone", "-q", repo, "elsewhere");
  symlinkSync(join(directory, "elsewhere"), join(repo, "elsewhere"));
  expectRefusal(await ask(repo, "elsewhere/README.md", {}, headers), 403, "denied");
  expectRefusal(await ask(join(repo, "elsewhere"), "README.md", {}, headers), 403, "denied");
});
