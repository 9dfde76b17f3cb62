import { crc32 } from "node:zlib";
import { describe, expect } from "vitest";
import { ALARMS, type KeyValue, SESSIONS, streamOf } from "../../../src/kernel/index.ts";
import type { RowPlace, RowQuery, Store } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, event, note, openSession } from "../../support/store-home.ts";
import { CHORES, CHORES_BY_OWNER, type Chore, Chores, choreFact } from "./chores.ts";
import type { OpenStore } from "./describe-store.ts";

const LISTED = new URL("./definitions/listed.ts", import.meta.url).href;
const UNLISTED = new URL("./definitions/unlisted.ts", import.meta.url).href;
const BY_OWNER = new URL("./definitions/by-owner.ts", import.meta.url).href;

type Query = Omit<RowQuery<keyof typeof CHORES.keys>, "after" | "limit">;

/** Lists of a test aggregate: everything a store makes from a definition. */
export function describeLists(open: OpenStore): void {
  describe("lists made from definitions", () => {
    proves(
      "LOG-9",
      "a session's head is its last event, also in rows of version 4, which hold an older one",
      async () => {
        await using at = await open();
        const stream = await openSession(at.store);
        const id = stream.slice("session/".length);
        const headOf = async (store: Store) => [
          (await store.row(SESSIONS, id))?.head,
          (await store.rows(SESSIONS, { limit: 2 }))[0]?.head,
        ];
        const [first] = await appendTo(at.store, stream, [note(1)]);
        expect(await headOf(at.store)).toEqual([first?.id, first?.id]);
        const old = JSON.stringify({ ...(await at.store.row(SESSIONS, id)), head: "an older event" });
        const store = await at.tamper(
          ...at.downgrade(4),
          `UPDATE sessions SET row = '${old.replaceAll("'", "''")}', sum = ${crc32(old)}`,
        );
        expect(await headOf(store)).toEqual([first?.id, first?.id]);
        expect((await store.rebuild(null)).differences).toEqual([]);
        const [second] = await appendTo(store, stream, [note(2)]);
        expect(await headOf(store)).toEqual([second?.id, second?.id]);
        expect((await store.rebuild(null)).differences).toEqual([]);
      },
    );

    proves("LOG-9", "with any sorting and filter, pages follow each other without a gap or a repeat", async () => {
      await using at = await open(LISTED);
      const chores = await setChores(at.store);
      const queries: readonly Query[] = [
        {},
        { descending: true },
        { idPrefix: "c1" },
        { idPrefix: "d" },
        ...[false, true].flatMap((descending): readonly Query[] => [
          { by: "room", descending },
          { by: "due", descending },
          { by: "urgent", descending },
          { by: "room", descending, where: { urgent: true } },
          { by: "due", descending, where: { room: "ä" } },
          { by: "room", descending, idPrefix: "c0" },
          { descending, where: { urgent: false, room: "hall" } },
          { descending, where: { due: null } },
        ]),
      ];
      for (const query of queries)
        for (const limit of [1, 4, 100]) {
          const found = await everyRow(at.store, query, limit);
          expect({ query, limit, found }).toEqual({ query, limit, found: expectedIds(chores, query) });
        }
      await expect(at.store.rows(CHORES, { limit: 1, by: "row; DROP" as "room" })).rejects.toThrow("no key");
    });

    proves("LOG-9", "counts equal the number of rows, in total, by keys and by each value of a key", async () => {
      await using at = await open(LISTED);
      const chores = [...(await setChores(at.store)).values()];
      const { store } = at;
      expect(await store.count(CHORES)).toBe(chores.length);
      expect(await store.count(CHORES, { urgent: true })).toBe(chores.filter(({ urgent }) => urgent).length);
      expect(await store.count(CHORES, { room: "hall", urgent: false })).toBe(
        chores.filter(({ room, urgent }) => room === "hall" && !urgent).length,
      );
      expect(await store.count(CHORES, { room: "nowhere" })).toBe(0);
      expect(await store.counts(CHORES, "room")).toEqual(countsOf(chores.map(({ room }) => room)));
      expect(await store.counts(CHORES, "urgent", { room: "hall" })).toEqual(
        countsOf(chores.filter(({ room }) => room === "hall").map(({ urgent }) => String(Number(urgent)))),
      );
    });

    proves(
      "LOG-9",
      "a row that the state no longer has is removed, also when it came and went in one append",
      async () => {
        await using at = await open(LISTED);
        const { store } = at;
        const set = (id: string, ...facts: Parameters<typeof appendTo>[2]) =>
          appendTo(store, streamOf(Chores, id), facts);
        await set("c1", choreFact("chore.set@1", HALL));
        expect(await store.row(CHORES, "c1")).toEqual({ id: "c1", ...HALL });
        expect(await store.rows(ALARMS, { limit: 5, by: "due" })).toEqual([
          { stream: "chore/c1", name: "due", dueAt: HALL.due },
        ]);
        await set("c1", choreFact("chore.done@1", {}));
        await set("c2", choreFact("chore.set@1", HALL), choreFact("chore.done@1", {}));
        await set("c3", choreFact("chore.set@1", HALL), choreFact("chore.done@1", {}), choreFact("chore.set@1", YARD));
        expect(await store.rows(CHORES, { limit: 5 })).toEqual([{ id: "c3", ...YARD }]);
        expect(await store.rows(ALARMS, { limit: 5 })).toEqual([]);
        // Several streams in one append, and several appends in one batch.
        await Promise.all([
          set("c3", choreFact("chore.done@1", {})),
          set("c1", choreFact("chore.set@1", YARD)),
          store.append(
            ["c4", "c5"].map((id) => ({
              stream: streamOf(Chores, id),
              expectedVersion: 0,
              events: [
                event(choreFact("chore.set@1", HALL)),
                ...(id === "c5" ? [event(choreFact("chore.done@1", {}))] : []),
              ],
            })),
            { fence: 0 },
          ),
        ]);
        expect((await store.rows(CHORES, { limit: 5 })).map(({ id }) => id)).toEqual(["c1", "c4"]);
        expect((await store.rows(ALARMS, { limit: 5 })).map(({ stream }) => stream)).toEqual(["chore/c4"]);
        expect((await store.rebuild(null)).differences).toEqual([]);
        expect((await (await at.reopen()).rebuild(null)).differences).toEqual([]);
      },
    );

    proves(
      "LOG-9",
      "a list whose keys were redefined is found by the new keys, and its rows stay the same",
      async () => {
        await using at = await open(LISTED);
        const chores = await setChores(at.store);
        const rows = await at.store.rows(CHORES, { limit: 100 });
        const store = await at.reopen(BY_OWNER);
        expect(await store.rows(CHORES_BY_OWNER, { limit: 100 })).toEqual(rows);
        expect(await store.count(CHORES_BY_OWNER, { owner: "ann", urgent: "yes" })).toBe(
          [...chores.values()].filter(({ owner, urgent }) => owner === "ann" && urgent).length,
        );
        expect(await at.unfilled()).toEqual([]);
        expect((await store.rebuild(null)).differences).toEqual([]);
        await appendTo(store, streamOf(Chores, "c00"), [choreFact("chore.done@1", {})]);
        expect(await store.row(CHORES_BY_OWNER, "c00")).toBeNull();
        const back = await at.reopen(LISTED);
        expect(await back.rows(CHORES, { limit: 100 })).toEqual(rows.filter(({ id }) => id !== "c00"));
        expect((await back.rebuild(null)).differences).toEqual([]);
      },
    );

    proves("LOG-9", "a list that is new to a log is empty and says so, until it is filled", async () => {
      await using at = await open(UNLISTED);
      const chores = await setChores(at.store);
      expect(await at.unfilled()).toEqual([]);
      const store = await at.reopen(LISTED);
      expect(await store.rows(CHORES, { limit: 100 })).toEqual([]);
      expect(await at.unfilled()).toEqual(["chore"]);
      const found = await store.rebuild(null);
      expect(found.differences.map(({ model, what }) => `${model} ${what}`)).toEqual(
        Array(chores.size).fill("chore missing"),
      );
      expect(await at.unfilled()).toEqual(["chore"]);
      await store.rebuild({ fence: 0 });
      expect(await at.unfilled()).toEqual([]);
      expect(await everyRow(store, {}, 100)).toEqual(expectedIds(chores, {}));
      expect((await store.rebuild(null)).differences).toEqual([]);
    });

    proves("LOG-9", "a list that is new to a log and stays empty is marked as filled by the next rebuild", async () => {
      await using at = await open();
      await appendTo(at.store, "session/s1", [note(1)]);
      const store = await at.reopen(LISTED);
      expect(await at.unfilled()).toEqual(["chore"]);
      expect(await store.rebuild({ fence: 0 })).toMatchObject({ ok: true });
      expect(await at.unfilled()).toEqual([]);
    });

    proves("LOG-16", "a log with an unknown list is refused as written by a newer version", async () => {
      await using at = await open(LISTED);
      await setChores(at.store);
      await expect(at.reopen(null)).rejects.toMatchObject({ code: "log_newer", details: { list: "chore" } });
      const store = await at.reopen(LISTED);
      expect((await store.rebuild(null)).differences).toEqual([]);
    });

    proves("LOG-9", "keys or rows changed by hand are found, and written again", async () => {
      await using at = await open(LISTED);
      const chores = await setChores(at.store);
      const rows = await at.store.rows(CHORES, { limit: 100 });
      for (const [change, what] of [
        ["UPDATE chores SET urgent = 1 - urgent WHERE id = 'c01'", "differs"],
        ["UPDATE chores SET room = 'elsewhere' WHERE id = 'c02'", "differs"],
        ["UPDATE chores SET room = NULL WHERE id = 'c02'", "differs"],
        ["UPDATE chores SET due = 'never' WHERE due IS NULL", "differs"],
        ["UPDATE chores SET sum = sum + 1 WHERE id = 'c03'", "differs"],
        ["DELETE FROM chores WHERE id = 'c04'", "missing"],
        ["UPDATE chores SET id = 'zz' WHERE id = 'c05'", "extra"],
      ] as const) {
        const store = await at.tamper(change);
        const { differences } = await store.rebuild({ fence: 0 });
        expect({ change, models: new Set(differences.map(({ model }) => model)) }).toEqual({
          change,
          models: new Set(["chore"]),
        });
        expect(differences.map((found) => found.what)).toContain(what);
        expect((await store.rebuild(null)).differences).toEqual([]);
      }
      expect(await at.store.rows(CHORES, { limit: 100 })).toEqual(rows);
      expect(chores.size).toBe(rows.length);
    });

    proves("LOG-9", "a row that cannot be parsed does not stop the start, and is never shown", async () => {
      await using at = await open(LISTED);
      await setChores(at.store);
      const rows = await at.store.rows(CHORES, { limit: 100 });
      await at.tamper("UPDATE chores SET row = 'no row' WHERE id = 'c01'");
      const store = await at.reopen(BY_OWNER);
      await expect(store.row(CHORES_BY_OWNER, "c01")).rejects.toMatchObject({ code: "log_corrupt" });
      await expect(store.rows(CHORES_BY_OWNER, { limit: 100 })).rejects.toMatchObject({
        code: "log_corrupt",
        details: { model: "chore", id: "c01" },
      });
      await store.rebuild({ fence: 0 });
      expect(await store.rows(CHORES_BY_OWNER, { limit: 100 })).toEqual(rows);
    });

    proves("LOG-11", "a search finds words in streams of the requested aggregate only", async () => {
      await using at = await open(LISTED);
      await appendTo(at.store, streamOf(Chores, "c1"), [choreFact("chore.set@1", HALL)]);
      expect(await at.store.search("hall", 5, Chores)).toMatchObject([{ stream: "chore/c1" }]);
      expect(await at.store.search("hall", 5, { kind: "session" })).toEqual([]);
      expect(await at.store.search("hall", 5, { kind: "chor" })).toEqual([]);
    });
  });
}

