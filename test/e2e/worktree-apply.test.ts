import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import { expectOk, expectRefusal, PATIENCE, prompt, type Session, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Answer {
  readonly ok: boolean;
  readonly applied: readonly string[];
  readonly conflicts: readonly { readonly path: string }[];
}

const apply = (id: string, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  daemon.call<Answer>("POST", `/sessions/${id}/worktree/apply`, body, headers);

async function working(repo: string, script: string): Promise<Session> {
  const session = await start(daemon, { adapter: "demo", cwd: repo, worktree: true });
  await turn(daemon, session.id, script);
  return session;
}

proves("WT-20", "a session's work comes home into the files of its repository, and the log says so", async () => {
  using bench = setUpBench();
  const { id, name } = await working(
    bench.repo,
    "write README.md changed\nrun git commit -qam done && rm src/main.ts\nwrite new/file.txt new",
  );
  const dry = expectOk(await apply(name, { dryRun: true }));
  expect(dry).toMatchObject({ ok: true, dryRun: true, applied: ["README.md", "new/file.txt", "src/main.ts"] });
  expect(bench.git(bench.repo, "status", "--porcelain")).toBe("");
  const key = { "idempotency-key": `apply-${id}` };
  const done = expectOk(await apply(id, {}, key));
  expect(done).toMatchObject({ ok: true, dryRun: false, applied: dry.applied, conflicts: [], repository: bench.repo });
  expect(readFileSync(join(bench.repo, "README.md"), "utf8")).toBe("changed");
  expect(existsSync(join(bench.repo, "src"))).toBe(false);
  expect(bench.git(bench.repo, "log", "--format=%s")).toBe("first");
  // Asked again with the key it answers the same, and leaves what the person did since.
  await writeFile(join(bench.repo, "README.md"), "mine now");
  expect(expectOk(await apply(id, {}, key))).toEqual(done);
  expect(readFileSync(join(bench.repo, "README.md"), "utf8")).toBe("mine now");
  const { entries } = expectOk(
    await daemon.call<{ entries: { type: string; data: object }[] }>("GET", "/api/audit/entries?limit=1000"),
  );
  expect(entries.filter(({ type }) => type === "worktree.applied@1").map(({ data }) => data)).toContainEqual(
    expect.objectContaining({ sessionId: id, repository: bench.repo, more: 0 }),
  );
});

proves("WT-20", "where the person changed the same, nothing is applied and the refusal lists the files", async () => {
  using bench = setUpBench();
  const { id } = await working(bench.repo, "write README.md theirs\nwrite other.txt x");
  await writeFile(join(bench.repo, "README.md"), "mine\n");
  const refused = expectRefusal(await apply(id), 409, "worktree_conflicts");
  expect(refused.details).toMatchObject({ conflicts: [{ path: "README.md" }] });
  expect(expectOk(await apply(id, { dryRun: true }))).toMatchObject({ ok: false, conflicts: [{ path: "README.md" }] });
  expect(existsSync(join(bench.repo, "other.txt"))).toBe(false);
  expect(readFileSync(join(bench.repo, "README.md"), "utf8")).toBe("mine\n");
});

proves("WT-20", "a busy session, one without a worktree, and a scoped token are refused", async () => {
  using bench = setUpBench();
  const busy = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
  await prompt(daemon, busy.id, "ask really?");
  expectRefusal(await apply(busy.id), 409, "session_busy");
  const plain = await start(daemon, { adapter: "demo", cwd: bench.repo });
  expectRefusal(await apply(plain.id), 404, "worktree_not_found");
  const capabilities = ["worktree.*", "session.*"];
  const { secret } = expectOk(await daemon.call<{ secret: string }>("POST", "/api/tokens", { capabilities }), 201);
  expectRefusal(await apply(busy.id, {}, { authorization: `Bearer ${secret}` }), 403, "sandbox_floor");
});

test("on the command line: path, open and apply by the session's name", async () => {
  using bench = setUpBench();
  const { name, cwd } = await working(bench.repo, "write made.txt made");
  const path = await daemon.cli("worktree", "path", name);
  expect(path).toMatchObject({ exitCode: 0, stdout: `${cwd}\n`, stderr: "" });
  const seen = join(bench.directory, "seen");
  const script = `printf '%s %s' "$PWD" "$GIT_CONFIG_KEY_0" > ${seen}; exit 7; :`;
  const opened = execFileSync(
    "sh",
    ["-c", `"$@" || echo $?`, "sh", ...open(name, `sh -c '${script.replaceAll("'", `'\\''`)}'`)],
    {
      encoding: "utf8",
    },
  );
  expect(opened).toBe("7\n");
  expect(readFileSync(seen, "utf8")).toBe(`${cwd} core.fsmonitor`);
  const applied = await daemon.cli("worktree", "apply", name);
  expect(applied).toMatchObject({ exitCode: 0, stderr: "" });
  expect(applied.stdout).toMatch(/^Brought 1 file home into .*\. Next: git diff\nmade\.txt\n$/);
  expect((await daemon.cli("worktree", "apply", name)).stdout).toMatch(/^Nothing to bring home/);
  await writeFile(join(cwd, "made.txt"), "theirs");
  await writeFile(join(bench.repo, "made.txt"), "mine");
  expect(await daemon.cli("worktree", "apply", name)).toMatchObject({ exitCode: 5, stdout: "" });
  const dry = await daemon.cli("worktree", "apply", name, "--dry-run");
  expect(dry.exitCode).toBe(1);
  expect(dry.stdout).toContain("made.txt");
});

function open(name: string, editor: string): readonly string[] {
  const env = [`NOMOS_HOME=${daemon.home}`, `EDITOR=${editor}`, "VISUAL="];
  return ["env", ...env, process.execPath, process.env["NOMOS_TEST_BIN"] ?? "bin/nomos.js", "worktree", "open", name];
}
