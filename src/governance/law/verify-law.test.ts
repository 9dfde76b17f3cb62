import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  CONSTITUTION,
  gitIn,
  type LawfulRepository,
  lawfulRepository,
  lawSigner,
} from "../../../test/support/lawful-repository.ts";
import { proves } from "../../../test/support/proves.ts";
import { createGitRunner } from "../../host/index.ts";
import { buildLaw, composeLaw } from "./build-law.ts";
import { readConstitution } from "./constitution.ts";
import { LAW_FILES, type LawFile } from "./law-source.ts";
import { makeLock, writeLock } from "./lock.ts";
import { verifyLaw } from "./verify-law.ts";

const FILES: readonly LawFile[] = ["constitution", "config", "lock", "policy"];
const STRICTER = CONSTITUTION.replace("[src/**]", "[src/**, docs/**]");

async function told({ git, root }: Pick<LawfulRepository, "git" | "root">, cwd = root) {
  const { ok, problems } = await verifyLaw(git, cwd);
  expect(ok).toBe(problems.length === 0);
  return problems.map(({ at, code }) => `${at} ${code}`);
}

proves(
  "GL-6",
  "an edit of any file is told, in the checkout while it is not committed and in the branch afterwards",
  async () => {
    const law = await lawfulRepository();
    expect(await told(law)).toEqual([]);
    const CODES = {
      constitution: "governance_drift",
      config: "policy_stale",
      lock: "governance_invalid",
      policy: "policy_tampered",
    };
    for (const file of FILES) {
      const path = LAW_FILES[file];
      const text = readFileSync(join(law.root, path), "utf8");
      const edited = file === "config" ? text.replace("5", "9") : text.replace("e", "x");
      const code = CODES[file as keyof typeof CODES];
      law.write(path, edited);
      expect(await told(law), file).toEqual([`checkout ${code}`]);
      law.commit();
      expect(await told(law), file).toEqual([`committed ${code}`]);
      law.write(path, text);
      expect(await told(law), file).toEqual([`committed ${code}`]);
      law.run("reset", "-q", "--hard", "HEAD~1");
      expect(await told(law)).toEqual([]);
    }
  },
);

proves("GL-6", "files taken away, emptied, cut off, swapped, or replaced by links are told", async () => {
  const law = await lawfulRepository();
  const at = (file: LawFile) => join(law.root, LAW_FILES[file]);
  const attacks: readonly (readonly [what: string, attack: () => void, told: RegExp])[] = [
    ...FILES.flatMap((file) => {
      const text = readFileSync(at(file), "utf8");
      return [
        [`${file} away`, () => rmSync(at(file)), /checkout (governance|policy)_(missing|stale)/] as const,
        [`${file} empty`, () => writeFileSync(at(file), ""), /checkout \w+/] as const,
        [`${file} half`, () => writeFileSync(at(file), text.slice(0, text.length / 2)), /checkout \w+/] as const,
        [`${file} linked`, () => linkFile(at(file)), /governance_invalid/] as const,
      ];
    }),
    ["lock and policy swapped", () => swap(at("lock"), at("policy")), /governance_invalid/],
    ["the whole folder away", () => rmSync(join(law.root, ".nomos"), { recursive: true }), /governance_missing/],
    ["the folder a link", () => linkFolder(law.root), /governance_invalid/],
    ["the folder a file", () => fileInPlace(law.root), /governance_invalid/],
  ];
  for (const [what, attack, expected] of attacks) {
    attack();
    expect((await told(law)).join(), what).toMatch(expected);
    law.run("add", "-A");
    law.run("reset", "-q", "--hard", "HEAD");
  }
  expect(await told(law)).toEqual([]);
});

function linkFile(path: string): void {
  rmSync(path);
  symlinkSync("/etc/hostname", path);
}

function fileInPlace(root: string): void {
  rmSync(join(root, ".nomos"), { recursive: true });
  writeFileSync(join(root, ".nomos"), "x");
}

function swap(one: string, other: string): void {
  const [a, b] = [readFileSync(one), readFileSync(other)];
  writeFileSync(one, b);
  writeFileSync(other, a);
}

