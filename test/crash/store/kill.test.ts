import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { openSqliteStore } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { everyEvent, makeTestHome } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";

const SCRIPT = fileURLToPath(new URL("./many-writers.ts", import.meta.url));
const ROUNDS = sampled(300, 5);

describe("a process that is killed", () => {
  proves(
    "LOG-12",
    "twelve writers killed again and again at any moment: nothing acknowledged is lost, and no append is half there",
    async () => {
      await using home = await makeTestHome();
      const acknowledged = new Set<string>();
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const place of await runAndKill(home.path, 30 + ((round * 67) % 200))) acknowledged.add(place);
        const store = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
        const all = await everyEvent(store);
        expect(all.map(({ seq }) => seq)).toEqual(all.map((_, n) => n + 1));
        const there = new Set(all.map(({ seq, id }) => `${seq}:${id}`));
        expect([...acknowledged].filter((place) => !there.has(place))).toEqual([]);
        if (round % 5 === 4 || round === ROUNDS - 1) {
          expect((await store.verify()).problems).toEqual([]);
          expect((await store.rebuild(null)).differences).toEqual([]);
        }
        await store.close();
      }
      expect(acknowledged.size).toBeGreaterThan(ROUNDS * 10);
    },
    3_600_000,
  );
});

/** What was acknowledged before the kill, which comes this long after the first acknowledgement. */
async function runAndKill(home: string, afterMs: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [SCRIPT, home], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  let out = "";
  const first = new Promise<void>((seen) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      seen();
    });
  });
  await Promise.race([first, ended]);
  await sleep(afterMs);
  child.kill("SIGKILL");
  await ended;
  // The last line may be incomplete.
  const lines = out.slice(0, out.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line.startsWith("ack ")).flatMap((line) => line.split(" ").slice(1));
}
