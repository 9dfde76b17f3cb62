import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { ApprovalRow, Model, RowChange } from "../../kernel/index.ts";
import { StoreError } from "../port.ts";
import { text } from "./encoding.ts";
import { createStatements, type Statement } from "./statements.ts";

/** A row of a read model as it is written: the row itself, and beside it what lists choose by. */
export type RowWrite =
  | { readonly model: Model; readonly id: string; readonly columns: readonly Column[]; readonly row: string }
  | { readonly model: "approval"; readonly id: string; readonly status: ApprovalRow["status"] };

export type Column = string | number | null;

/** Where each read model lies, and by which columns it is found. */
export const MODELS: { readonly [M in Model]: { readonly table: string; readonly columns: readonly string[] } } = {
  session: { table: "sessions", columns: ["name", "alive", "shown", "active"] },
  approval: { table: "approvals", columns: ["session", "status"] },
  agent: { table: "agents", columns: [] },
  token: { table: "tokens", columns: ["secret"] },
  system: { table: "system", columns: [] },
};

export const MODEL_NAMES: readonly Model[] = ["session", "approval", "agent", "token", "system"];

export function rowWrite(change: RowChange): RowWrite {
  if ("status" in change) return change;
  return { model: change.model, id: change.id, columns: columnsFor(change), row: JSON.stringify(change.put) };
}

function columnsFor(change: Extract<RowChange, { put: unknown }>): readonly Column[] {
  switch (change.model) {
    case "session": {
      const { name, endedAt, forgotten, active } = change.put;
      return [name, endedAt === null ? 1 : 0, forgotten ? 0 : 1, active ? 1 : 0];
    }
    case "approval":
      return [change.put.sessionId, change.put.status];
    case "token":
      return [change.put.at === "valid" ? change.put.token.secretHash : null];
    case "agent":
    case "system":
      return [];
  }
}

/** The last row written for an id is what counts; an answer only changes the status of a question that is there. */
export function mergeRow(rows: Map<string, RowWrite>, write: RowWrite): void {
  const key = `${write.model} ${write.id}`;
  if (!("status" in write)) {
    rows.set(key, write);
    return;
  }
  const known = rows.get(key);
  rows.set(key, known === undefined || "status" in known ? write : answered(known, write.status));
}

export type WholeRow = Extract<RowWrite, { row: string }>;

function answered(asked: WholeRow, status: ApprovalRow["status"]): WholeRow {
  const row: ApprovalRow = JSON.parse(asked.row);
  return { ...asked, columns: [row.sessionId, status], row: JSON.stringify({ ...row, status }) };
}

/** Applies changes of read models, inside the append's transaction. */
export function createRowWriter(db: DatabaseSync): (write: RowWrite) => void {
  const writers = new Map(
    MODEL_NAMES.map((model) => {
      const { table, columns } = MODELS[model];
      const names = ["id", ...columns, "row", "sum"];
      const kept = columns.map((name) => ` AND ${name} IS ?`).join("");
      return [
        model,
        {
          /** Most changes leave the columns as they are, and then no index has to be touched. */
          replace: db.prepare(`UPDATE ${table} SET row = ?, sum = ? WHERE id = ?${kept}`),
          put: db.prepare(
            `INSERT OR REPLACE INTO ${table}(${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
          ),
        },
      ] as const;
    }),
  );
  const stored = createStatements(db);

  const put = (write: WholeRow): void => {
    const writer = writers.get(write.model);
    const sum = crc32(write.row);
    if (writer?.replace.run(write.row, sum, write.id, ...write.columns).changes === 0)
      writer.put.run(write.id, ...write.columns, write.row, sum);
  };

  return (write) => {
    if (!("status" in write)) return put(write);
    const found = stored("SELECT id, row, sum FROM approvals WHERE id = ?").get(write.id);
    // A damaged row stays as it is: readers name it, a rebuild mends it, and the append goes on.
    if (found === undefined || !isWhole(found)) return;
    put(answered({ model: "approval", id: write.id, columns: [], row: text(found["row"]) }, write.status));
  };
}

/** A row as it was written. One that changed under us is named: lists never show it. */
export function checkedRow(model: Model, found: Record<string, unknown>): string {
  if (!isWhole(found)) throw new StoreError("log_corrupt", { model, id: String(found["id"]), problem: "row_mismatch" });
  return text(found["row"]);
}

export function storedIds(sql: (source: string) => Statement, model: Model): Set<string> {
  return new Set(
    sql(`SELECT id FROM ${MODELS[model].table}`)
      .all()
      .map((row) => String(row["id"])),
  );
}

/** A row with the columns beside it, also a damaged one: for those who look for damage. */
export function storedRow(
  sql: (source: string) => Statement,
  model: Model,
  id: string,
): { readonly row: string; readonly columns: readonly unknown[]; readonly isWhole: boolean } | null {
  const { table, columns } = MODELS[model];
  const found = sql(`SELECT * FROM ${table} WHERE id = ?`).get(id);
  if (found === undefined) return null;
  return { row: String(found["row"]), columns: columns.map((name) => found[name]), isWhole: isWhole(found) };
}

function isWhole(found: Record<string, unknown>): boolean {
  return typeof found["row"] === "string" && crc32(found["row"]) === found["sum"];
}
