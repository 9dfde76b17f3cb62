import { beforeAll, describe, expect } from "vitest";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import {
  countCalls,
  forEachFatalFault,
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
    "any flush that fails ends the process: nothing later is acknowledged, nothing earlier is lost",
    async () => {
      expect(count("fsync")).toBeGreaterThan(25);
      await forEachFatalFault(
        spread(count("fsync"), 6),
        (n) => `fsync:error=EIO:when=${n}`,
        ({ lines, exitCode }) => {
          expect(lines.at(-1)).toMatch(/^(fatal|not-opened) store_failed$/);
          expect(exitCode).toBeGreaterThanOrEqual(70);
        },
      );
    },
  );

  provesHere("LOG-13", "any write that fails ends the process, with the same result", async () => {
    await forEachFatalFault(
      spread(count("pwrite64"), 3),
      (n) => `pwrite64:error=EIO:when=${n}`,
      ({ lines }) => expect(lines.at(-1)).toMatch(/^(fatal|not-opened) store_failed$/),
    );
  });

  provesHere(
    "LOG-14",
    "a full disk is refused as such; with room again everything goes on, and nothing is lost",
    async () => {
      await forEachFault(spread(count("pwrite64"), 3), async (n) => {
        await using home = await makeTestHome();
        const outcome = await runWithFault(home.path, `pwrite64:error=ENOSPC:when=${n}..${n + 6}`);
        expect(outcome.lines.at(-1)).toMatch(/^(done|not-opened disk_full)$/);
        expect(outcome.lines.filter((line) => line.startsWith("refused ") && line !== "refused disk_full")).toEqual([]);
        await proveIntact(outcome);
      });
    },
  );

  provesHere("LOG-14", "a disk that stays full leaves the log unchanged and the store readable", async () => {
    await forEachFault(spread(count("pwrite64"), 2), async (n) => {
      await using home = await makeTestHome();
      const outcome = await runWithFault(home.path, `pwrite64:error=ENOSPC:when=${n}+`);
      expect(outcome.lines.at(-1)).toMatch(/^(done|not-opened disk_full)$/);
      await proveIntact(outcome);
    });
  });

  provesHere("LOG-12", "a process killed at any write or flush has lost nothing that it acknowledged", async () => {
    for (const call of ["pwrite64", "fsync", "ftruncate"] as const)
      await forEachFatalFault(
        spread(count(call), call === "ftruncate" ? 1 : 3),
        (n) => `${call}:signal=KILL:when=${n}`,
        ({ lines }) => expect(lines).not.toContain("done"),
      );
  });
});
