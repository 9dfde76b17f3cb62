import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import { randomRewinds } from "../../support/rewinds.ts";
import { sampled } from "../../support/sampled.ts";

const HISTORIES = sampled(200, 5);
const ROUNDS = 12;

proves.skipIf(!needs("bwrap"))(
  "SN-1",
  "random histories with rewinds to any point of any branch: the file tree is restored byte by byte",
  async () => {
    let restores = 0;
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-rewinds-")));
      const held = await randomRewinds({ folder, seed, rounds: ROUNDS, bwrapPath: "bwrap" });
      restores += held.restores;
      await rm(folder, { recursive: true, force: true });
    }
    expect(restores).toBeGreaterThan(HISTORIES);
  },
);
