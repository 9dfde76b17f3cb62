import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { newHome, startDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { processesWith } from "./support/processes.ts";
import { eventually, expectOk, expectSound, newFolder, PATIENCE, prompt, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

/** Each process forks two; 254 at most, so that it is harmless without a limit. */
const BOMB = (mark: string) =>
  `b() { if [ $1 -gt 0 ]; then b $(($1-1)) & b $(($1-1)) & fi; exec -a ${mark} sleep 600; }; b 7`;
/** Ends and restarts faster than it can be found. */
const SPINNERS = (mark: string) =>
  `i=0; while [ $i -lt 24 ]; do (while :; do (exec -a ${mark} true); done) & i=$((i+1)); done; exec -a ${mark} sleep 600`;

proves.skipIf(!needs("bwrap"))(
  "NB-8",
  "fork bombs with and without walls: a kill ends one session's processes, others work on, and SIGTERM ends the daemon in time",
  async () => {
    const home = await newHome();
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, "config.json"), JSON.stringify({ sandbox: { pidsMax: 64 } }));
    const daemon = await startDaemon({ home });
    const { id: other } = await start(daemon);
    for (const [sandbox, script] of [
      ["off", BOMB],
      ["off", SPINNERS],
      ["strict", BOMB],
    ] as const) {
      const cwd = await newFolder();
      const mark = `bomb-${sandbox}-${script.name}-${process.pid}`;
      await writeFile(join(cwd, "bomb.sh"), script(mark));
      const { id } = await start(daemon, { cwd, sandbox });
      await prompt(daemon, id, "run bash bomb.sh");
      await eventually("the bomb", async () => (await processesWith(mark)).length > 4);
      expect(await turn(daemon, other, "say still here\nrun echo hi")).toMatchObject({ outcome: "completed" });
      expectOk(await daemon.call("POST", `/sessions/${id}/kill`));
      expect(await processesWith(mark)).toEqual([]);
    }
    await expectSound(daemon);
    const { id, cwd } = await start(daemon);
    await writeFile(join(cwd, "bomb.sh"), BOMB("bomb-last"));
    await prompt(daemon, id, "run bash bomb.sh");
    await eventually("the last bomb", async () => (await processesWith("bomb-last")).length > 4);
    expect(await daemon.stop()).toBe(0);
    expect(await processesWith("bomb-last")).toEqual([]);
  },
);
