import type { ModelError } from "../../model.ts";
import { modelError, type Subject, toModelError } from "../errors/to-model-error.ts";
import type { GuardLimits } from "./guard-limits.ts";

/**
 * The bytes of an answer, with its limits. The time counts only while a byte is awaited: a slow reader is not a stalled
 * provider. Ending it early closes the connection.
 */
export function guardedBody(
  body: ReadableStream<Uint8Array> | null,
  subject: Subject,
  limits: GuardLimits,
  connection: AbortController,
): ReadableStream<Uint8Array> {
  const reader = (body ?? new Blob([]).stream()).getReader();
  // Not the wall clock: a jump ahead would cut an answer that is on its way.
  const startedMs = performance.now();
  let bytes = 0;

  const refusal = (): ModelError | null => {
    if (bytes > limits.answerBytesMax) return modelError(subject, "malformed", "it is too large");
    return performance.now() - startedMs > limits.answerMs
      ? modelError(subject, "timeout", "the answer does not end")
      : null;
  };
  const end = (reason: unknown): void => {
    connection.abort(reason);
    // The connection is gone; whether the reader noticed does not matter.
    reader.cancel(reason).catch(() => undefined);
  };

  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const read = await readWithin(reader, limits.stallMs, () =>
            modelError(subject, "timeout", `the answer stalled for ${limits.stallMs} ms`),
          );
          if (read.done) return controller.close();
          bytes += read.value.byteLength;
          const refused = refusal();
          if (refused !== null) throw refused;
          controller.enqueue(read.value);
        } catch (thrown) {
          const error = toModelError(subject, thrown, true);
          end(error);
          controller.error(error);
        }
      },
      cancel: end,
    },
    // Nothing is read ahead of its reader.
    { highWaterMark: 0 },
  );
}

async function readWithin<T>(
  reader: ReadableStreamDefaultReader<T>,
  stallMs: number,
  stalled: () => ModelError,
): Promise<{ readonly done: false; readonly value: T } | { readonly done: true }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(stalled()), stallMs);
  });
  try {
    const { done, value } = await Promise.race([reader.read(), late]);
    return done || value === undefined ? { done: true } : { done: false, value };
  } finally {
    clearTimeout(timer);
  }
}
