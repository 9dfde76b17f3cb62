import { expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { findBubblewrap } from "../find-bubblewrap.ts";
import { readAll, rehearse } from "./rehearsal.ts";
import { limitScript, limitsHeld } from "./resource-limits.ts";

/** How it dies of hunger is its own business; that it does not get what it wants is ours. */
const HUNGRY =
  "console.log('up'); const kept = []; for (let n = 0; n < 40; n += 1) kept.push(Buffer.alloc(50e6, 1)); console.log('fed')";
const limits = { memoryMb: 1000, openFilesMax: 123 };
const sandbox = await findBubblewrap(process.env["PATH"] ?? "");

for (const bwrapPath of "path" in sandbox ? [sandbox.path, null] : [null])
  proves.skipIf(!limitsHeld() || (bwrapPath !== null && !needs("bwrap")))(
    "AG-23",
    `a process ${bwrapPath === null ? "without" : "with"} a sandbox is held to memory and files, and writes no core file`,
    async () => {
      await using stage = rehearse({ bwrapPath });
      const asked = await readAll(stage.shell("ulimit -c; ulimit -n; ulimit -d", { limits }));
      expect(asked.stdout.trim().split("\n")).toEqual(["0", "123", String(1000 * 1024)]);
      const { stdout } = await readAll(stage.host.spawn(stage.spec([process.execPath, "-e", HUNGRY], { limits })));
      expect(stdout).toBe("up\n");
    },
  );

test("a system that holds no limits is known as one", () => {
  expect([limitsHeld("linux"), limitsHeld("darwin")]).toEqual([true, false]);
  expect(limitScript({ memoryMb: null, openFilesMax: null })).toBe("ulimit -c 0 2>/dev/null; ");
});
