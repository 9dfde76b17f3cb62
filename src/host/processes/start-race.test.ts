import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { type Rehearsal, readAll, rehearse } from "../../../test/support/rehearsal.ts";
import { findBubblewrap } from "../sandbox/find-bubblewrap.ts";
import { createProcessHost, type ProcessHost } from "./process-host.ts";
import type { ProcessSpec } from "./process-spec.ts";

const found = needs("bwrap") ? await findBubblewrap(process.env["PATH"] ?? "") : { missing: "bwrap" };
const bwrapPath = "path" in found ? found.path : "";

/**
 * A host whose sandbox is made only after `attack` has run, so that every start loses the race between check and mount.
 */
function attackedHost(stage: Rehearsal, attack: string): ProcessHost {
  const slow = join(stage.directory, "slow-bwrap");
  writeFileSync(slow, `#!/bin/sh\n${attack}\nexec ${bwrapPath} "$@"\n`, { mode: 0o755 });
  return createProcessHost({ home: stage.home, bwrapPath: slow });
}

async function run(host: ProcessHost, spec: ProcessSpec): Promise<{ printed: string; code: string | undefined }> {
  const { stdout, stderr, exit } = await readAll(host.spawn(spec));
  return { printed: stdout + stderr, code: exit.failure?.code };
}

describe.skipIf(!needs("bwrap"))("with sandbox `off`, a directory replaced between check and mount", () => {
  const READ = "cat token; cat ../token; cat ../../token; ls -A; echo ran";

  for (const access of ["readBack", "shown"] as const) {
    proves("WL-25", `a ${access} folder that became a link to the home: nothing starts`, async () => {
      await using stage = rehearse({ bwrapPath });
      const own = join(stage.home, "workspaces", "own");
      await using host = attackedHost(stage, `mv ${own} ${own}.away && ln -s ${stage.home} ${own}`);
      const spec = stage.spec(["/bin/sh", "-c", `cd ${own}; ${READ}`], { [access]: [own] });
      const { printed, code } = await run(host, spec);
      expect(printed).not.toContain(stage.secret);
      expect(printed).not.toContain("ran");
      expect(code).toBe("sandbox_failed");
    });
  }

  proves("WL-25", "a folder that another session's folder took the place of: nothing starts", async () => {
    await using stage = rehearse({ bwrapPath });
    const [own, other] = ["own", "other"].map((name) => join(stage.home, "workspaces", name));
    mkdirSync(String(other));
    writeFileSync(join(String(other), "notes"), stage.secret);
    await using host = attackedHost(stage, `mv ${own} ${own}.away && mv ${other} ${own}`);
    const spec = stage.spec(["/bin/sh", "-c", "cat notes; echo ran"], { cwd: String(own), readBack: [String(own)] });
    expect(await run(host, spec)).toMatchObject({ code: "sandbox_failed" });
  });

  proves("WL-25", "a working directory that became a link elsewhere: nothing starts", async () => {
    await using stage = rehearse({ bwrapPath });
    const outside = join(stage.directory, "outside");
    mkdirSync(outside);
    await using host = attackedHost(
      stage,
      `mv ${stage.workspace} ${stage.workspace}.away && ln -s ${outside} ${stage.workspace}`,
    );
    const { code } = await run(host, stage.spec(["/usr/bin/touch", "raced"]));
    expect(existsSync(join(outside, "raced"))).toBe(false);
    expect(code).toBe("sandbox_failed");
  });

  proves("WL-25", "a home that was moved away and an empty one put in its place: nothing starts", async () => {
    await using stage = rehearse({ bwrapPath });
    await using host = attackedHost(stage, `mv ${stage.home} ${stage.home}.away && mkdir ${stage.home}`);
    const { printed, code } = await run(host, stage.spec(["/bin/cat", `${stage.home}.away/token`]));
    expect(printed).not.toContain(stage.secret);
    expect(code).toBe("sandbox_failed");
  });

  proves(
    "WL-25",
    "a working directory that is only renamed: nothing starts, and the next start by its new name works",
    async () => {
      await using stage = rehearse({ bwrapPath });
      const moved = `${stage.workspace}.moved`;
      await using host = attackedHost(stage, `[ -e ${moved} ] || mv ${stage.workspace} ${moved}`);
      expect(await run(host, stage.spec(["/bin/pwd"]))).toMatchObject({ code: "sandbox_failed" });
      expect(await run(host, stage.spec(["/bin/pwd"], { cwd: moved }))).toEqual({
        printed: `${moved}\n`,
        code: undefined,
      });
    },
  );
});
