import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { AGENTS, type Folded, SECRETS, SYSTEM, TOKENS } from "../../src/domains/index.ts";
import { ALARMS, APPROVALS, type List, SESSIONS } from "../../src/kernel/index.ts";
import { HOUSE } from "../../src/store/definitions.ts";
import { openSqliteStore, type RecordedEvent } from "../../src/store/index.ts";
import { proves } from "../support/proves.ts";
import { appendTo, everyEvent, makeTestHome, note } from "../support/store-home.ts";
import { throwOnFatal } from "../support/store-sqlite.ts";

interface Line {
  readonly event?: RecordedEvent;
  readonly stream?: string;
  readonly folded?: Folded;
  /** The name of a list. */
  readonly model?: string;
  readonly row?: unknown;
}

/** Lists that golden logs have rows of. A new list is added with the next version. */
const LISTS: readonly List[] = [SESSIONS, APPROVALS, AGENTS, TOKENS, SYSTEM, SECRETS, ALARMS];
/** A forgotten session is in no public list, and was never recorded there. */
const SHOWN = { where: { shown: true } } as const;
const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const versions = (await readdir(FOLDER)).filter((name) => /^v\d+$/.test(name));

describe("golden logs", () => {
  proves(
    "LOG-18",
    "a golden log exists for the first version, and together they contain every type of event",
    async () => {
      expect(versions).toContain("v1");
      const lines = (await Promise.all(versions.map(linesOf))).flat();
      const events = lines.flatMap(({ event }) => (event === undefined ? [] : [event]));
      const types = new Set(events.map(({ type }) => type));
      const kinds = new Set(events.map(({ stream }) => HOUSE.kindOf(stream)?.of));
      expect([...kinds].map((of) => of?.kind)).toEqual(expect.arrayContaining(["session", "agent", "token", "system"]));
      // New types of an aggregate come with new versions of golden logs; a new aggregate with the next one made.
      const due = [...kinds].flatMap((of) => Object.keys(of?.events ?? {}));
      expect(due.filter((type) => !types.has(type))).toEqual([]);
    },
  );

  for (const version of versions)
    proves("LOG-18", `a log of ${version} is read as it was written, and goes on`, async () => {
      await using home = await makeTestHome();
      await cp(join(FOLDER, version, "home"), home.path, { recursive: true });
      const lines = await linesOf(version);
      const store = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
      const events = lines.flatMap(({ event }) => (event === undefined ? [] : [event]));
      expect(await everyEvent(store)).toEqual(events);
      for (const { stream, folded } of lines)
        if (stream !== undefined) expect(await store.foldStream(stream)).toEqual(folded);
      const rows: unknown[] = [];
      for (const list of LISTS)
        for (const row of await store.rows(list, { limit: 100, ...(list === SESSIONS ? SHOWN : {}) }))
          rows.push({ model: list.name, row });
      expect(rows).toEqual(lines.filter(({ model }) => model !== undefined));
      expect(await store.verify()).toMatchObject({ ok: true, problems: [], events: events.length });
      expect((await store.rebuild(null)).differences).toEqual([]);
      for (const event of events) await proveBlob(store.blob, event);
      await appendTo(store, events[0]?.stream ?? "", [note("it goes on")], 1);
      await store.close();
    });
});

async function linesOf(version: string): Promise<readonly Line[]> {
  const text = await readFile(join(FOLDER, version, "expected.jsonl"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line): Line => JSON.parse(line));
}

async function proveBlob(read: (sha256: string) => Promise<Uint8Array | null>, { data }: RecordedEvent): Promise<void> {
  const blob: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "blob") : null;
  if (typeof blob === "string") expect(await read(blob)).not.toBeNull();
}
