import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GateBench, SECRET, setUpGate } from "../../../../test/support/gate-bench.ts";
import { proves } from "../../../../test/support/proves.ts";
import type { CheckReport } from "../judge.ts";
import type { LandingSettings } from "../landing-settings.ts";

let gate: GateBench;
beforeAll(async () => {
  gate = await setUpGate();
  const { bench, work } = gate;
  bench.write(join(work, "made.txt"), "made\n");
  bench.git(work, "add", "--all");
  bench.git(work, "commit", "-q", "-m", "work");
});
afterAll(() => gate[Symbol.asyncDispose]());

let folders = 0;

async function check(
  checks: readonly (readonly string[])[],
  settings: Partial<LandingSettings> = {},
  on: GateBench = gate,
): Promise<CheckReport> {
  on.settings({ checks, ...settings });
  await using opened = await on.opened();
  const { order, tip, made } = await on.landing(opened);
  folders += 1;
  const folder = join(on.bench.directory, "home", "tmp", `check-${folders}`);
  mkdirSync(folder, { recursive: true });
  const given = { opened, landings: [order], branch: "main", tip, commit: made.commit, checks, folder };
  return await on.judge.check(given, new AbortController().signal);
}

const sh = (script: string): readonly string[] => ["sh", "-c", script];

proves(
  "LG-20",
  "a check sees the merged files and nothing of the person's; it has no network and no variables",
  async () => {
    const secret = join(gate.bench.directory, "person", ".gitconfig");
    const script = `set -e
    test -f made.txt -a -f README.md
    git diff --cached --name-only | grep -qx made.txt
    test ! -e ${secret}; test ! -e ${gate.bench.repo}/README.md
    test "$(grep -c : /proc/net/dev)" = 1
    test -w . -a ! -w /usr
    test -z "$SSH_AUTH_SOCK" -a "$CI" = true
    test "$HOME" != ${join(gate.bench.directory, "person")}`;
    expect(await check([sh(script)])).toMatchObject({ findings: [] });
  },
);

proves(
  "LG-20",
  "each failed check is a finding with the end of what it printed, without what a terminal obeys",
  async () => {
    const noisy = `i=0; echo first; while [ $i -lt 4000 ]; do echo "line $i"; i=$((i+1)); done; printf '\\033[31mred\\007 end\\n' >&2; exit 3`;
    const { findings } = await check([sh("exit 1"), sh(noisy), ["true"]]);
    expect(findings.map(({ rule }) => rule)).toEqual(["check", "check"]);
    const [, told] = findings;
    expect(told?.message).toContain("ended with 3");
    expect(told?.message).toContain("first\n");
    expect(told?.message).toContain("line 3999\nred  end");
    expect(told?.message.length).toBeLessThan(5000);
  },
);

proves("LG-20", "a secret in the output of a check is not told", async () => {
  const { findings } = await check([sh(`printf 'token %s%s' ${SECRET.slice(0, 9)} ${SECRET.slice(9)}; exit 1`)]);
  expect(findings).toHaveLength(1);
  expect(JSON.stringify(findings)).not.toContain(SECRET);
});

proves("LG-21", "a check that edits what it was given is refused by file; new files are its own affair", async () => {
  expect(await check([sh("echo more > built.txt")])).toMatchObject({ findings: [] });
  const { findings } = await check([sh("echo more >> README.md; rm made.txt; chmod +x .gitignore")]);
  expect(findings.map(({ rule, path }) => [rule, path])).toEqual([
    ["check", ".gitignore"],
    ["check", "README.md"],
    ["check", "made.txt"],
  ]);
});

proves("LG-21", "a check cannot hide an edit from the comparison", async () => {
  const hiding = [
    "git update-index --assume-unchanged README.md && echo x >> README.md",
    "t=$(stat -c %y README.md); printf 'jello\\n' > README.md; touch -d \"$t\" README.md",
    "echo x >> README.md; git add -A; git -c user.name=x -c user.email=x@x commit -qm x",
    "echo '* -diff' > .gitattributes; git config core.fileMode false; echo x > README.md; rm -rf .git",
  ];
  for (const script of hiding) {
    const { findings } = await check([sh(script)]);
    expect(
      findings.map(({ path }) => path),
      script,
    ).toContain("README.md");
  }
});

