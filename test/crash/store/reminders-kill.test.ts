import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { openSqliteStore } from "../../../src/store/index.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { MODULE } from "../../definitions/aggregates.ts";
import { breachesIn } from "../../definitions/check-reminders.ts";
import { testSchema } from "../../support/postgres.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { everyEvent, makeTestHome } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";

const SCRIPT = fileURLToPath(new URL("../../definitions/reminding-process.ts", import.meta.url));
const ROUNDS = sampled(200, 6);

describe.each(["sqlite", "postgres"] as const)("alarms, lanes and followers of a killed process, on %s", (kind) => {
  proves(
    "ALARM-4",
    "killed at sampled appends and moments: each due time rang once, each item started once, no event is missed",
    async () => {
      await using home = await makeTestHome();
      await using schema = kind === "postgres" ? await testSchema() : null;
      const address = schema?.url ?? "sqlite";
      for (let round = 0; round < ROUNDS; round += 1) {
        if (round % 3 === 0) await runAndKill([home.path, address, "timed"], 50 + ((round * 61) % 300));
        else
          await runToDeath([home.path, address, round % 3 === 1 ? "before" : "after", String(3 + ((round * 17) % 60))]);
      }
      const last = spawn(process.execPath, [SCRIPT, home.path, address, "end"], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      expect(await once(last, "close")).toEqual([0, null]);

      const options = { onFatal: throwOnFatal, definitions: MODULE };
      const store =
        schema === null
          ? await openSqliteStore({ home: home.path, ...options })
          : await openPostgresStore({ url: schema.url, ...options });
      const events = await everyEvent(store);
      expect(breachesIn(events)).toEqual([]);
      const done = events.filter(({ type }) => type === "reminder.done@1").map(({ stream }) => stream);
      const set = events.filter(({ type }) => type === "reminder.set@1");
      expect(done).toHaveLength(set.length);
      expect(set.length).toBeGreaterThan(ROUNDS);
      const taken = new Set((await readFile(join(home.path, "taken"), "utf8")).trimEnd().split("\n"));
      expect(done.filter((stream) => !taken.has(stream))).toEqual([]);
      expect(await store.verify()).toMatchObject({ ok: true });
      expect((await store.rebuild(null)).differences).toEqual([]);
      await store.close();
    },
    3_600_000,
  );
});

/** It kills itself. */
async function runToDeath(given: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [SCRIPT, ...given], { stdio: ["ignore", "ignore", "inherit"] });
  expect(await once(child, "close")).toEqual([null, "SIGKILL"]);
}

async function runAndKill(given: readonly string[], afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [SCRIPT, ...given], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  await Promise.race([once(child.stdout, "data"), ended]);
  child.stdout.resume();
  await sleep(afterMs);
  child.kill("SIGKILL");
  await ended;
}