/** Somebody else's whole law, by a link. */
function linkFolder(root: string): void {
  const elsewhere = join(root, "..", "elsewhere");
  rmSync(elsewhere, { recursive: true, force: true });
  mkdirSync(elsewhere);
  for (const file of FILES)
    writeFileSync(join(elsewhere, LAW_FILES[file].slice(7)), readFileSync(join(root, LAW_FILES[file])));
  rmSync(join(root, ".nomos"), { recursive: true });
  symlinkSync(elsewhere, join(root, ".nomos"));
}

proves(
  "GL-6",
  "a link committed in place of the law's folder is a defect, and not a repository without a law",
  async () => {
    const law = await lawfulRepository();
    linkFolder(law.root);
    law.commit();
    await expect(verifyLaw(law.git, law.root)).rejects.toMatchObject({ code: "governance_invalid" });
  },
);

proves(
  "GL-7",
  "locks form a chain: an older one put back, a forged predecessor and a new beginning are told",
  async () => {
    const law = await lawfulRepository();
    const first = readAll(law);
    law.write(LAW_FILES.constitution, STRICTER);
    await law.enact();
    expect(await told(law)).toEqual([]);
    const lock = JSON.parse(readFileSync(join(law.root, LAW_FILES.lock), "utf8"));
    expect([JSON.parse(first.lock).previous, lock.previous]).toEqual([null, JSON.parse(first.lock).hash]);
    for (const file of FILES) law.write(LAW_FILES[file], first[file]);
    law.commit("put the old law back");
    const report = await verifyLaw(law.git, law.root);
    expect(report.problems).toMatchObject([
      { at: "committed", code: "governance_invalid", message: expect.stringMatching(/put back/) },
    ]);
    expect(report.law).toBeNull();
    // The remedy is to build it anew: then the old text has a lock of its own.
    await law.enact();
    expect(await told(law)).toEqual([]);
    for (const [previous, message] of [
      [null, /names no lock before it/],
      ["0".repeat(64), /never committed/],
    ] as const) {
      await forge(law, previous);
      const { problems } = await verifyLaw(law.git, law.root);
      expect(problems.map((one) => one.message).join()).toMatch(message);
      law.run("reset", "-q", "--hard", "HEAD~1");
    }
    expect(await told(law)).toEqual([]);
  },
);

function readAll({ root }: LawfulRepository): Readonly<Record<LawFile, string>> {
  const entries = FILES.map((file) => [file, readFileSync(join(root, LAW_FILES[file]), "utf8")]);
  return Object.fromEntries(entries) as Record<LawFile, string>;
}

/** A law that is sound in itself, with a predecessor of the forger's choice. */
async function forge(law: LawfulRepository, previous: string | null): Promise<void> {
  const constitution = `${CONSTITUTION}\nForged.\n`;
  law.write(LAW_FILES.constitution, constitution);
  law.write(LAW_FILES.lock, writeLock(makeLock(constitution, readConstitution(constitution).rules, previous)));
  await composeLaw(law.git, law.root, { signer: null, nowMs: 0 });
  law.commit("forge");
}

proves(
  "GL-7",
  "a law changed on a branch, rebased, squashed or merged keeps its chain; a build names the branch's own lock",
  async () => {
    const law = await lawfulRepository();
    for (const how of ["merge", "squash", "rebase"]) {
      law.run("switch", "-q", "-c", `work-${how}`);
      for (const step of ["one", "two"]) {
        law.write(LAW_FILES.constitution, `${CONSTITUTION}\n${how} ${step}\n`);
        await law.enact();
        expect(await told(law), `${how} ${step}`).toEqual([]);
      }
      law.run("switch", "-q", "main");
      if (how === "merge") law.run("merge", "-q", "--no-ff", "-m", "merge", "work-merge");
      if (how === "rebase") law.run("merge", "-q", "--ff-only", "work-rebase");
      if (how === "squash") law.run("merge", "-q", "--squash", "work-squash");
      law.commit(how);
      expect(await told(law), how).toEqual([]);
    }
  },
);

