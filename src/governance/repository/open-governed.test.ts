import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { gitIn, type LawfulRepository, lawfulRepository } from "../../../test/support/lawful-repository.ts";
import { proves } from "../../../test/support/proves.ts";
import { findTip, openGoverned } from "./open-governed.ts";

const CONFIG = ".nomos/config.yaml";
const configOf = (branch: string) => `version: 1\nbranch: ${branch}\n`;

async function branchAt({ git }: LawfulRepository, cwd: string) {
  const governed = await openGoverned(git, cwd);
  return governed === null ? null : `${governed.branch} ${governed.ref}`;
}

proves("GL-12", "the law is what the default branch's tip holds, whatever is checked out or edited", async () => {
  const law = await lawfulRepository();
  const tip = law.run("rev-parse", "main");
  law.run("switch", "-q", "-c", "work");
  law.write(CONFIG, configOf("work"));
  law.commit();
  const opened = await openGoverned(law.git, join(law.root, "src"));
  expect(opened).toMatchObject({
    branch: "main",
    ref: "refs/heads/main",
    tip,
    root: law.root,
    commonDir: `${law.root}/.git`,
  });
  expect(opened?.repoKey).toMatch(/^[0-9a-f]{12}$/);
  expect(await opened?.read(CONFIG)).toContain("budgets");
  expect(await opened?.at(law.run("rev-parse", "work")).read(CONFIG)).toBe(configOf("work"));
  const linked = law.beside("linked");
  law.run("worktree", "add", "-q", linked, "-b", "other");
  expect(await openGoverned(law.git, linked)).toMatchObject({ branch: "main", root: linked, repoKey: opened?.repoKey });
});

proves(
  "GL-12",
  "the branch with the law: named by its configuration, the remote's default, main, master, the checked-out one",
  async () => {
    const law = await lawfulRepository();
    law.run("branch", "-m", "main", "trunk");
    expect(await branchAt(law, law.root)).toBe("trunk refs/heads/trunk");
    law.run("branch", "master");
    law.run("switch", "-q", "-c", "develop");
    expect(await branchAt(law, law.root)).toBe("master refs/heads/master");
    law.run("branch", "-D", "-q", "master");
    law.write(CONFIG, configOf("trunk"));
    law.commit();
    expect(await branchAt(law, law.root)).toBe("trunk refs/heads/trunk");
    law.write(CONFIG, configOf("nowhere"));
    law.commit();
    expect(await branchAt(law, law.root)).toBe("develop refs/heads/develop");

    const clone = law.beside("clone");
    law.run("switch", "-q", "trunk");
    gitIn(law.root, "clone", "-q", law.root, clone);
    gitIn(clone, "switch", "-q", "-c", "own");
    gitIn(clone, "branch", "-q", "-D", "trunk");
    expect(await branchAt(law, clone)).toBe("trunk refs/remotes/origin/trunk");
    gitIn(clone, "switch", "-q", "--detach");
    gitIn(clone, "remote", "remove", "origin");
    gitIn(clone, "branch", "-q", "-D", "own");
    expect(await branchAt(law, clone)).toBe("HEAD HEAD");
    const bare = law.beside("bare.git");
    gitIn(law.root, "clone", "-q", "--bare", law.root, bare);
    expect(await openGoverned(law.git, bare)).toMatchObject({ branch: "trunk", root: null });
  },
);

proves("GL-12", "no repository, no commit, no law: nothing is governed, and nothing is an error", async () => {
  const law = await lawfulRepository();
  const empty = law.beside("empty");
  mkdirSync(empty);
  expect(await openGoverned(law.git, empty)).toBeNull();
  expect(await findTip(law.git, empty)).toBeNull();
  gitIn(empty, "init", "-q", "-b", "main");
  expect(await findTip(law.git, empty)).toMatchObject({ law: null, isGoverned: false });
  gitIn(empty, "commit", "-q", "--allow-empty", "-m", "x");
  expect(await findTip(law.git, empty)).toMatchObject({ law: { branch: "main" }, isGoverned: false });
  expect(await openGoverned(law.git, empty)).toBeNull();
  await expect(openGoverned(law.git, law.beside("gone"))).rejects.toMatchObject({ code: "cwd_missing" });
});

proves(
  "GL-12",
  "links, submodules, large files and bytes that are no text are refused by name; paths do not leave",
  async () => {
    const law = await lawfulRepository();
    symlinkSync("/etc/passwd", join(law.root, ".nomos/link"));
    writeFileSync(join(law.root, ".nomos/bytes"), Buffer.from([0xc3, 0x28]));
    law.write(".nomos/large", "x".repeat(1_048_577));
    law.write(".nomos/a b\té", "odd name");
    law.run("add", "-A");
    law.run("update-index", "--add", "--cacheinfo", `160000,${law.run("rev-parse", "HEAD")},.nomos/module`);
    law.run("commit", "-qm", "odd");
    const governed = await openGoverned(law.git, law.root);
    for (const [name, reason] of [
      ["link", /a link/],
      ["module", /a submodule/],
      ["large", /bytes/],
      ["bytes", /UTF-8/],
    ] as const) {
      const read = governed?.read(`.nomos/${name}`);
      await expect(read, name).rejects.toMatchObject({
        code: "governance_invalid",
        message: expect.stringMatching(reason),
      });
    }
    expect(await governed?.read(".nomos/a b\té")).toBe("odd name");
    expect(await governed?.read(".nomos/missing")).toBeNull();
    expect(await governed?.has(".nomos")).toBe(false);
    expect((await governed?.list(".nomos"))?.map(({ name, kind }) => `${name} ${kind}`).slice(-4)).toEqual([
      "large file",
      "link link",
      "module submodule",
      "policy.sealed.json file",
    ]);
    for (const path of ["../x", "/etc/passwd", ".nomos/../src", "a//b", "", "a\0b"])
      await expect(governed?.read(path), path).rejects.toMatchObject({ code: "path_invalid" });
  },
);
