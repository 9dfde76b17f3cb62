import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import type { LandingOrder } from "../../../domains/index.ts";
import { inTheWay } from "./move-landings.ts";

const order = { into: "main" } as LandingOrder;

proves("LAND-44", "whatever keeps a branch where it is, the remedy is about just that", () => {
  for (const [words, remedy] of [
    ["another git works in /shop (index.lock is there)", /delete its lock if none runs/],
    [
      "fatal: cannot lock ref 'refs/heads/main': Unable to create '/shop/.git/refs/heads/main.lock'..",
      /delete its lock/,
    ],
    ["fatal: cannot lock ref 'HEAD': Unable to create '/shop/.git/HEAD.lock': File exists.", /delete its lock/],
    ["a rebase of main is in progress in /shop", /^Finish what is in progress there/],
    ["only `git status` in /shop, which runs filters, can tell what changed", /^Run `git status` there/],
    ["/shop has changes that are not committed", /^Commit or stash/],
    ["files that git does not know are in the way in /shop", /^Move them out of the way/],
    ["a.txt was changed in /shop at this moment", /^Commit or stash/],
    ["/shop is a sparse checkout", /^Mend that, or check out another branch there/],
    ["main is checked out in several places", /^Mend that, or check out another branch there/],
  ] as const) {
    const [finding] = inTheWay({ moved: false, why: "checkout", words, paths: [] }, order, "brave-otter-3f");
    expect(finding?.remedy).toMatch(remedy);
    expect(finding?.remedy).toMatch(/, then run `nomos land brave-otter-3f`\.$/);
    expect(finding?.message).toMatch(/[^.]\.$/);
  }
});
