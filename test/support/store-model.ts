import { createHash } from "node:crypto";
import fc from "fast-check";
import type { Folded } from "../../src/domains/index.ts";
import type { Json } from "../../src/kernel/index.ts";
import { HOUSE } from "../../src/store/definitions.ts";
import type { AppendPart, CallRef, EventPage, EventQuery, RecordedEvent } from "../../src/store/index.ts";
import { admitted, event, note, opened } from "./store-home.ts";

/** Few streams, so that writers collide. */
export const STREAMS: readonly string[] = ["01", "02", "03"].map((n) => `session/${n}`);

export interface Attempt {
  readonly streams: readonly number[];
  readonly events: number;
  /** How far off the expected version is; mostly zero. */
  readonly off: number;
  readonly call: { readonly key: number; readonly request: number } | null;
}

export type Command =
  | { readonly do: "append"; readonly attempts: readonly Attempt[] }
  | { readonly do: "erase"; readonly stream: number; readonly every: number }
  | { readonly do: "page"; readonly query: EventQuery }
  | { readonly do: "fold"; readonly stream: number; readonly share: number }
  | { readonly do: "reopen" };

const stream = fc.nat({ max: STREAMS.length - 1 });
const attempt: fc.Arbitrary<Attempt> = fc.record({
  streams: fc.uniqueArray(stream, { minLength: 1, maxLength: 3 }),
  events: fc.integer({ min: 1, max: 4 }),
  off: fc.oneof({ arbitrary: fc.constant(0), weight: 6 }, { arbitrary: fc.integer({ min: -2, max: 3 }), weight: 1 }),
  call: fc.option(fc.record({ key: fc.nat({ max: 3 }), request: fc.nat({ max: 1 }) }), { nil: null, freq: 3 }),
});
const cursor = fc.option(fc.nat({ max: 60 }), { nil: undefined });
const query: fc.Arbitrary<EventQuery> = fc
  .record({
    after: cursor,
    before: cursor,
    limit: fc.integer({ min: 1, max: 40 }),
    descending: fc.boolean(),
    types: fc.option(fc.subarray(["x.note", "turn.admitted@1", "session.opened", "data.erased"]), { nil: undefined }),
    turnId: fc.option(fc.constantFrom("t1", "t2"), { nil: undefined }),
  })
  .map((given) => definedOnly(given));

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constant("append"), attempts: fc.array(attempt, { minLength: 1, maxLength: 6 }) }),
    weight: 10,
  },
  { arbitrary: fc.record({ do: fc.constant("page"), query }), weight: 6 },
  {
    arbitrary: fc.record({ do: fc.constant("fold"), stream, share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    weight: 3,
  },
  { arbitrary: fc.record({ do: fc.constant("erase"), stream, every: fc.integer({ min: 1, max: 5 }) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant("reopen") }), weight: 1 },
);
export const commands = fc.array(command, { minLength: 5, maxLength: 40, size: "max" });

/** The log as a list, with the few rules for appending. */
export interface Model {
  readonly log: RecordedEvent[];
  readonly versionOf: (stream: string) => number;
  readonly isStale: (parts: readonly AppendPart[]) => boolean;
  readonly callIs: (call: CallRef | null) => "new" | "same" | "other";
  /** Adds the events and returns them as the log must show them. */
  readonly take: (
    parts: readonly AppendPart[],
    call: CallRef | null,
    written: readonly RecordedEvent[],
  ) => readonly RecordedEvent[];
  readonly erase: (ids: readonly string[]) => void;
}

export function emptyModel(): Model {
  const log: RecordedEvent[] = [];
  const calls = new Map<string, string>();
  const last = (name: string): RecordedEvent | undefined => log.findLast((found) => found.stream === name);
  const versionOf = (name: string): number => last(name)?.version ?? 0;
  return {
    log,
    versionOf,
    isStale: (parts) => parts.some((part) => versionOf(part.stream) !== part.expectedVersion),
    callIs: (call) => {
      const known = call === null ? undefined : calls.get(call.keyHash);
      if (known === undefined) return "new";
      return known === call?.requestHash ? "same" : "other";
    },
    take: (parts, call, written) => {
      const before = log.length;
      if (call !== null) calls.set(call.keyHash, call.requestHash);
      for (const part of parts)
        for (const given of part.events) {
          const { id, at, actor, fact } = given;
          const cause = given.cause ?? (call === null ? null : `call:${call.keyHash}:${call.requestHash}`);
          const prev = last(part.stream)?.hash ?? "0".repeat(64);
          const data: Json = JSON.parse(JSON.stringify(fact.data));
          const version = versionOf(part.stream) + 1;
          const hash = written[log.length - before]?.hash ?? "";
          const { stream: name } = part;
          log.push({
            seq: log.length + 1,
            id,
            stream: name,
            version,
            type: fact.type,
            at,
            actor,
            cause,
            data,
            hash,
            prev,
          });
        }
      return log.slice(before);
    },
    erase: (ids) => {
      for (const [at, found] of log.entries()) if (ids.includes(found.id)) log[at] = { ...found, data: null };
    },
  };
}

export function partsOf(model: Model, { streams, events, off }: Attempt): readonly AppendPart[] {
  return streams.map((n) => {
    const name = STREAMS[n] ?? "";
    const version = model.versionOf(name);
    const first = version === 0 ? [event(opened("calm-otter-07"))] : [];
    const more = Array.from({ length: events }, (_, at) =>
      event(at % 3 === 0 ? admitted(`t${at % 2}`, "go") : note({ at }, `t${(at % 2) + 1}`)),
    );
    return { stream: name, expectedVersion: Math.max(0, version + off), events: [...first, ...more] };
  });
}

export function callOf({ call }: Attempt): CallRef | null {
  if (call === null) return null;
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  return { keyHash: hash(`key ${call.key}`), requestHash: hash(`request ${call.request}`) };
}

/** A page by plain rules: filter, sort, cut. Short logs are scanned whole. */
export function pageOf(log: readonly RecordedEvent[], query: EventQuery): EventPage {
  const within = log.filter(({ seq }) => seq > (query.after ?? 0) && seq < (query.before ?? Number.POSITIVE_INFINITY));
  const ordered = query.descending === true ? within.toReversed() : within;
  const matches = ordered.filter((found) => wants(query, found));
  const events = matches.slice(0, query.limit);
  const lastShown = events.at(-1);
  const isCut = events.length === query.limit && lastShown?.seq !== ordered.at(-1)?.seq;
  return { events, next: isCut ? (lastShown?.seq ?? null) : null };
}

function wants(query: EventQuery, found: RecordedEvent): boolean {
  const isType = (type: string): boolean => type === found.type || type === found.type.split("@")[0];
  if (query.types !== undefined && !query.types.some(isType)) return false;
  if (query.turnId === undefined) return true;
  return typeof found.data === "object" && found.data !== null && Reflect.get(found.data, "turnId") === query.turnId;
}

export function foldOf(model: Model, name: string, version: number): Folded {
  const own = model.log.filter((found) => found.stream === name && found.version <= version);
  return own.reduce(
    (folded, { id, at, type, data, version: n }) =>
      HOUSE.evolve(name, folded, { id, at, version: n, fact: data === null ? null : HOUSE.recall(type, data) }),
    HOUSE.empty(name),
  );
}

function definedOnly(given: { readonly [K in keyof EventQuery]: EventQuery[K] | undefined }): EventQuery {
  const { limit = 1, after, before, descending, types, turnId } = given;
  return {
    limit,
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(descending === undefined ? {} : { descending }),
    ...(types === undefined ? {} : { types }),
    ...(turnId === undefined ? {} : { turnId }),
  };
}
