import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Committer, createCommitter, UNBOUNDED } from "../src/commit/index.ts";
import { systemClock } from "../src/host/index.ts";
import { idIn, Session } from "../src/kernel/index.ts";
import type { Redactor } from "../src/redaction/index.ts";
import { newRedactor } from "../test/support/redactor.ts";
import { createAppendLoad } from "./append-load.ts";
import { type Bench, type Figure, interleave, median } from "./harness.ts";
import { createEventMaker } from "./session-facts.ts";
import { openStore } from "./store-home.ts";

const VALUES = 500;
const WRITERS = 64;
const CHANGES = 6400;

/** What the redactor costs a change, with many values in the vault: the same changes with one that looks at nothing. */
export async function redactedAppends({ scratch, quick }: Bench): Promise<Figure> {
  const store = await openStore(join(scratch, "append-redacted"));
  const maker = createEventMaker(3);
  const knowing = newRedactor();
  knowing.learn(Array.from({ length: VALUES }, () => ({ value: randomBytes(24).toString("base64") })));
  const committerWith = (redactor: Redactor): Committer =>
    createCommitter({ store, clock: systemClock(), newId: maker.newId, fence: 0, bounds: UNBOUNDED, redactor });
  const blind: Redactor = { ...knowing, text: (text) => text, data: (data) => data, bytes: (bytes) => bytes };
  try {
    const streams = await createAppendLoad(store).openStreams(WRITERS);
    const ids = streams.map(({ stream }) => idIn(Session, stream) ?? "");
    const rateOf = (committer: Committer) => async (): Promise<number> => {
      const many = quick ? CHANGES / 4 : CHANGES;
      const startMs = performance.now();
      const write = async (id: string): Promise<void> => {
        for (let done = 0; done < many / WRITERS; done += 1)
          await committer.change(Session, id, () => [maker.custom().fact], { actor: "bench" });
      };
      await Promise.all(ids.map(write));
      return (many / (performance.now() - startMs)) * 1000;
    };
    const samples = await interleave(quick ? 3 : 9, {
      redacted: rateOf(committerWith(knowing)),
      plain: rateOf(committerWith(blind)),
    });
    return {
      name: "append.redacted",
      what: `changes of ${WRITERS} sessions, searched for ${VALUES} values and all shapes`,
      unit: "events/s",
      value: median(samples.redacted),
      baseline: { what: "the same, not searched", value: median(samples.plain) },
      aim: { ratioAtLeast: 0.95 },
      details: { changesPerRound: quick ? CHANGES / 4 : CHANGES },
    };
  } finally {
    await store.close();
  }
}
