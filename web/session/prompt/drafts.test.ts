import { expect, test } from "vitest";
import { keep } from "../../frame/index.ts";
import { readDraft, writeDraft } from "./drafts.ts";

test("a draft is kept for its session with the key of its send, and gone when it is empty", () => {
  const sent = { key: "k1", content: "5 99" };
  writeDraft("one", { text: "hello", sent });
  expect(readDraft("one")).toEqual({ text: "hello", sent });
  expect(readDraft("two")).toEqual({ text: "", sent: null });
  writeDraft("one", { text: "", sent: null });
  expect(readDraft("one")).toEqual({ text: "", sent: null });
});

test("a damaged draft is none", () => {
  for (const text of ["{", "3", "null", '{"text":3,"sent":null}', '{"text":"a","sent":{"key":1}}']) {
    keep("draft.bad", text);
    expect(readDraft("bad")).toEqual({ text: "", sent: null });
  }
});
