import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { openLogKey } from "../../../src/store/index.ts";
import { runCli } from "../../support/daemon.ts";
import { CONSTITUTION, gitIn, lawfulRepository } from "../../support/lawful-repository.ts";
import { proves } from "../../support/proves.ts";
import { PATIENCE } from "../support/talk.ts";

vi.setConfig(PATIENCE);

proves(
  "GL-9",
  "a fresh clone without a daemon: verify, check, build and compose work, and start and leave nothing",
  async () => {
    const law = await lawfulRepository();
    const [clone, home] = [law.beside("clone"), law.beside("home")];
    gitIn(law.root, "clone", "-q", law.root, clone);
    const nomos = (...args: readonly string[]) => runCli(["governance", ...args], { home, cwd: clone });
    const verified = await nomos("verify");
    expect([verified.exitCode, verified.stderr, verified.stdout]).toEqual([
      0,
      "",
      "The law of main is sound: 2 rules, not signed.\n",
    ]);
    const asked = async (...args: readonly string[]) => {
      const { exitCode, stdout } = await nomos("check", ...args, "--json");
      const { verdict, rules } = JSON.parse(stdout);
      return [exitCode, verdict, ...rules];
    };
    expect(await asked("write", "src/.env")).toEqual([1, "deny", "SEC-1"]);
    expect(await asked("write", "src/b.ts")).toEqual([0, "allow"]);
    expect(await asked("delete", "README.md")).toEqual([1, "ask", "attestation:delete"]);
    expect(await asked("delete", "README.md", "--evidence", "attestation:delete")).toEqual([0, "allow"]);
    expect(await asked("write", "src/b.ts", "--ticket", "TKT-20260102-030405-A1B2")).toEqual([
      1,
      "deny",
      "ticket_invalid",
    ]);
    for (const verb of ["build", "compose"]) {
      const { exitCode, stdout } = await nomos(verb);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining("unchanged")]);
    }
    expect(gitIn(clone, "status", "--porcelain")).toBe("");
    expect(existsSync(home)).toBe(false);
  },
);

proves("GL-9", "the verdict is the exit code: an edit, a broken rule, no law, a wrong word", async () => {
  const law = await lawfulRepository();
  const home = law.beside("home");
  const nomos = async (cwd: string, ...args: readonly string[]) => {
    const { exitCode, stdout } = await runCli(["governance", ...args, "--json"], { home, cwd });
    return { exitCode, answer: JSON.parse(stdout) };
  };
  law.write(".nomos/CONSTITUTION.md", `${CONSTITUTION}\nMore.\n`);
  expect(await nomos(law.root, "verify")).toMatchObject({
    exitCode: 1,
    answer: {
      ok: false,
      problems: [{ code: "governance_drift", at: "checkout", remedy: expect.stringMatching(/nomos governance build/) }],
    },
  });
  expect(await nomos(law.root, "compose")).toMatchObject({
    exitCode: 5,
    answer: { error: { code: "governance_drift" } },
  });
  law.write(".nomos/CONSTITUTION.md", CONSTITUTION.replace("id: SEC-1\n", ""));
  expect(await nomos(law.root, "build")).toMatchObject({ exitCode: 5, answer: { error: { code: "rule_invalid" } } });
  const bare = law.beside("none");
  mkdirSync(bare);
  expect(await nomos(bare, "verify")).toMatchObject({ exitCode: 2, answer: { error: { code: "not_a_repository" } } });
  gitIn(bare, "init", "-q");
  expect(await nomos(bare, "verify")).toMatchObject({ exitCode: 4, answer: { error: { code: "not_governed" } } });
  expect(await nomos(bare, "check", "write", "a")).toMatchObject({
    exitCode: 4,
    answer: { error: { code: "not_governed" } },
  });
  expect(await nomos(law.root, "check", "write")).toMatchObject({ exitCode: 2, answer: { error: { code: "usage" } } });
  expect(existsSync(home)).toBe(false);
});

proves(
  "GL-9",
  "a home with a key signs what it composes, without a daemon; a clone of it verifies the signature",
  async () => {
    const law = await lawfulRepository();
    const home = law.beside("home");
    const { verifier } = await openLogKey(join(home, "keys"));
    const compose = () => runCli(["governance", "compose", "--json"], { home, cwd: law.root });
    expect(JSON.parse((await compose()).stdout)).toMatchObject({ isNew: true, signer: verifier.text });
    expect(JSON.parse((await compose()).stdout)).toMatchObject({ isNew: false, signer: verifier.text });
    law.commit();
    const clone = law.beside("clone");
    gitIn(law.root, "clone", "-q", law.root, clone);
    const verify = () => runCli(["governance", "verify", "--json"], { home: law.beside("other"), cwd: clone });
    expect(JSON.parse((await verify()).stdout)).toMatchObject({ ok: true, signer: verifier.text, rules: 2 });
    const policy = join(clone, ".nomos/policy.sealed.json");
    writeFileSync(
      policy,
      readFileSync(policy, "utf8").replace(verifier.text, verifier.text.replace("nomos/", "nomoz/")),
    );
    expect((await verify()).exitCode).toBe(1);
  },
);
