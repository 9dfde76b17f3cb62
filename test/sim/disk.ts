import type { Definitions, Folded } from "../../src/domains/index.ts";
import {
  type Aggregate,
  type Folding,
  streamOf as nameOf,
  type Placed,
  type RowChange,
} from "../../src/kernel/index.ts";
import { HOUSE } from "../../src/store/definitions.ts";
import type { AppendOptions, AppendPart, RecordedEvent } from "../../src/store/index.ts";

/** What survives a crash: log, read models, idempotency keys, fence. Shared by all runs of a daemon. */
export interface Disk {
  readonly definitions: Definitions;
  readonly log: RecordedEvent[];
  /** The fence of each event, by seq - 1: no store records it, only a simulation can see it. */
  readonly writtenUnder: number[];
  readonly blobs: Map<string, Uint8Array>;
  readonly streamOf: (stream: string) => readonly RecordedEvent[];
  readonly fold: <State extends Folding>(of: Aggregate<State>, id: string, atVersion?: number) => State;
  readonly foldStream: (stream: string, atVersion?: number) => Folded;
  readonly row: (list: string, id: string) => string | null;
  readonly rows: (list: string) => readonly { readonly id: string; readonly row: string }[];
  readonly calls: Map<string, { readonly request: string; readonly first: number; readonly last: number }>;
  /** All or nothing; returns why not. */
  readonly write: (
    parts: readonly AppendPart[],
    options: AppendOptions,
    checkFence: boolean,
  ) => readonly RecordedEvent[] | Refused;
}

export interface Refused {
  readonly refused: "stale_fence" | "stale_version" | "idempotency_key_reused";
  /** The stream whose version differs from the expected one. */
  readonly stream?: string;
}

export function createDisk(defined: Definitions = HOUSE): Disk {
  const log: RecordedEvent[] = [];
  const writtenUnder: number[] = [];
  const streams = new Map<string, RecordedEvent[]>();
  const heads = new Map<string, Folded>();
  const tables = new Map<string, string>();
  const calls: Disk["calls"] = new Map();
  let fence = 0;

  const streamOf = (stream: string) => streams.get(stream) ?? [];
  const headOf = (stream: string) => heads.get(stream) ?? defined.empty(stream);

  const foldStream = (stream: string, atVersion?: number): Folded =>
    atVersion === undefined
      ? headOf(stream)
      : streamOf(stream)
          .slice(0, atVersion)
          .reduce((folded, event) => defined.evolve(stream, folded, placed(defined, event)), defined.empty(stream));

  const applyRow = ({ list, id, put }: RowChange): void => {
    const key = `${list.name} ${id}`;
    if (put === null) tables.delete(key);
    else tables.set(key, JSON.stringify(put));
  };

  const check = (parts: readonly AppendPart[], options: AppendOptions, checkFence: boolean): Refused | null => {
    const taken = parts.flatMap((part) => part.events).find(({ fact }) => fact.type === "lease.acquired@1")?.fact;
    const takes = taken === undefined ? null : Number(Reflect.get(taken.data, "fence"));
    if (checkFence && (options.fence !== (takes ?? fence) || (takes !== null && takes <= fence)))
      return { refused: "stale_fence" };
    if (takes !== null) fence = Math.max(fence, takes);
    const known = options.call == null ? undefined : calls.get(options.call.keyHash);
    if (known !== undefined)
      return { refused: known.request === options.call?.requestHash ? "stale_version" : "idempotency_key_reused" };
    const wanted = parts.map(({ stream, expectedVersion }) => ({ stream, version: expectedVersion }));
    const stale = [...wanted, ...(options.expect ?? [])].find(
      ({ stream, version }) => streamOf(stream).length !== version,
    );
    return stale === undefined ? null : { refused: "stale_version", stream: stale.stream };
  };

  return {
    definitions: defined,
    log,
    writtenUnder,
    blobs: new Map(),
    calls,
    streamOf,
    fold: (of, id, atVersion) => foldStream(nameOf(of, id), atVersion).state as ReturnType<typeof of.empty>,
    foldStream,
    row: (list, id) => tables.get(`${list} ${id}`) ?? null,
    rows: (list) =>
      [...tables]
        .filter(([key]) => key.startsWith(`${list} `))
        .map(([key, row]) => ({ id: key.slice(list.length + 1), row }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    write: (parts, options, checkFence) => {
      const refused = check(parts, options, checkFence);
      if (refused !== null) return refused;
      const written = parts.flatMap((part) => {
        const events = part.events.map((event, index): RecordedEvent => {
          const { id, at, actor, fact } = event;
          const seq = log.length + 1 + index;
          const version = part.expectedVersion + index + 1;
          const data: RecordedEvent["data"] = JSON.parse(JSON.stringify(fact.data));
          return {
            seq,
            id,
            stream: part.stream,
            version,
            type: fact.type,
            at,
            actor,
            cause: event.cause,
            data,
            hash: id,
            prev: "",
          };
        });
        const { folded, rows } = defined.foldAll(
          part.stream,
          headOf(part.stream),
          part.events.map((event, index) => ({ ...event, version: part.expectedVersion + index + 1 })),
        );
        heads.set(part.stream, folded);
        rows.forEach(applyRow);
        streams.set(part.stream, [...streamOf(part.stream), ...events]);
        log.push(...events);
        writtenUnder.push(...events.map(() => options.fence));
        return events;
      });
      if (options.call != null) {
        const first = written[0]?.seq ?? 0;
        calls.set(options.call.keyHash, { request: options.call.requestHash, first, last: first + written.length - 1 });
      }
      return written;
    },
  };
}

function placed(defined: Definitions, event: RecordedEvent): Placed {
  const { id, version, at, type, data } = event;
  return { id, version, at, fact: data === null ? null : defined.recall(type, data) };
}
