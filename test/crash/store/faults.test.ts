import { beforeAll, describe, expect } from "vitest";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import {
  countCalls,
  forEachFault,
  proveIntact,
  runWithFault,
  type Syscall,
  spread,
} from "../../support/store-faults.ts";
import { makeTestHome } from "../../support/store-home.ts";

const isMissing = !needs("strace");
const provesHere = proves.skipIf(isMissing);

describe("a disk that fails below Node", () => {
  let calls: ReadonlyMap<Syscall, number> = new Map();
  const count = (call: Syscall): number => calls.get(call) ?? 0;
  beforeAll(async () => {
    if (!isMissing) calls = await countCalls();
  });

  provesHere(
    "LOG-13",
    "a flush that fails, whichever it is, ends the process: nothing is acknowledged after it, nothing before it is lost",
    async () => {
      expect(count("fsync")).toBeGreaterThan(25);
      await forEachFault(spread(count("fsync"), 14), async (n) => {
        await using home = await makeTestHome();
        const outcome = await runWithFault(home.path, `fsync:error=EIO:when=${n}`);
        expect(outcome.lines.at(-1)).toMatch(/^(fatal|not-opened) store_failed$/);
        expect(outcome.exitCode).toBeGreaterThanOrEqual(70);
        await proveIntact(outcome);
      });
    },
  );

  provesHere("LOG-13", "so does a write that fails", async () => {
    await forEachFault(spread(count("pwrite64"), 8), async (n) => {
      await using home = await makeTestHome();
      const outcome = await runWithFault(home.path, `pwrite64:error=EIO:when=${n}`);
      expect(outcome.lines.at(-1)).toMatch(/^(fatal|not-opened) store_failed$/);
      await proveIntact(outcome);
    });
  });

  provesHere(
    "LOG-14",
    "a full disk is refused as one; when there is room again everything goes on, and nothing is lost",
    async () => {
      await forEachFault(spread(count("pwrite64"), 10), async (n) => {
        await using home = await makeTestHome();
        const outcome = await runWithFault(home.path, `pwrite64:error=ENOSPC:when=${n}..${n + 6}`);
        expect(outcome.lines.at(-1)).toMatch(/^(done|not-opened disk_full)$/);
        expect(outcome.lines.filter((line) => line.startsWith("refused ") && line !== "refused disk_full")).toEqual([]);
        await proveIntact(outcome);
      });
    },
  );

  provesHere("LOG-14", "a disk that stays full leaves the log as it was, and the store answering", async () => {
    await forEachFault(spread(count("pwrite64"), 4), async (n) => {
      await using home = await makeTestHome();
      const outcome = await runWithFault(home.path, `pwrite64:error=ENOSPC:when=${n}+`);
      expect(outcome.lines.at(-1)).toMatch(/^(done|not-opened disk_full)$/);
      await proveIntact(outcome);
    });
  });

  provesHere(
    "LOG-12",
    "a process that is killed at any write or flush has lost nothing that it acknowledged",
    async () => {
      for (const call of ["pwrite64", "fsync", "ftruncate"] as const)
        await forEachFault(spread(count(call), call === "ftruncate" ? 2 : 8), async (n) => {
          await using home = await makeTestHome();
          const outcome = await runWithFault(home.path, `${call}:signal=KILL:when=${n}`);
          expect(outcome.lines).not.toContain("done");
          await proveIntact(outcome);
        });
    },
  );
});
