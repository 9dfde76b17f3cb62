import { sessionStream } from "../src/kernel/index.ts";
import type { Store } from "../src/store/index.ts";
import { createEventMaker } from "./session-facts.ts";

/** Writers of a store, each with its own session stream, one event after another. */
export interface AppendLoad {
  readonly openStreams: (count: number) => Promise<readonly WriterStream[]>;
  /** Appends one event and waits for the acknowledgement. */
  readonly appendOne: (writer: WriterStream) => Promise<void>;
  /** Runs until all writers together have written this many events; returns events per second. */
  readonly appendMany: (writers: readonly WriterStream[], events: number) => Promise<number>;
}

/** A writer knows the version of its stream. */
export interface WriterStream {
  readonly stream: string;
  version: number;
}

export function createAppendLoad(store: Store): AppendLoad {
  const maker = createEventMaker(3);

  const openStream = async (): Promise<WriterStream> => {
    const stream = sessionStream(maker.newId());
    await store.append([{ stream, expectedVersion: 0, events: [maker.opened(null)] }], { fence: 0 });
    return { stream, version: 1 };
  };
  const appendOne: AppendLoad["appendOne"] = async (writer) => {
    const events = [maker.custom()];
    await store.append([{ stream: writer.stream, expectedVersion: writer.version, events }], { fence: 0 });
    writer.version += 1;
  };
  const appendMany: AppendLoad["appendMany"] = async (writers, events) => {
    const startMs = performance.now();
    let begun = 0;
    const write = async (writer: WriterStream): Promise<void> => {
      while (begun < events) {
        begun += 1;
        await appendOne(writer);
      }
    };
    await Promise.all(writers.map(write));
    return (begun / (performance.now() - startMs)) * 1000;
  };

  return { openStreams: (count) => Promise.all(Array.from({ length: count }, openStream)), appendOne, appendMany };
}