proves("GL-7", "an executable bit on a law's file makes no other law", async () => {
  const law = await lawfulRepository();
  for (const mode of [0o755, 0o644]) {
    for (const file of FILES) chmodSync(join(law.root, LAW_FILES[file]), mode);
    expect(await told(law), "in the checkout").toEqual([]);
    law.commit(`mode ${mode}`);
    expect(await told(law), "committed").toEqual([]);
  }
});

proves("GL-7", "a shallow clone verifies what it has, and says that the history is cut off", async () => {
  const law = await lawfulRepository();
  law.write(LAW_FILES.constitution, STRICTER);
  await law.enact();
  const clone = law.beside("shallow");
  gitIn(law.root, "clone", "-q", "--depth", "1", `file://${law.root}`, clone);
  const { ok, isHistoryCut, branch } = await verifyLaw(law.git, clone);
  expect({ ok, isHistoryCut, branch }).toEqual({ ok: true, isHistoryCut: true, branch: "main" });
});

proves(
  "GL-8",
  "a key that the law's branch names counts for the checkout too: nobody adds one of their own there",
  async () => {
    const [signer, other] = [await lawSigner(), await lawSigner()];
    const law = await lawfulRepository(signer);
    law.write(
      LAW_FILES.config,
      `version: 1\nbudgets: { files: 5, lines: 100 }\nchecks: []\nsigners: ["${signer.key}"]\n`,
    );
    await law.enact();
    expect(await told(law)).toEqual([]);
    expect((await verifyLaw(law.git, law.root)).signer).toBe(signer.key);
    law.write(
      LAW_FILES.config,
      `version: 1\nbudgets: { files: 5, lines: 100 }\nchecks: []\nsigners: ["${other.key}"]\n`,
    );
    await composeLaw(law.git, law.root, { signer: other, nowMs: 0 });
    expect(await told(law)).toEqual(["checkout signer_unknown"]);
    expect((await verifyLaw(law.git, law.root, { signers: [other.key] })).ok).toBe(false);
    law.run("checkout", "-q", ".");
    expect((await verifyLaw(law.git, law.root, { signers: [signer.key] })).ok).toBe(true);
  },
);

proves(
  "GL-10",
  "build and compose again: nothing changes; without a home the policy is unsigned, and a signature stays",
  async () => {
    const signer = await lawSigner();
    const law = await lawfulRepository(signer);
    expect(await buildLaw(law.git, law.root)).toMatchObject({ isNew: false, rules: 2 });
    expect(await composeLaw(law.git, law.root, { signer: null, nowMs: 5 })).toMatchObject({
      isNew: false,
      signer: signer.key,
    });
    expect(law.run("status", "--porcelain")).toBe("");
    law.write("src/b.ts", "");
    law.write(LAW_FILES.constitution, STRICTER);
    await expect(composeLaw(law.git, law.root, { signer: null, nowMs: 5 })).rejects.toMatchObject({
      code: "governance_drift",
    });
    await buildLaw(law.git, law.root);
    expect(await composeLaw(law.git, law.root, { signer: null, nowMs: 5 })).toMatchObject({
      isNew: true,
      signer: null,
    });
    law.write(LAW_FILES.constitution, STRICTER.replace("id: DEL-1", "id: SEC-1"));
    await expect(buildLaw(law.git, law.root)).rejects.toMatchObject({
      code: "rule_invalid",
      message: /line 17 \(SEC-1\)/,
    });
  },
);

proves(
  "GL-4",
  "a constitution of 10 MB is refused, and one of a megabyte of blocks is read within a moment",
  async () => {
    const law = await lawfulRepository();
    law.write(LAW_FILES.constitution, CONSTITUTION + "x".repeat(10_485_760));
    await expect(buildLaw(law.git, law.root)).rejects.toMatchObject({
      code: "governance_invalid",
      message: /are the most/,
    });
    expect(await told(law)).toEqual(["checkout governance_invalid"]);
    const block = (n: number) =>
      `\n\`\`\`yaml nomos-policy\nid: R${n}\ntype: filesystem_deny\npatterns: [d${n}/**, "**/*.x${n}"]\n\`\`\`\n`;
    law.write(LAW_FILES.constitution, Array.from({ length: 2000 }, (_, n) => block(n)).join(""));
    expect(await buildLaw(law.git, law.root)).toMatchObject({ rules: 2000 });
    await composeLaw(law.git, law.root, { signer: null, nowMs: 0 });
    law.commit();
    expect(await told(law)).toEqual([]);
  },
);

