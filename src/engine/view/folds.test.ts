import fc from "fast-check";
import { expect, test } from "vitest";
import { neededEvents } from "../../../test/engine/needed-events.ts";
import { anyMoves, play } from "../../../test/golden/prompts/any-history.ts";
import type { Message } from "../model.ts";
import type { PathEvent } from "./path-event.ts";
import { contextTokens } from "./tokens.ts";
import { createTranscript, type Transcript } from "./transcript.ts";

test("the events from keptFrom on and the compaction make the same transcript as the whole path", () => {
  fc.assert(
    fc.property(anyMoves, (moves) => {
      const { events } = play(moves, somewhere);
      const whole = transcriptOf(events);
      const short = transcriptOf(neededEvents(events));
      expect(seen(short)).toEqual(seen(whole));
    }),
    { numRuns: 1000 },
  );
});

test("messages read after each event are those of a fold that is read once", () => {
  fc.assert(
    fc.property(anyMoves, (moves) => {
      const { events } = play(moves, somewhere);
      const read = createTranscript();
      for (const event of events) {
        read.add(event);
        read.messages();
      }
      expect(read.messages()).toEqual(transcriptOf(events).messages());
    }),
    { numRuns: 500 },
  );
});

test("every history gives messages that every provider accepts", () => {
  fc.assert(
    fc.property(anyMoves, (moves) => {
      const { events } = play(moves, somewhere);
      const transcript = createTranscript();
      for (const event of events) {
        transcript.add(event);
        expectValid(transcript.messages());
      }
    }),
    { numRuns: 500 },
  );
});

/** An event where an entry stands, or none. */
function somewhere({ events }: { readonly events: readonly PathEvent[] }, pick: number): string | null {
  const entries = transcriptOf(events).entries();
  return entries[pick % (entries.length + 1)]?.eventId ?? null;
}

function transcriptOf(events: readonly PathEvent[]): Transcript {
  const transcript = createTranscript();
  for (const event of events) transcript.add(event);
  return transcript;
}

function seen(transcript: Transcript) {
  return {
    messages: transcript.messages(),
    system: transcript.system(),
    todo: transcript.todo(),
    steers: transcript.steersWaiting(),
    running: transcript.runningTurn(),
    summary: transcript.compaction()?.summary ?? null,
    isLast: transcript.compaction()?.isLast ?? null,
    files: transcript.entries().map((entry) => entry.files()),
    events: transcript.entries().map(({ eventId }) => eventId),
    tokens: contextTokens(transcript),
  };
}

function expectValid(messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const calls = before?.role === "assistant" ? before.content.filter(({ kind }) => kind === "call") : [];
    if (index === 0) expect(message.role).toBe("user");
    expect(message.role).not.toBe(before?.role);
    // Results follow their calls at once, in the same order, and nothing else does.
    expect(message.role === "tool").toBe(calls.length > 0);
    if (message.role === "tool") {
      expect(message.results.map(({ callId }) => callId)).toEqual(
        calls.map((call) => call.kind === "call" && call.callId),
      );
      for (const { content } of message.results) expect(content.length).toBeGreaterThan(0);
      continue;
    }
    expect(message.content.length).toBeGreaterThan(0);
    for (const part of message.content) if (part.kind === "text") expect(part.text.trim()).not.toBe("");
  }
  const last = messages.at(-1);
  if (last?.role === "assistant") expect(last.content.some(({ kind }) => kind === "call")).toBe(false);
}
