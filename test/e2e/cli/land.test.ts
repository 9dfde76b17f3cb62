import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runCli, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { type Bench, setUpBench } from "../../support/worktree-bench.ts";
import { PATIENCE, type Session, start, turn } from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
let bench: Bench;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  bench = setUpBench();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  bench[Symbol.dispose]();
});

async function working(script: string, title = "A task"): Promise<Session> {
  const session = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true, title });
  await turn(daemon, session.id, script);
  return session;
}

/** Ids, names and times differ from run to run. */
const masked = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replaceAll(/\b[a-z]+-[a-z]+-[0-9a-f]{2}\b/g, "<name>")
    .replaceAll(/checks \d+ m?s/g, "checks <time>")
    .replaceAll(/commit [0-9a-f]{10}/g, "commit <commit>");
const land = async (...args: readonly string[]) => {
  const { exitCode, stdout, stderr } = await daemon.cli("land", ...args);
  return { exitCode, stdout: masked(stdout), stderr };
};
const head = (format: string) => bench.git(bench.repo, "log", "-1", `--format=${format}`).trim();

proves("LAND-63", "nomos land waits and says what came of it: landed, refused, a dry run, queued", async () => {
  const { name } = await working("write one.txt 1", "Add one");
  expect(await land(name, "--dry-run")).toEqual({
    exitCode: 0,
    stdout: "Dry run: <name> would land on main: 1 file, +1 -0\nNext: nomos land <name> --into main\n",
    stderr: "",
  });
  expect(await land(name, "--dry-run", "--check", "false")).toEqual({
    exitCode: 1,
    stdout: expect.stringMatching(/^Dry run: <name> on main would be refused\.\n {2}check: .*`false`.*\n {4}do: .*\n$/),
    stderr: "",
  });
  expect(await land("Add one", "--check", "grep -q 1 one.txt", "--check", '["test", "-f", "one.txt"]')).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^Landed <name> on main: 1 file, \+1 -0, checks <time>, commit <commit>\n$/),
    stderr: "",
  });
  expect(head("%s")).toBe("Add one");
  const bad = await working("write two.txt 2");
  const refused = await land(bad.name, "main", "--check", "false");
  expect(refused).toMatchObject({ exitCode: 1, stderr: "" });
  expect(refused.stdout).toMatch(/^Refused to land <name> on main\.\n {2}check: .*\n {4}do: .*\n.*attempt 1 of 3.*\n$/);
  const json = await daemon.cli("land", bad.name, "--dry-run", "--check", "false", "--json");
  expect(json.exitCode).toBe(1);
  expect(json.json()).toMatchObject({ ok: false, state: "refused", id: null, findings: [{ rule: "check" }] });
});

proves(
  "LAND-63",
  "with --no-wait it returns when the landing is queued, and the queue can be worked on by names",
  async () => {
    bench.git(bench.repo, "branch", "slow");
    const first = await working("write a.txt 1");
    const second = await working("write b.txt 1");
    await land(first.name, "slow", "--no-wait", "--check", "sleep 60");
    expect((await land(second.name, "slow", "--no-wait")).stdout).toBe(
      "Queued <name> for slow, behind <name> (1 ahead).\nNext: nomos landing wait <id>\n",
    );
    const listed = await daemon.cli("landing", "list", "--state", "open");
    expect(listed.stdout).toMatch(/^ID +SESSION +BRANCH +STATE +AHEAD +QUEUED +WHY\n/);
    expect(listed.stdout).toContain(`behind ${first.name}`);
    const hold = await daemon.cli("landing", "hold", second.name, "after", "lunch");
    expect(hold.stdout).toBe(
      `The landing of ${second.name} is held back: after lunch.\nNext: nomos landing release ${second.name}\n`,
    );
    const status = await daemon.cli("status");
    expect(status.stdout).toMatch(/landing: +(1 being checked, 1 queued|0 being checked, 2 queued)\n/);
    expect((await daemon.cli("landing", "release", second.name)).stdout).toContain("goes on.");
    for (const { name } of [second, first])
      expect((await daemon.cli("landing", "eject", name)).stdout).toBe(
        `Ejected the landing of ${name}.\nNext: nomos land ${name}\n`,
      );
    expect(await daemon.cli("landing", "eject", first.name)).toMatchObject({ exitCode: 5, stdout: "" });
    const gone = await daemon.cli("landing", "wait", first.name);
    expect(gone).toMatchObject({ exitCode: 1 });
    expect(gone.stdout).toContain("was ejected");
  },
);

