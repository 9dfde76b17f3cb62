import { expect, test } from "vitest";
import { fakeTerminal } from "../../../test/support/fake-terminal.ts";
import type { LogEvent, StreamItem } from "../../client/index.ts";
import { createTranscript } from "./transcript.ts";

function event(type: string, data: LogEvent["data"]): StreamItem {
  const at = "2026-01-01T00:00:00.000Z";
  const log = {
    seq: 1,
    id: "e",
    stream: "session/s",
    version: 1,
    type,
    at,
    actor: "a",
    cause: null,
    hash: "",
    prev: "",
  };
  return { event: "event", id: "e", data: { ...log, data } };
}

function line(text: string, stream: "stdout" | "stderr" = "stdout"): StreamItem {
  return { event: "line", data: { line: text, stream } };
}

function shown(verbose: boolean, ...items: readonly StreamItem[]): readonly string[] {
  const { terminal, lines } = fakeTerminal({ hasCursor: false, isScreen: false, columns: 80 });
  const transcript = createTranscript(terminal, { prompts: () => false, verbose });
  for (const item of items) transcript.show(item);
  transcript.close();
  return lines;
}

const CHATTER = [
  line("warn: beside the protocol", "stderr"),
  event("driver.noticed@1", { turnId: "t", severity: "info", title: "printed", body: null }),
  line("[notice] careful", "stderr"),
  event("driver.noticed@1", { turnId: "t", severity: "warning", title: "careful", body: null }),
  line("hello"),
];

test("in a pipe, what an agent prints beside its protocol is shown only on request; warnings always are", () => {
  expect(shown(false, ...CHATTER)).toEqual(["[notice] careful", "hello"]);
  expect(shown(true, ...CHATTER)).toEqual(["warn: beside the protocol", "[notice] careful", "hello"]);
});

test("a session's message to the person is shown, in a pipe and on a screen", () => {
  const note = event("x.note@1", { turnId: null, payload: { text: "the build is red\nlook" } });
  expect(shown(false, note)).toEqual(["[note] the build is red", "[note] look"]);
  const { terminal, lines } = fakeTerminal({ hasCursor: true, isScreen: true, columns: 80 });
  createTranscript(terminal, { prompts: () => false }).show(note);
  expect(lines.join("\n")).toContain("✉ the build is red");
});

test("in a pipe, a question has its facts and the commands that answer it", () => {
  const detail = { command: "npm test", diff: "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n" };
  const asked = event("approval.requested@1", { approvalId: "q1", question: "May I?", options: ["once"], detail });
  expect(shown(false, line("[awaiting input] May I?"), asked)).toEqual([
    "[awaiting input] May I?",
    "│ command   npm test",
    "--- a",
    "+++ b",
    "@@ -1 +1 @@",
    "-x",
    "+y",
    "answer with: nomos approve q1   or: nomos reject q1",
  ]);
});
