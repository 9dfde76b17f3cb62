import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { openSqliteStore } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { makeTestHome } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";

const SCRIPT = fileURLToPath(new URL("./following-writer.ts", import.meta.url));
const ROUNDS = sampled(200, 6);

describe("a follower whose process is killed", () => {
  proves(
    "FOL-1",
    "killed between a page and its cursor, or anywhere else: every event is taken in order, at most one page twice",
    async () => {
      await using home = await makeTestHome();
      for (let round = 0; round < ROUNDS; round += 1)
        if (round % 2 === 0) await runAndKill(home.path, 20 + ((round * 61) % 180));
        else await runToPage(home.path, 1 + (round % 4));
      const lives = (await readFile(join(home.path, "taken"), "utf8"))
        .split("life\n")
        .slice(1)
        .map((life) =>
          life
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => line.split(" ").map(Number)),
        );
      expect(lives).toHaveLength(ROUNDS);
      let reached = 0;
      let lastPage = 0;
      let takenAgain = 0;
      for (const pages of lives) {
        const seqs = pages.flat();
        expect(seqs).toEqual(seqs.map((_, n) => (seqs[0] ?? 0) + n));
        const first = seqs[0] ?? reached + 1;
        expect(first).toBeLessThanOrEqual(reached + 1);
        expect(first).toBeGreaterThanOrEqual(reached + 1 - lastPage);
        if (first <= reached) takenAgain += 1;
        reached = Math.max(reached, seqs.at(-1) ?? 0);
        lastPage = pages.at(-1)?.length ?? lastPage;
      }
      const store = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
      expect(reached).toBeGreaterThan(ROUNDS * 10);
      expect(reached).toBeLessThanOrEqual(await store.lastSeq());
      expect((await store.cursor("notes"))?.seq).toBeLessThanOrEqual(reached);
      expect(await store.verify()).toMatchObject({ ok: true });
      await store.close();
      expect(takenAgain).toBeGreaterThanOrEqual(Math.floor((ROUNDS - 1) / 2));
    },
    3_600_000,
  );
});

/** It kills itself after the page of this number and before its cursor is written. */
async function runToPage(home: string, page: number): Promise<void> {
  const child = spawn(process.execPath, [SCRIPT, home, String(page)], { stdio: ["ignore", "ignore", "inherit"] });
  expect(await once(child, "close")).toEqual([null, "SIGKILL"]);
}

async function runAndKill(home: string, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [SCRIPT, home], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  await Promise.race([once(child.stdout, "data"), ended]);
  child.stdout.resume();
  await sleep(afterMs);
  child.kill("SIGKILL");
  await ended;
}