const HALL: Chore = { room: "hall", urgent: true, due: "2026-01-01T00:00:00.000Z", owner: "ann" };
const YARD: Chore = { room: "yard", urgent: false, due: null, owner: "bob" };
/** Texts whose byte order differs from a language's order and from that of code units. */
const ROOMS = ["hall", "Hall", "ä", "a", "z", "", "\u{1d11e}", "\uffee"];

/** By id; many share their keys. */
async function setChores(store: Store): Promise<ReadonlyMap<string, Chore>> {
  const chores = new Map<string, Chore>();
  for (let n = 0; n < 24; n += 1) {
    const chore = {
      room: ROOMS[(n * 5) % ROOMS.length] ?? "",
      urgent: n % 3 === 0,
      due: n % 4 === 0 ? null : `2026-01-0${1 + (n % 2)}T00:00:00.000Z`,
      owner: n % 2 === 0 ? "ann" : "bob",
    };
    const id = `c${String((n * 7) % 24).padStart(2, "0")}`;
    chores.set(id, chore);
    await appendTo(store, streamOf(Chores, id), [choreFact("chore.set@1", chore)]);
  }
  return chores;
}

async function everyRow(store: Store, query: Query, limit: number): Promise<readonly string[]> {
  const found: string[] = [];
  let after: RowPlace | null = null;
  for (;;) {
    const page: readonly (Chore & { readonly id: string })[] = await store.rows(CHORES, {
      ...query,
      limit,
      ...(after === null ? {} : { after }),
    });
    found.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined) return found;
    const key = query.by === undefined ? null : keyOf(last, query.by);
    after = key === null ? { id: last.id } : { id: last.id, key };
  }
}

/** A plain model: filter, then sort by bytes. */
function expectedIds(chores: ReadonlyMap<string, Chore>, query: Query): readonly string[] {
  const { by, where = {}, idPrefix = "", descending = false } = query;
  const chosen = [...chores].filter(
    ([id, chore]) =>
      id.startsWith(idPrefix) &&
      (by === undefined || keyOf(chore, by) !== null) &&
      Object.entries<KeyValue>(where).every(([key, value]) => Reflect.get(chore, key) === value),
  );
  const ordered = chosen.toSorted(
    ([a, one], [b, two]) =>
      (by === undefined ? 0 : byBytes(keyOf(one, by) ?? "", keyOf(two, by) ?? "")) || byBytes(a, b),
  );
  return (descending ? ordered.toReversed() : ordered).map(([id]) => id);
}

function keyOf(chore: Chore, key: keyof typeof CHORES.keys): string | null {
  const value = chore[key];
  return typeof value === "boolean" ? String(Number(value)) : value;
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function countsOf(values: readonly string[]): { readonly [value: string]: number } {
  return Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]));
}
