import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { configure, land, type ShownLanding, settled, worked } from "../../support/landing-bench.ts";
import { proves } from "../../support/proves.ts";
import { type Bench, setUpBench } from "../../support/worktree-bench.ts";
import { approvalsOf, expectOk, expectRefusal, PATIENCE } from "../support/talk.ts";
import { type Agent, agentIn, picture } from "./attack.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const ONLY_SRC = { scope: { allow: ["src"] } };

async function agentOf(
  bench: Bench,
  more: object = {},
): Promise<{ readonly id: string; readonly name: string; readonly agent: Agent }> {
  const session = await worked(daemon, bench.repo, "say hello", { ...more });
  return { id: session.id, name: session.name, agent: agentIn(bench, session.cwd) };
}

async function outcome(id: string, wish: object = {}): Promise<ShownLanding> {
  return settled(daemon, (await land(daemon, id, { ...wish })).id);
}

const remediesIn = ({ findings }: object & { findings: readonly object[] }): readonly string[] =>
  findings.map((one) => ("remedy" in one ? String(one.remedy) : ""));

proves("LG-28", "a landing out of scope asks its person, shows the difference, and lands after a yes", async () => {
  using bench = setUpBench();
  const { id, name, agent } = await agentOf(bench, ONLY_SRC);
  agent.write("README.md", "hello, changed\n");
  agent.write(".gitmodules", '[submodule "a"]\n\tpath = a\n\turl = https://example.org/a.git\n');
  agent.commit();
  const dry = expectOk(await daemon.call<ShownLanding>("POST", `/sessions/${id}/land`, { dryRun: true }));
  expect(remediesIn(dry).join("\n")).toContain(`nomos land ${name}`);
  expect(await approvalsOf(daemon, id)).toEqual([]);
  const refused = await outcome(id);
  expect(refused.findings.map(({ rule, path }) => [rule, path])).toEqual([
    ["policy", ".gitmodules"],
    ["scope", "README.md"],
  ]);
  const [asked, ...others] = await approvalsOf(daemon, id);
  expect(others).toEqual([]);
  expect(asked).toMatchObject({ action: { verb: "scope.widen", resource: "README.md" }, status: "pending" });
  const shown = expectOk(await daemon.call<{ detail: { diff: string } }>("GET", `/api/approvals/${asked?.id}`));
  expect(shown.detail.diff).toContain("+hello, changed");
  expect(remediesIn(refused)).toContain(`nomos approve ${asked?.id}`);
  // Refused again, it does not ask again.
  await outcome(id);
  expect(await approvalsOf(daemon, id)).toHaveLength(1);
  expectOk(await daemon.call("POST", `/api/approvals/${asked?.id}/approve`, {}));
  agent.git("rm", "-q", ".gitmodules");
  agent.commit();
  expect(await outcome(id, { how: "squash" })).toMatchObject({ state: "landed" });
  expect(bench.git(bench.repo, "show", "main:README.md")).toBe("hello, changed");
});

proves("LG-24", "a merge that takes back what the person has done since is refused outside of the scope", async () => {
  using bench = setUpBench();
  const { id, agent } = await agentOf(bench, ONLY_SRC);
  bench.write(join(bench.repo, "README.md"), "the person's own\n");
  bench.git(bench.repo, "commit", "-qam", "person");
  agent.write("src/a.ts", "a\n");
  agent.commit();
  agent.git("-c", "protocol.file.allow=always", "fetch", "-q", bench.repo, "main");
  agent.git("merge", "-q", "-s", "ours", "--no-edit", "FETCH_HEAD");
  const before = picture(bench.repo);
  const { state, findings } = await outcome(id);
  expect([state, findings[0]?.rule, findings[0]?.path]).toEqual(["refused", "scope", "README.md"]);
  expect(picture(bench.repo)).toBe(before);
});

