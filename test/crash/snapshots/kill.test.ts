import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { openSnapshotStore } from "../../../src/host/snapshots/snapshot-store.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import { finish, treeAt } from "../../support/rewinds.ts";
import { sampled } from "../../support/sampled.ts";
import { chanceOf, readWorld } from "../../support/world.ts";

const KILLS = sampled(60, 4);

proves.skipIf(!needs("bwrap"))(
  "SN-5",
  "killed at any moment of snapshot, restore, merge and sweep: every answered id is complete, and a cut restore ends as the old or the new tree",
  async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-kill-snapshots-")));
    const tree = treeAt(join(folder, "tree"));
    mkdirSync(tree.root);
    const said = join(folder, "said");
    writeFileSync(said, "");
    const chance = chanceOf(71);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = spawn(process.execPath, [CHILD, folder, String(kill), "bwrap"], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await killAfter(child, 150 + chance() * 700, said);
      const lines = readFileSync(said, "utf8").trimEnd().split("\n");
      const store = openSnapshotStore(join(folder, "store"));
      const last = lines.findLast((line) => !line.startsWith("taken")) ?? "";
      const [what, from, to] = last.split(" ");
      if (what === "restoring" && from !== undefined && to !== undefined) {
        // After a cut restore either tree can be recovered: the old one or the new one.
        const chosen = kill % 2 === 0 ? from : to;
        await finish(store.restore(tree, chosen, "bwrap"));
        expect((await finish(store.take(tree))).id).toBe(chosen);
        appendFileSync(said, `restored ${chosen}\n`);
      }
      expect(readWorld(tree.root).join("\n")).not.toContain(".nomos-restore");
      const ids = lines.flatMap((line) => (line.startsWith("taken ") ? [line.slice("taken ".length)] : []));
      expect(await finish(store.check(ids))).toMatchObject({ broken: [], gone: 0, missing: 0 });
      store.close();
    }
    await rm(folder, { recursive: true, force: true });
  },
);

const CHILD = join(import.meta.dirname, "../../support/snapshot-child.ts");

/** Killed only after its first line; a half-written line does not count. */
async function killAfter(child: ChildProcess, afterMs: number, said: string): Promise<void> {
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  if (child.stdout !== null) await once(child.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  await once(child, "close");
  appendFileSync(said, text.slice(0, text.lastIndexOf("\n") + 1));
}
