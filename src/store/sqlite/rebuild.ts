import type { DatabaseSync } from "node:sqlite";
import {
  canonicalJson,
  emptyFold,
  type Folded,
  foldAll,
  type Json,
  type Model,
  type RowChange,
} from "../../kernel/index.ts";
import type { Progress, RebuildReport } from "../port.ts";
import { text } from "./encoding.ts";
import { placed } from "./folding.ts";
import type { Repair } from "./messages.ts";
import type { PageReads } from "./page-reads.ts";
import { TABLE_OF } from "./schema.ts";

const PAGE = 1000;

/** Folds every stream from its first event and compares: rows with rows, kept folds with folds. */
export function compareModels(
  db: DatabaseSync,
  reads: PageReads,
  progress: Progress,
): RebuildReport & { readonly repair: Repair } {
  const streams = db
    .prepare("SELECT name FROM streams ORDER BY no")
    .all()
    .map((row) => text(row["name"]));
  const differences: { model: string; id: string; what: "missing" | "extra" | "differs" }[] = [];
  const put: RowChange[] = [];
  const expected = new Map<Model, Set<string>>();
  let rows = 0;

  const compare = (row: ModelRow): void => {
    rows += 1;
    expected.set(row.model, (expected.get(row.model) ?? new Set()).add(row.id));
    const stored = reads.row(row.model, row.id);
    if (stored !== null && same(stored, row.change.put)) return;
    differences.push({ model: row.model, id: row.id, what: stored === null ? "missing" : "differs" });
    put.push(row.change);
  };

  for (const [at, stream] of streams.entries()) {
    const found = foldFromStart(db, reads, stream);
    for (const row of found.rows.values()) compare(row);
    for (const version of found.wrongSnapshots)
      differences.push({ model: "snapshot", id: `${stream}@${version}`, what: "differs" });
    if (at % 100 === 0) progress(at, streams.length);
  }
  const remove = extras(db, expected);
  differences.push(...remove.map(({ model, id }) => ({ model, id, what: "extra" as const })));
  return { ok: differences.length === 0, streams: streams.length, rows, differences, repair: { put, remove } };
}

interface ModelRow {
  readonly model: Model;
  readonly id: string;
  readonly change: Extract<RowChange, { put: unknown }>;
}

function foldFromStart(db: DatabaseSync, reads: PageReads, stream: string) {
  const version = reads.version(stream);
  const kept = new Map(
    db
      .prepare("SELECT version, state FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = ?)")
      .all(stream)
      .map((row) => [
        Number(row["version"]),
        Buffer.from(row["state"] instanceof Uint8Array ? row["state"] : []).toString("utf8"),
      ]),
  );
  const rows = new Map<string, ModelRow>();
  const wrongSnapshots: number[] = [];
  let folded: Folded = emptyFold(stream);
  while (folded.state.version < version) {
    for (const event of reads.versions(stream, folded.state.version, version, PAGE)) {
      const next = foldAll(stream, folded, [placed(event)]);
      folded = next.folded;
      for (const change of next.rows) merge(rows, change);
      const snapshot = kept.get(event.version);
      if (snapshot !== undefined && !same(snapshot, folded)) wrongSnapshots.push(event.version);
    }
  }
  return { rows, wrongSnapshots };
}

function merge(rows: Map<string, ModelRow>, change: RowChange): void {
  const key = `${change.model} ${change.id}`;
  if ("put" in change) {
    rows.set(key, { model: change.model, id: change.id, change });
    return;
  }
  const known = rows.get(key);
  if (known?.change.model !== "approval") return;
  rows.set(key, { ...known, change: { ...known.change, put: { ...known.change.put, status: change.status } } });
}

function extras(db: DatabaseSync, expected: ReadonlyMap<Model, ReadonlySet<string>>): { model: Model; id: string }[] {
  const models: readonly Model[] = ["session", "approval", "agent", "token", "system"];
  return models.flatMap((model) =>
    db
      .prepare(`SELECT id FROM ${TABLE_OF[model]}`)
      .all()
      .map((row) => ({ model, id: text(row["id"]) }))
      .filter(({ id }) => expected.get(model)?.has(id) !== true),
  );
}

function same(stored: string, computed: object): boolean {
  const left: Json = JSON.parse(stored);
  const right: Json = JSON.parse(JSON.stringify(computed));
  return canonicalJson(left) === canonicalJson(right);
}
