import { expect, vi } from "vitest";
import { newHome, startDaemon } from "../support/daemon.ts";
import {
  answerAll,
  beginStory,
  expectFinished,
  expectLedgerHolds,
  killAtEvent,
  letGo,
  pendingQuestions,
  settledEffects,
} from "../support/parallel-story.ts";
import { proves } from "../support/proves.ts";
import { sampled } from "../support/sampled.ts";
import { ended, eventsOf, eventually, expectOk, expectSound, PATIENCE } from "./support/talk.ts";

vi.setConfig(PATIENCE);

proves(
  "TU-2",
  "three parallel effects, two questions and a process run side by side; all output can be read",
  async () => {
    const daemon = await startDaemon();
    const story = await beginStory(daemon);
    await eventually("both questions", async () => (await pendingQuestions(daemon, story)).length === 2);
    await eventually("three begun", async () => (await eventsOf(daemon, story.id, "types=effect.begun")).length === 3);
    await letGo(story);
    await settledEffects(daemon, story, 3);
    await answerAll(daemon, story);
    expect(await expectFinished(daemon, story)).toMatchObject({ resumed: [], checkpoint: null });
  },
);

proves(
  "TU-1",
  "kill -9 while both questions wait: both can be answered after the restart, and nothing runs twice",
  async () => {
    const home = await newHome();
    const before = await startDaemon({ home });
    const story = await beginStory(before);
    await letGo(story);
    await settledEffects(before, story, 3);
    await eventually("both questions", async () => (await pendingQuestions(before, story)).length === 2);
    const asked = await pendingQuestions(before, story);
    await before.kill9();

    const after = await startDaemon({ home });
    expect(await expectLedgerHolds(after, story)).toBe("open");
    expect(await pendingQuestions(after, story)).toEqual(asked);
    await answerAll(after, story);
    expect(await expectFinished(after, story)).toMatchObject({
      resumed: ["Deploy?", "May this session write: c.txt?"],
    });
    await expectSound(after);
  },
);

proves("TU-1", "an answer given before kill -9 counts after the restart; only the other question is left", async () => {
  const home = await newHome();
  const before = await startDaemon({ home });
  const story = await beginStory(before);
  await letGo(story);
  await settledEffects(before, story, 3);
  await eventually("both questions", async () => (await pendingQuestions(before, story)).length === 2);
  const deploy = (await pendingQuestions(before, story)).find(({ question }) => question === "Deploy?");
  expectOk(await before.call("POST", `/api/approvals/${deploy?.id}/approve`, { option: "yes" }));
  await before.kill9();

  const after = await startDaemon({ home });
  expect(await expectLedgerHolds(after, story)).toBe("open");
  expect(await pendingQuestions(after, story)).toMatchObject([{ action: { verb: "tool.write" } }]);
  await answerAll(after, story);
  expect(await expectFinished(after, story)).toMatchObject({ checkpoint: { at: "begin" } });
  await expectSound(after);
});

proves(
  "TU-1",
  "kill -9 while a process and a command run: both are unknown with their redo class, and the turn has ended",
  async () => {
    const home = await newHome();
    const before = await startDaemon({ home });
    const story = await beginStory(before);
    await eventually("three begun", async () => (await eventsOf(before, story.id, "types=effect.begun")).length === 3);
    await settledEffects(before, story, 1);
    await eventually("both questions", async () => (await pendingQuestions(before, story)).length === 2);
    await before.kill9();

    const after = await startDaemon({ home });
    expect(await expectLedgerHolds(after, story)).toBe("over");
    expect(await ended(after, story.id, story.turnId)).toMatchObject({ outcome: "interrupted" });
    const settled = await eventsOf(after, story.id, "types=effect.settled");
    const ends = settled.map(({ data }) => `${data["outcome"]} ${data["redo"]}`);
    expect(ends.toSorted()).toEqual(["done null", "refused null", "unknown ask", "unknown failed"]);
    await expectSound(after);
  },
);

/** `npm run soak -- turns` tests every event. */
const EVENTS_MAX = 36;
const KILLED_AT = sampled(
  Array.from({ length: EVENTS_MAX }, (_, at) => at + 1),
  [18],
);

for (const at of KILLED_AT)
  proves("TU-1", `kill -9 at event ${at} of the session: no effect runs twice, and open questions go on`, async () => {
    await killAtEvent(await newHome(), at);
  });
