import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { watchAwake } from "./idle-sessions.ts";

proves("NB-9", "idle time is measured by elapsed time, not by the wall clock", () => {
  let [wallMs, passedMs] = [1_000_000, 0];
  const clock = {
    nowMs: () => wallMs,
    steadyMs: () => passedMs,
    iso: String,
    sleep: () => Promise.resolve(),
    after: () => () => undefined,
  };
  const heard: ((events: readonly RecordedEvent[]) => void)[] = [];
  const store: Pick<Store, "onAppend"> = {
    onAppend: (listener) => {
      heard.push(listener);
      return () => undefined;
    },
  };
  const awake = watchAwake(store, clock);
  const event: Pick<RecordedEvent, "stream" | "type"> = { stream: "session/one", type: "turn.ended@1" };
  for (const hear of heard) hear([event as RecordedEvent]);
  wallMs += 365 * 24 * 3_600_000;
  expect(awake.idleLongerThan(60_000)).toEqual([]);
  wallMs = 0;
  passedMs = 60_001;
  expect(awake.idleLongerThan(60_000)).toEqual(["one"]);
});