proves(
  "LG-21",
  "a file whose line ends its attributes forbid is not changed by a check that leaves it alone",
  async () => {
    await using own = await setUpGate();
    const { bench, work } = own;
    bench.write(join(work, "old.bat"), "rem\r\n");
    bench.git(work, "add", "--all");
    bench.write(join(work, ".gitattributes"), "*.bat text eol=crlf\n");
    bench.git(work, "add", ".gitattributes");
    bench.git(work, "commit", "-q", "-m", "work");
    expect(await check([["true"]], {}, own)).toMatchObject({ findings: [] });
    for (const script of [
      "echo x >> old.bat",
      "truncate -s 9T old.bat",
      "chmod +x old.bat",
      "rm old.bat",
      "ln -sf x old.bat",
    ]) {
      const { findings } = await check([sh(script)], {}, own);
      expect(
        findings.map(({ path }) => path),
        script,
      ).toEqual(["old.bat"]);
    }
  },
);

proves("LG-22", "what a check leaves running dies with it, and one that hangs ends at its limit", async () => {
  const flag = `nomos-check-${process.pid}`;
  const { findings } = await check([
    sh(`for i in 1 2 3; do setsid sh -c 'while :; do sleep 1; : ${flag}; done' & done; sleep 0.2`),
  ]);
  expect(findings).toEqual([]);
  const late = await check([sh("trap '' TERM; while :; do sleep 1; done")], { checkTimeoutMs: 1000 });
  expect(late.findings).toMatchObject([{ rule: "check", message: expect.stringContaining("longer than 1000 ms") }]);
  expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain(flag);
});

proves("LG-22", "a program that is missing needs a person, and does not count as failed work", async () => {
  const { findings } = await check([["no-such-program", "x"]]);
  expect(findings).toMatchObject([{ rule: "policy", message: expect.stringContaining("no program no-such-program") }]);
});

proves("LG-22", "without bubblewrap no check runs, unless the configuration says so", async () => {
  await using other = await setUpGate("none");
  const { bench, work } = other;
  bench.write(join(work, "made.txt"), "made\n");
  bench.git(work, "add", "--all");
  bench.git(work, "commit", "-q", "-m", "work");
  const { findings } = await check([["true"]], {}, other);
  expect(findings).toMatchObject([{ rule: "policy", remedy: expect.stringContaining("landing.checkSandbox off") }]);
  expect(await check([["true"]], { checkSandbox: "off" }, other)).toMatchObject({ findings: [] });
});

function hook(name: string, script: string, folder = join(gate.bench.repo, ".git", "hooks")): void {
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

proves("LG-23", "the person's hooks run as for a merge; what they make of the message is kept", async () => {
  hook("pre-merge-commit", "git diff --cached --name-only | grep -qx made.txt");
  hook("pre-commit", "exit 1");
  hook("prepare-commit-msg", '[ "$2" = merge ] && echo "Ticket: 7" >> "$1"');
  hook("commit-msg", 'grep -q Ticket "$1"');
  const report = await check([]);
  expect(report).toMatchObject({ findings: [], message: "Land it\nTicket: 7" });
  hook("commit-msg", "echo no ticket; exit 1");
  const refused = await check([sh("echo never >&2; exit 1")]);
  expect(refused.findings).toMatchObject([{ rule: "check", message: expect.stringContaining("hook commit-msg") }]);
  expect(refused.findings).toHaveLength(1);
  hook("commit-msg", "echo x >> README.md");
  expect((await check([])).findings).toMatchObject([{ rule: "check", path: "README.md" }]);
  hook("commit-msg", `rm -f "$1"; ln -s /etc/hostname "$1"`);
  expect((await check([])).findings).toMatchObject([{ message: expect.stringContaining("no commit message") }]);
  for (const name of ["pre-merge-commit", "pre-commit", "prepare-commit-msg", "commit-msg"]) hook(name, "exit 0");
});

test("hooks of a folder in the repository are those of the person, not those that the landing brings", async () => {
  await using other = await setUpGate();
  const { bench, work } = other;
  bench.git(bench.repo, "config", "core.hooksPath", ".husky/_");
  hook("pre-merge-commit", '. "$(dirname "$0")/../own"', join(bench.repo, ".husky", "_"));
  writeFileSync(join(bench.repo, ".husky", "own"), "exit 0\n");
  hook("pre-merge-commit", "exit 1", join(work, ".husky", "_"));
  bench.git(work, "add", "--all", "--force");
  bench.git(work, "commit", "-q", "-m", "hooks");
  expect(await check([], {}, other)).toMatchObject({ findings: [] });
});
