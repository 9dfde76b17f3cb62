import { expect } from "vitest";
import { gitIn, lawfulRepository } from "../../../test/support/lawful-repository.ts";
import { proves } from "../../../test/support/proves.ts";
import { createGitRunner } from "../../host/index.ts";
import { verifyLaw } from "../law/verify-law.ts";

const git = createGitRunner({ PATH: process.env["PATH"] });

proves(
  "GL-6",
  "a commit takes the whole law away: verify names it, and the law put back as it was is sound",
  async () => {
    const law = await lawfulRepository();
    gitIn(law.root, "rm", "-qr", ".nomos");
    gitIn(law.root, "commit", "-qm", "gone");
    const gone = gitIn(law.root, "rev-parse", "--short=8", "HEAD").trim();
    expect(await verifyLaw(git, law.root)).toMatchObject({
      ok: false,
      problems: [{ code: "governance_missing", at: "committed", message: expect.stringContaining(gone) }],
    });
    gitIn(law.root, "revert", "--no-edit", "HEAD");
    expect(await verifyLaw(git, law.root)).toMatchObject({ ok: true });
  },
);

proves("GL-6", "the law is taken out of the branch and left in the checkout: verify names the commit", async () => {
  const law = await lawfulRepository();
  gitIn(law.root, "rm", "-qr", "--cached", ".nomos");
  gitIn(law.root, "commit", "-qm", "gone");
  expect(await verifyLaw(git, law.root)).toMatchObject({ ok: false, problems: [{ code: "governance_missing" }] });
});

proves("GL-6", "a law that was taken away on purpose is none", async () => {
  const law = await lawfulRepository();
  gitIn(law.root, "rm", "-qr", ".nomos");
  gitIn(law.root, "commit", "-qm", "gone\n\nNomos-Law: removed");
  await expect(verifyLaw(git, law.root)).rejects.toMatchObject({ code: "not_governed" });
});

proves("GL-6", "a merge takes the side that never had a law: verify tells that the branch had one", async () => {
  const law = await lawfulRepository();
  gitIn(law.root, "checkout", "-q", "--orphan", "other");
  gitIn(law.root, "rm", "-qrf", ".nomos");
  gitIn(law.root, "commit", "-qm", "another beginning");
  gitIn(law.root, "merge", "-q", "-s", "ours", "--allow-unrelated-histories", "-m", "both", "main");
  gitIn(law.root, "branch", "-qf", "main", "other");
  gitIn(law.root, "checkout", "-q", "main");
  expect(await verifyLaw(git, law.root)).toMatchObject({ ok: false, problems: [{ code: "governance_missing" }] });
});
