import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { CHOSEN_STORE } from "../../support/chosen-store.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { drain, expectPromptable, judge } from "../../support/storm-check.ts";
import { playClient, type StormScene } from "../../support/storm-client.ts";
import { expectNothingLeft, type StormDaemon, startStormDaemon } from "../../support/storm-daemon.ts";
import { breakDisk } from "../../support/storm-disk.ts";
import { openLedger } from "../../support/storm-ledger.ts";
import { seededRandom } from "../../support/storm-random.ts";

const faulty = proves.skipIf(!needs("strace") || CHOSEN_STORE !== "sqlite");
const CLIENTS = 4;
const END_MAX_MS = 40_000;
const UNAVAILABLE = 6;

const newPlace = async (): Promise<{ readonly home: string; readonly folder: string; readonly root: string }> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "nomos-disk-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, "work");
  await mkdir(folder);
  return { home: join(root, "home"), folder, root };
};
const start = async (home: string): Promise<StormDaemon> => {
  const daemon = await startStormDaemon(home);
  onTestFinished(() => void daemon.child.kill("SIGKILL"));
  return daemon;
};

for (const call of ["fsync", "pwrite64"])
  faulty(
    "C3",
    `a failed ${call} of the log ends the daemon with code ${UNAVAILABLE}; nothing that it told anybody is lost`,
    async () => {
      const { home, folder, root } = await newPlace();
      const random = seededRandom(call.length);
      const ledger = openLedger(join(root, "ledger.jsonl"));
      onTestFinished(() => ledger.close());
      const shared = { ledger, random, folder, sessions: [], events: new Map<string, string[]>(), lost: [] };
      for (const nth of sampled([1, 2, 7, 40], [2, 25])) {
        const daemon = await start(home);
        let isOver = false;
        const scene: StormScene = { ...shared, daemon, isOver: () => isOver };
        const playing = Promise.all(Array.from({ length: CLIENTS }, () => playClient(scene)));
        await sleep(200);
        const disk = await breakDisk(daemon, `${call}:error=EIO:when=${nth}`);
        const ended = await Promise.race([daemon.exited, sleep(END_MAX_MS, null)]);
        isOver = true;
        await playing;
        await disk.mend().catch(() => undefined);
        expect({ nth, exitCode: ended?.exitCode, said: daemon.printed() }).toMatchObject({
          nth,
          exitCode: UNAVAILABLE,
        });
        expect(daemon.printed()).toContain("the log can no longer be written");
        await expectNothingLeft(home);
        const again = await start(home);
        const alive = await drain(again);
        await judge(again, ledger.facts(), folder, 0);
        await expectPromptable(again, alive);
        expect((await again.term()).exitCode).toBe(0);
      }
    },
    400_000,
  );

faulty(
  "C4",
  "a full disk refuses by name, loses nothing, and the daemon goes on when there is room again",
  async () => {
    const { home, folder } = await newPlace();
    const daemon = await start(home);
    const open = async (): Promise<string> =>
      (await daemon.call<{ id: string }>("POST", "/sessions/agent", { adapter: "demo", cwd: folder })).body.id;
    const prompt = (id: string, text: string) =>
      daemon.call<{ turnId: string; error?: { code: string } }>("POST", `/sessions/${id}/prompt`, {
        prompt: text,
        queue: true,
      });
    const [busy, idle] = [await open(), await open()];
    const turns = [
      (await prompt(busy, "run touch begun; sleep 1; echo one >> did.txt; seq 1 100")).body.turnId,
      (await prompt(busy, "run echo two >> did.txt")).body.turnId,
      (await prompt(busy, "run echo three >> did.txt")).body.turnId,
    ];
    while (!existsSync(join(folder, "begun"))) await sleep(5);
    const disk = await breakDisk(daemon, "pwrite64:error=ENOSPC");
    const untilMs = Date.now() + sampled(3000, 1500);
    const refusals = [];
    while (Date.now() < untilMs) {
      const answers = await Promise.all([
        prompt(idle, "say no"),
        daemon.call<{ error?: { code: string } }>("POST", "/sessions/agent", { adapter: "demo", cwd: folder }),
        daemon.call<{ error?: { code: string } }>("POST", `/sessions/${idle}/label`, { label: String(Date.now()) }),
      ]);
      refusals.push(...answers.map(({ status, body }) => `${status} ${body.error?.code}`));
      expect((await daemon.call("GET", `/sessions/${busy}`)).status).toBe(200);
      expect((await daemon.call("GET", "/health")).status).toBe(200);
      await sleep(50);
    }
    expect(new Set(refusals)).toEqual(new Set(["507 disk_full"]));
    await disk.mend();

    for (const turnId of turns) {
      const { body } = await daemon.call<{ turn: { outcome: string } }>(
        "GET",
        `/sessions/${busy}/wait?turnId=${turnId}&timeoutMs=20000`,
      );
      expect(body.turn?.outcome).toBeOneOf(["completed", "failed"]);
    }
    const did = (await readFile(join(folder, "did.txt"), "utf8")).trim().split("\n");
    expect(did).toEqual(["one", "two", "three"]);
    const alive = await drain(daemon);
    expect(alive.map(({ id }) => id).sort()).toEqual([busy, idle].sort());
    await judge(daemon, [], folder, 0);
    await expectPromptable(daemon, alive);
    expect(daemon.child.exitCode).toBeNull();
    expect((await daemon.term()).exitCode).toBe(0);
  },
  240_000,
);
