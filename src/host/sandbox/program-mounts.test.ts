import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { programMounts } from "./program-mounts.ts";

proves(
  "WL-1",
  "a program in the person's own bin shows nothing beside it; an installed one shows the files it needs",
  () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "nomos-person-")));
    onTestFinished(() => rmSync(home, { recursive: true }));
    for (const name of ["bin", "lib", "versions", "tool/bin", "tool/lib", "tool/share"])
      mkdirSync(join(home, name), { recursive: true });
    const searchPath = [join(home, "bin"), join(home, "tool/bin")].join(":");
    expect(programMounts({ programs: [], searchPath, kept: [home] }).toSorted()).toEqual(
      ["bin", "tool/bin", "tool/lib"].map((name) => join(home, name)),
    );
  },
);
