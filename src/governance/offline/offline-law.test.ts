import { spawnSync } from "node:child_process";
import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type LawfulRepository, lawfulRepository } from "../../../test/support/lawful-repository.ts";
import { proves } from "../../../test/support/proves.ts";
import { createOfflineLaw } from "./offline-law.ts";

function offline(home = "/nonexistent") {
  return createOfflineLaw({ environment: { PATH: process.env["PATH"], HOME: home }, home, nowMs: () => 0 });
}

const ask = async (cwd: string, verb: string, path: string) => {
  const { verdict, rules } = await offline().check({ cwd, verb, path, ticket: null, evidence: [] });
  return [verdict, ...rules].join(" ");
};

proves(
  "GL-6",
  "a configuration or folder committed as something unreadable: verify tells it, check denies",
  async () => {
    const law = await lawfulRepository();
    const config = ".nomos/config.yaml";
    const at = join(law.root, config);
    const attacks: readonly (readonly [what: string, file: string, attack: () => void])[] = [
      ["a link", config, () => symlinkSync("/etc/hostname", at)],
      ["no text", config, () => writeFileSync(at, Buffer.from([0xc3, 0x28]))],
      ["too large", config, () => writeFileSync(at, "#".repeat(2_000_000))],
      ["a folder", config, () => law.write(`${config}/x`, "")],
      ["a file in place of all", ".nomos", () => law.write(".nomos", "")],
    ];
    for (const [what, file, attack] of attacks) {
      rmSync(join(law.root, file), { recursive: true });
      attack();
      law.commit(what);
      const { ok, problems } = await offline().verify(law.root);
      expect(ok, what).toBe(false);
      expect(
        problems.map((one) => `${one.at} ${one.code} ${one.file}`),
        what,
      ).toContain(`committed governance_invalid ${file}`);
      expect(await ask(law.root, "read", "src/a.ts"), what).toBe("deny governance_invalid");
      law.run("reset", "-q", "--hard", "HEAD~1");
      expect(await ask(law.root, "read", "src/a.ts"), what).toBe("allow");
    }
  },
);

proves("GL-3", "check in a git dir, of an empty path, and in a repository with an odd name", async () => {
  const law = await lawfulRepository();
  const inGit = join(law.root, ".git");
  for (const path of ["config", "hooks/pre-commit", "../.git/config"])
    expect(await ask(inGit, "write", path), path).toBe("deny protected:**/.git");
  expect(await ask(inGit, "write", "../src/a.ts")).toBe("allow");
  expect(await ask(inGit, "write", "../../x")).toBe("deny outside_repository");
  expect(await ask(law.root, "write", "")).toBe("deny path_invalid");
  const odd = law.beside("a\nb\\c \u00fc");
  law.run("clone", "-q", law.root, odd);
  expect(await ask(odd, "write", "src/a.ts")).toBe("allow");
  expect(await ask(odd, "write", join(odd, ".nomos/config.yaml"))).toBe("deny protected:.nomos");
  expect(await ask(odd, "write", "src/a\nb")).toBe("deny path_invalid");
  expect(await ask(odd, "write", "../x")).toMatch(/^deny (outside_repository|path_invalid)$/);
});

test("files without rights: verify tells it, build is refused, nothing crashes", async () => {
  const law = await lawfulRepository();
  const nomos = asNobody(law);
  const constitution = join(law.root, ".nomos/CONSTITUTION.md");
  chmodSync(constitution, 0);
  expect(nomos("verify")).toMatchObject({
    problems: [{ at: "checkout", code: "governance_invalid", message: expect.stringMatching(/CONSTITUTION.*rights/) }],
  });
  chmodSync(constitution, 0o644);
  law.write(".nomos/CONSTITUTION.md", "# Another\n");
  chmodSync(join(law.root, ".nomos"), 0o555);
  expect(nomos("build")).toMatchObject({ error: { code: "governance_blocked" } });
  chmodSync(join(law.root, ".nomos"), 0o777);
  chmodSync(join(law.root, ".nomos/governance.lock.json"), 0o666);
  expect(nomos("build")).toMatchObject({ isNew: true });
});

/** The command line of somebody whom missing rights stop: the superuser may read and write everything. */
function asNobody(law: LawfulRepository) {
  const isRoot = process.getuid?.() === 0;
  chmodSync(join(law.root, ".."), 0o777);
  const home = law.beside("home");
  const env = { PATH: process.env["PATH"], HOME: home, NOMOS_HOME: home, ...TRUSTED };
  return (verb: string): unknown => {
    const { stdout } = spawnSync(process.execPath, [BIN, "governance", verb, "--json"], {
      ...{ cwd: law.root, env, encoding: "utf8" },
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    return JSON.parse(stdout);
  };
}

const NOBODY = 65_534;
const BIN = join(import.meta.dirname, "../../../bin/nomos.js");
/** Git asks whose repository it is. */
const TRUSTED = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" };