test("ps and status name a refusal that needs a person, until it is dealt with", async () => {
  const { name, id } = await working("run git rm -q README.md");
  await daemon.call("PUT", "/api/config", { config: { landing: { protect: ["README.md"] } } });
  const refused = await land(name);
  expect(refused).toMatchObject({ exitCode: 1 });
  const ps = await daemon.cli("ps");
  expect(ps.stdout).toMatch(new RegExp(`\\n${name}: refused by main: .* Next: nomos landing show `));
  expect((await daemon.cli("ps", "-q")).stdout).not.toContain("refused");
  expect((await daemon.cli("status")).stdout).toMatch(
    new RegExp(`refused: .*${name} \\(nomos landing show ${name}\\)`),
  );
  await turn(daemon, id, "say I know");
  expect((await daemon.cli("ps")).stdout).not.toContain(`${name}: refused by`);
  await daemon.call("PUT", "/api/config", { config: { landing: null } });
});

test("the message is given, written in an editor, or made of the session's own words", async () => {
  const editor = join(bench.directory, "editor.sh");
  writeFileSync(editor, '#!/bin/sh\nsed -i "1s/.*/Edited: &/" "$1"\n');
  chmodSync(editor, 0o755);
  const { name } = await working("write e.txt 1", "Add e");
  const edited = await runCli(["land", name, "--edit", "--squash"], {
    home: daemon.home,
    env: { ...process.env, VISUAL: editor } as Record<string, string>,
  });
  expect(edited).toMatchObject({ exitCode: 0 });
  expect(head("%s")).toBe("Edited: Add e");
  const empty = join(bench.directory, "empty.sh");
  writeFileSync(empty, '#!/bin/sh\n: > "$1"\n');
  chmodSync(empty, 0o755);
  const other = await working("write f.txt 1");
  const none = await runCli(["land", other.name, "--edit"], {
    home: daemon.home,
    env: { ...process.env, VISUAL: empty } as Record<string, string>,
  });
  expect(none).toMatchObject({ exitCode: 2, stdout: "" });
  expect(await land(other.name, "--rebase", "-m", "Mine")).toMatchObject({ exitCode: 0 });
  expect(head("%s")).toBe("Mine");
});

proves(
  "LAND-63",
  "with --pr a branch is pushed and the next command printed; --create runs only the forge's program",
  async () => {
    const forge = join(bench.directory, "forge.git");
    execFileSync("git", ["init", "-q", "--bare", forge]);
    bench.git(bench.repo, "remote", "add", "origin", forge);
    const { name } = await working("write pr.txt 1", "Ask for a review");
    const before = head("%H");
    const pushed = await land(name, "--pr");
    expect(pushed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(pushed.stdout).toMatch(/^Landed .*\nPushed \S+ to origin\.\n(.*\n)*Next: /);
    expect(head("%H")).toBe(before);
    expect(execFileSync("git", ["-C", forge, "branch"], { encoding: "utf8" })).not.toBe("");
    const other = await working("write pr2.txt 1", "It's $HOME; touch pwned");
    const created = await land(other.name, "--pr", "--create");
    expect(created.exitCode).toBe(1);
    expect(created.stderr).toContain("The forge is unknown");
    expect(existsSync(join(bench.repo, "pwned"))).toBe(false);
  },
);

test.each([
  [[], "SESSION is missing."],
  [["x", "--squash", "--rebase"], "Choose one of --rebase, --squash."],
  [["x", "--how", "ours"], "--how is one of"],
  [["x", "--check", "[1]"], "--check is a program"],
  [["x", "--check", "[oops"], "--check is not JSON"],
  [["x", "--check", "a 'b"], "--check is a program"],
  [["x", "--check", " "], "--check is a program"],
  [["x", "--create"], "--create needs --pr."],
  [["x", "--edit", "--dry-run"], "leave --edit out"],
  [["x", "main", "--into", "main"], 'Unexpected argument "main"'],
  [["x", "main", "more"], 'Unexpected argument "more"'],
  [["x", "--force"], "Unknown option"],
])("nomos land %j is a usage error", async (args, says) => {
  const answer = await daemon.cli("land", ...args);
  expect(answer).toMatchObject({ exitCode: 2, stdout: "" });
  expect(answer.stderr).toContain(says);
});

test("a landing that nobody can queue is an error with its code and exit code", async () => {
  const plain = await start(daemon, { adapter: "demo", cwd: bench.repo });
  expect(await daemon.cli("land", plain.name)).toMatchObject({ exitCode: 4, stdout: "" });
  const { name } = await working("write g.txt 1");
  expect((await daemon.cli("land", name, "nowhere")).stderr).toContain("branch_not_found");
});