proves(
  "GL-12",
  "the repository's own git configuration starts nothing and hides nothing while its law is read",
  async () => {
    const law = await lawfulRepository();
    const ran = law.beside("ran");
    const program = law.beside("program");
    writeFileSync(program, `#!/bin/sh\ntouch ${ran}\nexec cat\n`, { mode: 0o755 });
    for (const key of [
      "core.fsmonitor",
      "core.sshCommand",
      "diff.external",
      "core.pager",
      "filter.x.smudge",
      "gpg.program",
    ])
      law.run("config", key, program);
    law.run("config", "log.showSignature", "true");
    law.run("config", "extensions.partialClone", "origin");
    law.run("config", "remote.origin.url", `ext::${program}`);
    law.write(".gitattributes", "* filter=x diff=x\n");
    writeFileSync(join(law.root, ".git/info/attributes"), "* filter=x\n");
    const git = createGitRunner({ PATH: process.env["PATH"], GIT_DIR: "/nonexistent", GIT_EXTERNAL_DIFF: program });
    expect(await told({ git, root: law.root })).toEqual([]);
    expect(() => readFileSync(ran)).toThrow(/ENOENT/);
  },
);

proves("GL-6", "a sparse checkout without the law's files is no tampering; files that are taken away are", async () => {
  const law = await lawfulRepository();
  for (const how of [["--cone"], ["--cone", "--sparse-index"]]) {
    law.run("sparse-checkout", "set", ...how, "src");
    expect(await told(law), how.join()).toEqual([]);
    law.run("sparse-checkout", "disable");
    expect(await told(law), how.join()).toEqual([]);
  }
  rmSync(join(law.root, ".nomos"), { recursive: true });
  expect((await told(law)).join()).toMatch(/checkout governance_missing/);
});

proves("GL-10", "a lock or policy of a newer version is not written anew by this one", async () => {
  const law = await lawfulRepository();
  const compose = () => composeLaw(law.git, law.root, { signer: null, nowMs: 0 });
  for (const [file, make] of [
    ["lock", () => buildLaw(law.git, law.root)],
    ["policy", compose],
  ] as const) {
    const at = join(law.root, LAW_FILES[file]);
    const text = readFileSync(at, "utf8").replace('"version": 1', '"version": 2');
    writeFileSync(at, text);
    await expect(make(), file).rejects.toMatchObject({ code: "governance_newer" });
    expect(readFileSync(at, "utf8")).toBe(text);
    law.run("checkout", "-q", ".");
  }
  const at = join(law.root, LAW_FILES.lock);
  writeFileSync(at, readFileSync(at, "utf8").replace(/("version": ")\d+/, "$199"));
  await expect(buildLaw(law.git, law.root)).rejects.toMatchObject({ code: "governance_newer" });
});

proves(
  "GL-8",
  "a signature taken off by whoever computes the hash anew is told, in the checkout and committed",
  async () => {
    const law = await lawfulRepository(await lawSigner());
    const at = join(law.root, LAW_FILES.policy);
    const signed = readFileSync(at, "utf8");
    rmSync(at);
    await composeLaw(law.git, law.root, { signer: null, nowMs: 0 });
    const stripped = readFileSync(at, "utf8");
    expect(await told(law)).toEqual(["checkout policy_tampered"]);
    law.commit("strip");
    const report = await verifyLaw(law.git, law.root);
    expect(report).toMatchObject({ law: null, problems: [{ at: "committed", code: "policy_tampered" }] });
    writeFileSync(at, signed);
    law.commit("restore");
    expect(await told(law)).toEqual([]);
    // A law that is changed where there is no key is unsigned, and says so.
    law.write(LAW_FILES.constitution, STRICTER);
    await law.enact(null);
    expect([readFileSync(at, "utf8") === stripped, await told(law)]).toEqual([false, []]);
  },
);