proves(
  "LG-27",
  "where the person signs, kept commits without their signature are refused, and made anew signed",
  async () => {
    using bench = setUpBench();
    const key = join(bench.directory, "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    const settings = { "gpg.format": "ssh", "user.signingkey": key, "commit.gpgsign": "true" };
    for (const [name, value] of Object.entries(settings)) bench.git(bench.repo, "config", name, value);
    const { id, agent } = await agentOf(bench);
    agent.write("src/a.ts", "a\n");
    agent.git("-c", "commit.gpgsign=false", "add", "-A");
    agent.git("-c", "commit.gpgsign=false", "commit", "-qm", "unsigned");
    const refused = await outcome(id);
    expect(refused).toMatchObject({ state: "refused", findings: [{ rule: "policy" }] });
    expect(refused.findings[0]?.message).toContain("not signed");
    expect(remediesIn(refused)[0]).toContain("--squash");
    expect(await outcome(id, { how: "squash" })).toMatchObject({ state: "landed" });
    expect(bench.git(bench.repo, "cat-file", "commit", "main")).toContain("gpgsig");
  },
);

/** What an agent can make of its own git dir so that git, run there by hand, runs something. */
const HIJACKS: readonly (readonly [string, (agent: Agent, program: string) => void])[] = [
  ["a monitor of files", ({ git }, program) => git("config", "core.fsmonitor", program)],
  [
    "a filter",
    ({ git, cwd }, program) => {
      git("config", "filter.evil.clean", program);
      writeFileSync(join(cwd, ".git", "info", "attributes"), "* filter=evil\n");
    },
  ],
  [
    "a hook",
    ({ cwd }, program) => {
      mkdirSync(join(cwd, ".git", "hooks"), { recursive: true });
      for (const name of ["post-index-change", "pre-commit", "reference-transaction", "pre-merge-commit"]) {
        writeFileSync(join(cwd, ".git", "hooks", name), `#!/bin/sh\nexec ${program}\n`);
        chmodSync(join(cwd, ".git", "hooks", name), 0o755);
      }
    },
  ],
];

for (const [name, plant] of HIJACKS)
  proves("LG-29", `${name} in the worktree's git dir runs by hand, and never for a landing`, async () => {
    using bench = setUpBench();
    const { id, agent } = await agentOf(bench);
    const [program, ran] = [join(bench.directory, "program"), join(bench.directory, "ran")];
    writeFileSync(program, `#!/bin/sh\ntouch ${ran}\ncat\n`);
    chmodSync(program, 0o755);
    agent.write("src/a.ts", "a\n");
    plant(agent, program);
    agent.git("add", "-A");
    agent.git("commit", "-q", "-m", "work");
    expect(existsSync(ran), "it does not even work by hand").toBe(true);
    rmSync(ran);
    expect(await outcome(id)).toMatchObject({ state: "landed" });
    expect(existsSync(ran)).toBe(false);
    bench.git(bench.repo, "fsck", "--strict");
  });

proves("LG-29", "objects and git dirs of somebody else are not taken for the session's", async () => {
  using bench = setUpBench();
  const other = join(bench.directory, "other");
  bench.git(bench.directory, "init", "-q", other);
  bench.write(join(other, "private.txt"), "private\n");
  bench.git(other, "add", "-A");
  const blob = bench.git(other, "hash-object", "private.txt");
  const { id, agent } = await agentOf(bench);
  const list = join(agent.cwd, ".git", "objects", "info", "alternates");
  writeFileSync(list, `${join(other, ".git", "objects")}\n${existsSync(list) ? execFileSync("cat", [list]) : ""}`);
  agent.git("update-index", "--add", "--cacheinfo", `100644,${blob},stolen.txt`);
  agent.git("commit", "-q", "-m", "steal");
  expect(agent.git("show", "HEAD:stolen.txt")).toBe("private");
  const before = picture(bench.repo);
  const landing = () => daemon.call("POST", `/sessions/${id}/land`, {});
  expectRefusal(await landing(), 400, "repository_invalid");
  renameSync(join(agent.cwd, ".git"), join(agent.cwd, "aside"));
  writeFileSync(join(agent.cwd, ".git"), `gitdir: ${bench.repo}/.git\n`);
  expect((await landing()).status).toBe(400);
  expect(picture(bench.repo)).toBe(before);
});

proves(
  "LG-29",
  "a check that the agent wrote reaches neither the repository nor the home, and leaves nothing",
  async () => {
    using bench = setUpBench();
    const { id, agent } = await agentOf(bench);
    const beat = join(bench.directory, "beat");
    agent.write(
      "check.sh",
      `echo x >> ${bench.repo}/.git/hooks/post-checkout && exit 10
     echo x >> ${bench.repo}/README.md
     cat ${daemon.home}/token && exit 12
     cat ${daemon.home}/log.db | head -c 1 | grep -q . && exit 13
     git config --global x.y z; git push ${bench.repo} HEAD:refs/heads/pushed && exit 14
     setsid sh -c 'while :; do date > ${beat}; sleep 0.1; done' &
     git update-ref refs/heads/main HEAD~0; git config core.bare true
     exit 0\n`,
    );
    agent.commit();
    await configure(daemon, { checks: [["sh", "check.sh"]] });
    const before = picture(join(bench.repo, ".git", "hooks"));
    const landed = await outcome(id);
    expect(landed).toMatchObject({ state: "landed", findings: [] });
    expect(picture(join(bench.repo, ".git", "hooks"))).toBe(before);
    expect(bench.git(bench.repo, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
    expect(bench.git(bench.repo, "rev-parse", "main")).toBe(landed.commit);
    expect(existsSync(beat)).toBe(false);
    expect(bench.git(bench.repo, "show", "main:README.md")).toBe("hello");
    expect(bench.git(bench.repo, "status", "--porcelain")).toBe("");
    bench.git(bench.repo, "fsck", "--strict");
  },
);

proves("LG-29", "a caller adds checks and leaves out none; one that edits the tree is refused", async () => {
  using bench = setUpBench();
  const { id, agent } = await agentOf(bench);
  agent.write("src/a.ts", "a\n");
  agent.commit();
  const before = picture(bench.repo);
  await configure(daemon, { checks: [["sh", "-c", "exit 1"]], attemptsMax: 1 });
  expect(await outcome(id, { checks: [] })).toMatchObject({ state: "refused", findings: [{ rule: "check" }] });
  await configure(daemon, { checks: [], attemptsMax: 1 });
  const edits = { checks: [["sh", "-c", "echo evil >> src/main.ts"]] };
  expect(await outcome(id, edits)).toMatchObject({ state: "refused", findings: [{ path: "src/main.ts" }] });
  expect(picture(bench.repo)).toBe(before);
});
