import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { type SetupBench, setUpLawBench } from "../../../../test/support/setup-scene.ts";
import { type DeinitWish, deinitLaw } from "../deinit/deinit-law.ts";
import { type InitWish, initLaw } from "../init/init-law.ts";

function init({ place, make, repo }: SetupBench, wish: Partial<InitWish> = {}) {
  return initLaw(place, make, { cwd: repo, dryRun: false, commit: true, message: null, sidecar: true, ...wish });
}

function deinit({ place, repo }: SetupBench, wish: Partial<DeinitWish> = {}) {
  return deinitLaw(place, { cwd: repo, dryRun: false, force: false, message: null, ...wish });
}

proves("GS-9", "people's own files beside a mounted law: deinit refuses, unless forced", async () => {
  for (const [path, how] of [
    ["tools/mine.sh", "untracked"],
    ["NOTES.md", "committed"],
    ["build.log", "ignored"],
  ] as const) {
    using all = setUpLawBench();
    const { git, repo, write } = all;
    const mount = join(repo, ".nomos");
    await init(all);
    write(join(mount, "cache/old"), "ours\n");
    write(join(mount, path), "mine\n");
    if (how === "ignored") writeFileSync(join(repo, ".git/info/exclude"), "*.log\n", { flag: "a" });
    if (how === "committed") {
      git(mount, "add", path);
      git(mount, "commit", "-qm", "mine");
    }
    const refused = { code: "governance_kept", details: { files: [`.nomos/${path}`] } };
    await expect(deinit(all), how).rejects.toMatchObject(refused);
    expect([readFileSync(join(mount, path), "utf8"), git(repo, "branch", "--list", "nomos-governance")]).toEqual([
      "mine\n",
      "+ nomos-governance",
    ]);
    expect((await deinit(all, { dryRun: true })).kept).toEqual([`.nomos/${path}`]);
    await deinit(all, { force: true });
    expect(existsSync(mount)).toBe(false);
  }
});

proves(
  "GS-4",
  "a sidecar's commit has the person's message; one that cannot be signed is refused as such",
  async () => {
    using all = setUpLawBench();
    const { git, repo, person } = all;
    const settings = join(person, ".gitconfig");
    const before = existsSync(settings) ? readFileSync(settings, "utf8") : "";
    writeFileSync(settings, `${before}\n[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = /bin/false\n`);
    await expect(init(all, { message: "docs: a law" })).rejects.toMatchObject({
      code: "commit_refused",
      message: expect.stringMatching(/could not be signed. Nothing was changed/),
    });
    expect(git(repo, "for-each-ref", "refs/heads/nomos-governance")).toBe("");
    expect(git(repo, "status", "--porcelain", "--ignored")).toBe("");
    writeFileSync(settings, before);
    await init(all, { message: "docs: a law" });
    expect(git(repo, "log", "--format=%s", "nomos-governance")).toBe("docs: a law");
  },
);
