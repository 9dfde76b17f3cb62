import { expect } from "vitest";
import { uuidv7Maker } from "../../src/domains/index.ts";
import { sessionStream, streamOf } from "../../src/kernel/index.ts";
import { proves } from "../support/proves.ts";
import { createChance } from "./chance.ts";
import { createDisk, type Disk } from "./disk.ts";
import { bootDaemon } from "./sim-daemon.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const BY = { actor: "operator" };

proves("E9", "a small prompt is admitted with one fold and one append, and no other read of the session", async () => {
  const clock = createVirtualClock();
  const looks: string[] = [];
  const random = () => new Uint8Array(10);
  const world = {
    disk: watched(createDisk(), looks),
    clock,
    chance: createChance(7),
    newId: uuidv7Maker({ nowMs: clock.nowMs, random }),
    outside: [],
    faults: { diskFull: 0, dieBefore: 0, dieAfter: 0, slowMs: 1, checkFence: true },
  };
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    const done = work.finally(() => {
      isOver = true;
    });
    while (!isOver) await clock.step();
    return done;
  };
  const { supervisor } = await inTime(bootDaemon(world, () => undefined));
  const [opened] = await inTime(supervisor.open({ adapter: "demo" }, BY));
  const id = opened?.stream.slice(sessionStream("").length) ?? "";
  // The work after opening a session has ended before the prompt comes.
  await inTime(clock.sleep(1000));
  looks.length = 0;
  const asked = { prompt: "hello", queue: false, interrupt: false };
  const admitted = await inTime(supervisor.prompt(id, asked, BY));
  expect(admitted.map(({ type }) => type)).toContain("turn.admitted@1");
  expect(looks.slice(0, looks.indexOf("append") + 1)).toEqual([`fold ${sessionStream(id)}`, "append"]);
});

/** Reports each fold, row read and append. */
function watched(disk: Disk, looks: string[]): Disk {
  return {
    ...disk,
    fold: (of, id, atVersion) => {
      looks.push(`fold ${streamOf(of, id)}`);
      return disk.fold(of, id, atVersion);
    },
    foldStream: (stream, atVersion) => {
      looks.push(`fold ${stream}`);
      return disk.foldStream(stream, atVersion);
    },
    row: (model, id) => {
      looks.push(`row ${model}/${id}`);
      return disk.row(model, id);
    },
    write: (parts, options, checkFence) => {
      looks.push("append");
      return disk.write(parts, options, checkFence);
    },
  };
}
