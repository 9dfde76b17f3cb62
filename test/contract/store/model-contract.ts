import fc from "fast-check";
import { describe, expect } from "vitest";
import { fact } from "../../../src/kernel/index.ts";
import type { RecordedEvent, Store, StoreError } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { event, everyEvent } from "../../support/store-home.ts";
import {
  type Attempt,
  type Command,
  callOf,
  commands,
  emptyModel,
  foldOf,
  type Model,
  pageOf,
  partsOf,
  STREAMS,
} from "../../support/store-model.ts";
import type { OpenedStore, OpenStore } from "./describe-store.ts";

const RUNS = sampled(400, 12);
const TIMEOUT_MS = sampled(3_600_000, 120_000);

export function describeModel(open: OpenStore): void {
  describe("the reference model", () => {
    proves(
      "LOG-5",
      "any calls in any order, also concurrent: the log equals one made by one caller after another",
      async () => {
        const property = fc.asyncProperty(commands, async (given) => {
          await using at = await open();
          const model = emptyModel();
          for (const command of given) await perform(at, model, command);
          expect(await everyEvent(at.store, 7)).toEqual(model.log);
          expect(await at.store.verify()).toMatchObject({ ok: true, events: model.log.length });
          expect((await at.store.rebuild(null)).differences).toEqual([]);
        });
        await fc.assert(property, { numRuns: RUNS });
      },
      TIMEOUT_MS,
    );
  });
}

async function perform(at: OpenedStore, model: Model, command: Command): Promise<void> {
  switch (command.do) {
    case "append":
      return performAppends(at.store, model, command.attempts);
    case "erase":
      return performErase(at.store, model, command);
    case "page":
      expect(await at.store.readAll(command.query)).toEqual(pageOf(model.log, command.query));
      for (const stream of STREAMS)
        expect(await at.store.readStream(stream, command.query)).toEqual(
          pageOf(
            model.log.filter((found) => found.stream === stream),
            command.query,
          ),
        );
      return;
    case "fold": {
      const stream = STREAMS[command.stream] ?? "";
      const version = Math.floor(command.share * model.versionOf(stream));
      expect(await at.store.foldStream(stream, version)).toEqual(foldOf(model, stream, version));
      expect(await at.store.foldStream(stream)).toEqual(foldOf(model, stream, model.versionOf(stream)));
      return;
    }
    case "reopen":
      await at.reopen();
  }
}

/** All at once. Successes must fit the order of `seq`, and refusals some point in that order. */
async function performAppends(store: Store, model: Model, attempts: readonly Attempt[]): Promise<void> {
  const asked = attempts.map((attempt) => ({ attempt, parts: partsOf(model, attempt), call: callOf(attempt) }));
  const ends = await Promise.allSettled(
    asked.map(({ parts, call }) => store.append(parts, call === null ? { fence: 0 } : { fence: 0, call })),
  );
  const done: { readonly at: number; readonly events: readonly RecordedEvent[] }[] = [];
  const refused: { readonly at: number; readonly error: StoreError }[] = [];
  for (const [at, end] of ends.entries())
    if (end.status === "fulfilled") done.push({ at, events: end.value });
    else refused.push({ at, error: end.reason });
  done.sort((a, b) => (a.events[0]?.seq ?? 0) - (b.events[0]?.seq ?? 0));

  const explained = new Set<number>();
  const explain = (): void => {
    for (const { at, error } of refused) {
      const request = asked[at];
      const isExplained =
        request !== undefined &&
        (error.code === "stale_version"
          ? model.isStale(request.parts) || model.callIs(request.call) === "same"
          : error.code === "idempotency_key_reused" && model.callIs(request.call) === "other");
      if (isExplained) explained.add(at);
    }
  };
  explain();
  for (const { at, events } of done) {
    const request = asked[at];
    if (request === undefined) throw new Error("an answer to nobody");
    expect(model.isStale(request.parts)).toBe(false);
    expect(model.callIs(request.call)).toBe("new");
    expect(model.take(request.parts, request.call, events)).toEqual(events);
    explain();
  }
  for (const { at, error } of refused) expect(explained, `refused without a reason: ${error.message}`).toContain(at);
}

async function performErase(store: Store, model: Model, command: Extract<Command, { do: "erase" }>): Promise<void> {
  const stream = STREAMS[command.stream] ?? "";
  const ids = model.log.filter((found, n) => found.stream === stream && n % command.every === 0).map(({ id }) => id);
  if (ids.length === 0) return;
  const said = event(fact("data.erased@1", { events: ids, reason: "asked for" }));
  const [written] = await store.erase(stream, ids, said, { fence: 0 });
  if (written === undefined) throw new Error("an erasure is an event");
  model.erase(ids);
  model.take([{ stream, expectedVersion: model.versionOf(stream), events: [said] }], null, [written]);
}
