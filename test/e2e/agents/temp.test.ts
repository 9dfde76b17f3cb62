import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { startDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { startWithAgents } from "../support/fake-agents.ts";
import { eventually, expectOk, linesOf, PATIENCE, start, turn } from "../support/talk.ts";

vi.setConfig(PATIENCE);

proves("AG-25", "an agent has its own temp directory, removed with its process or by the next daemon", async () => {
  await using daemon = await startWithAgents({ fake: [] });
  const temps = join(daemon.home, "tmp");
  const begun = async () => {
    const session = await start(daemon, { adapter: "fake" });
    await turn(daemon, session.id, "env TMPDIR");
    const said = (await linesOf(daemon, session.id)).find((line) => line.startsWith("env TMPDIR="));
    return { id: session.id, temp: said?.slice("env TMPDIR=".length) ?? "" };
  };
  const [one, other] = [await begun(), await begun()];
  expect(one.temp).not.toBe(other.temp);
  expect([one, other].map(({ temp }) => join(temp, ".."))).toEqual([temps, temps]);
  expectOk(await daemon.call("POST", `/sessions/${one.id}/kill`));
  await eventually("its directory to be gone", async () => !existsSync(one.temp));
  expect(existsSync(other.temp)).toBe(true);
  await daemon.kill9();
  await using _next = await startDaemon({ home: daemon.home });
  expect(existsSync(temps) ? await readdir(temps) : []).toEqual([]);
});
