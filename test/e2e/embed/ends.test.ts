import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { proves } from "../../support/proves.ts";
import { newPlace, type Place } from "./program.ts";

/** Begins a turn that takes long and reports when its first command runs. What ends it is the last line. */
const BEGINS = (ending: string) => `
import { existsSync } from "node:fs";
import { createNomos } from "nomos";
const nomos = await createNomos({ home: "./.my-agent", model: "demo/script" });
const session = await nomos.session();
console.log("session " + session.id);
for await (const event of session.prompt("write a.txt one\\nrun echo pid $$; exec sleep 600\\nsay after the crash")) {
  if (event.kind === "output") console.log("printed " + event.text.trim());
  if (event.kind === "output" && event.text.includes("pid")) ${ending};
}
`;

/** Once its processes were counted. */
const EXITS = 'setInterval(() => existsSync("now") && process.exit(3), 20)';

/** The next program on the home. It prompts nothing: the turn goes on from the log. */
const GOES_ON = `
import { createNomos } from "nomos";
await using nomos = await createNomos({ home: "./.my-agent", model: "demo/script" });
const session = await nomos.session({ id: process.env.SESSION });
for await (const event of session.follow()) {
  if (event.kind === "tool-end") console.log(event.outcome + " " + event.title);
  if (event.kind === "text") console.log(event.text);
  if (event.kind === "end") console.log(event.outcome);
}
const { turns } = await nomos.client.session.turns({ id: session.id });
console.log(JSON.stringify(turns.map(({ outcome }) => outcome)));
`;

describe("a program that ends in the middle of a turn loses nothing", () => {
  proves("EMB-1", "kill -9: the next start goes on with the turn, and no process stays", async () => {
    const place = await newPlace();
    const { sessionId, pids } = await begun(place, "undefined", async (kill) => kill());
    await gone(pids);
    await goesOn(place, sessionId);
  });

  proves("EMB-1", "process.exit: the same", async () => {
    const place = await newPlace();
    const { sessionId, pids } = await begun(place, EXITS, () => place.write("now", ""));
    await gone(pids);
    await goesOn(place, sessionId);
  });

  proves(
    "EMB-1",
    "close in mid-turn: the loop ends with `embedding_closed`, and the turn goes on at the next start",
    async () => {
      const place = await newPlace();
      await place.write(
        "closes.ts",
        `${BEGINS("void nomos.close()").replace("for await", "try { for await")}
} catch (thrown) { console.log("caught " + thrown.code); }
try { await nomos.session(); } catch (thrown) { console.log("then " + thrown.code); }
`,
      );
      const { exitCode, stdout, stderr } = await place.run("closes.ts");
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toMatch(/caught embedding_closed\nthen embedding_closed\n$/);
      const [, sessionId = ""] = /^session (\S+)$/m.exec(stdout) ?? [];
      await goesOn(place, sessionId);
    },
  );
});

/** Runs the program until its command runs; `end` gets a function that kills it. */
async function begun(
  place: Place,
  ending: string,
  end: (kill: () => void) => Promise<void>,
): Promise<{ readonly sessionId: string; readonly pids: readonly number[] }> {
  await place.write("begins.ts", BEGINS(ending));
  const child = place.start("begins.ts");
  let sessionId = "";
  let pids: readonly number[] = [];
  if (child.stdout === null) throw new Error("no output");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("session ")) sessionId = line.slice("session ".length);
    if (!line.includes("pid")) continue;
    pids = await processesUnder(place.home);
    await end(() => child.kill("SIGKILL"));
  }
  expect(sessionId).not.toBe("");
  expect(pids.length).toBeGreaterThan(1);
  return { sessionId, pids };
}

/** Processes that carry the home's name: engine, commands, sandboxes. */
async function processesUnder(home: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const environment = await readFile(join("/proc", name, "environ"), "utf8").catch(() => "");
    const command = await readFile(join("/proc", name, "cmdline"), "utf8").catch(() => "");
    if (Number(name) !== process.pid && (environment.includes(home) || command.includes(home)))
      found.push(Number(name));
  }
  return found;
}

async function gone(pids: readonly number[]): Promise<void> {
  const isThere = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };
  for (let tries = 0; tries < 200 && pids.some(isThere); tries += 1) await sleep(50);
  expect(pids.filter(isThere)).toEqual([]);
}

async function goesOn(place: Place, sessionId: string): Promise<void> {
  await place.write("goes-on.ts", GOES_ON);
  const { exitCode, stdout, stderr } = await place.run("goes-on.ts", { SESSION: sessionId });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain("after the crash");
  expect(stdout).toMatch(/completed\n\["completed"\]\n$/);
  expect(await readFile(join(place.folder, "a.txt"), "utf8")).toBe("one");
}
