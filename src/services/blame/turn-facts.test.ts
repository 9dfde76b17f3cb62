import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { appendTo, newId, note, opened } from "../../../test/support/store-home.ts";
import { openSqliteTestStore } from "../../../test/support/store-sqlite.ts";
import { fact, sessionStream } from "../../kernel/index.ts";
import { hasEnded, turnFacts } from "./turn-facts.ts";

/** More than the store looks through for one page. */
const NOTES = 6000;

proves("BLAME-1", "turns of a long session are found, wherever in it they ran", async () => {
  await using at = await openSqliteTestStore();
  const { store } = at;
  const sessionId = newId();
  const stream = sessionStream(sessionId);
  const notes = Array.from({ length: NOTES }, (_, n) => note(n));
  const start = (turnId: string) => fact("turn.started@1", { turnId });
  const end = (turnId: string) => fact("turn.ended@1", { turnId, outcome: "completed", error: null });
  const asked = { approvalId: "a", option: null, reason: null };
  const first = await appendTo(store, stream, [
    opened(),
    start("one"),
    fact("approval.answered@1", { ...asked, turnId: "one", status: "approved" }),
    ...notes,
    end("one"),
  ]);
  await appendTo(store, stream, notes);
  const second = await appendTo(store, stream, [start("two"), ...notes]);
  expect(await hasEnded(store, { sessionId, turnId: "one" })).toBe(true);
  expect(await hasEnded(store, { sessionId, turnId: "two" })).toBe(false);
  const turns = ["two", "one"].map((turnId) => ({ sessionId, turnId }));
  expect(await turnFacts(store, turns)).toEqual([
    { sessionId, turnId: "two", eventId: second[0]?.id, agent: "demo", model: null, approver: null },
    { sessionId, turnId: "one", eventId: first.at(-1)?.id, agent: "demo", model: null, approver: "operator" },
  ]);
});
