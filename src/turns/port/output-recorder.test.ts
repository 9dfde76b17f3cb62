import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { newRedactor } from "../../../test/support/redactor.ts";
import { type HostProcess, type OutputChunk, systemClock } from "../../host/index.ts";
import { recordOutput } from "./output-recorder.ts";

type Stream = "stdout" | "stderr";
const clock = systemClock();

/** A process that prints the given chunks; `ended` tells whether its reader left early. */
function printing(chunks: AsyncIterable<OutputChunk>): HostProcess {
  return {
    pid: 0,
    closeStdin: async () => undefined,
    output: chunks,
    exited: Promise.resolve({ exitCode: 0, signal: null, outputDroppedBytes: 0 }),
    mark: () => [],
    endSince: async () => undefined,
    stop: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
async function* chunksOf(texts: readonly (readonly [Stream, string | Uint8Array])[]): AsyncGenerator<OutputChunk> {
  for (const [stream, text] of texts) yield { stream, bytes: typeof text === "string" ? Buffer.from(text) : text };
}
const recorder = () => {
  const pieces: [Stream, string][] = [];
  const shown: string[] = [];
  return {
    pieces,
    shown,
    sinks: {
      show: (_stream: Stream, text: string) => void shown.push(text),
      record: async (stream: Stream, text: string) => {
        pieces.push([stream, text]);
      },
    },
  };
};

proves("E3", "all output is recorded in order, and no character is cut in half", async () => {
  const { pieces, shown, sinks } = recorder();
  const umlaut = Buffer.from("ä€😀");
  const cut = [...umlaut].map((_, at) => ["stdout", umlaut.subarray(at, at + 1)] as const);
  const preview = await recordOutput(
    printing(chunksOf([["stdout", "a\n"], ["stderr", "b\n"], ...cut])),
    sinks,
    clock,
    newRedactor(),
  );
  expect(pieces).toEqual([
    ["stdout", "a\n"],
    ["stderr", "b\n"],
    ["stdout", "ä€😀"],
  ]);
  expect(shown.join("")).toBe("a\nb\nä€😀");
  expect(preview).toBe("a\nb\nä€😀");
});

proves("E3", "streams that alternate without end are recorded in few pieces, and nothing is lost", async () => {
  const { pieces, sinks } = recorder();
  const texts = Array.from({ length: 20_000 }, (_, at): readonly [Stream, string] => [
    at % 2 === 0 ? "stdout" : "stderr",
    "x\n",
  ]);
  await recordOutput(printing(chunksOf(texts)), sinks, clock, newRedactor());
  expect(pieces.length).toBeLessThan(300);
  for (const stream of ["stdout", "stderr"] as const)
    expect(
      pieces
        .filter(([own]) => own === stream)
        .map(([, text]) => text)
        .join(""),
    ).toBe("x\n".repeat(10_000));
});

proves(
  "E4",
  "output that cannot be recorded fails the reading with that error, also when it fails in the background",
  async () => {
    const unseen: unknown[] = [];
    const note = (reason: unknown) => void unseen.push(reason);
    process.on("unhandledRejection", note);
    let left = false;
    async function* slowly(): AsyncGenerator<OutputChunk> {
      try {
        yield { stream: "stdout", bytes: Buffer.from("first") };
        yield { stream: "stderr", bytes: Buffer.from("second") };
        await sleep(50);
        for (;;) {
          yield { stream: "stdout", bytes: Buffer.from("more") };
          await sleep(1);
        }
      } finally {
        left = true;
      }
    }
    const failing = { show: () => undefined, record: () => Promise.reject(new Error("the session has ended")) };
    await expect(recordOutput(printing(slowly()), failing, clock, newRedactor())).rejects.toThrow(
      "the session has ended",
    );
    expect(left).toBe(true);
    await sleep(20);
    process.off("unhandledRejection", note);
    expect(unseen).toEqual([]);
  },
);

test("a secret that is cut between two chunks is neither shown nor recorded, and the other stream does not help", async () => {
  const { pieces, shown, sinks } = recorder();
  const redactor = newRedactor();
  redactor.learn([{ value: "hunter2-hunter2-hunter2" }]);
  const halves = chunksOf([
    ["stdout", "key: hunter2-hun"],
    ["stderr", "between\n"],
    ["stdout", "ter2-hunter2\n"],
  ]);
  const preview = await recordOutput(printing(halves), sinks, clock, redactor);
  for (const text of [preview, shown.join(""), JSON.stringify(pieces)]) {
    expect(text).not.toContain("hun");
    expect(text).toMatch(/\[redacted:vault:[0-9a-f]{12}\]/);
  }
});

proves("E4", "a slow watcher slows the process down", async () => {
  let taken = 0;
  async function* counting(): AsyncGenerator<OutputChunk> {
    for (; taken < 5; taken += 1) yield { stream: "stdout", bytes: Buffer.from("x\n") };
  }
  const gate = Promise.withResolvers<void>();
  const recording = recordOutput(
    printing(counting()),
    { show: () => gate.promise, record: async () => undefined },
    clock,
    newRedactor(),
  );
  await sleep(30);
  expect(taken).toBe(0);
  gate.resolve();
  expect(await recording).toBe("x\n".repeat(5));
});
