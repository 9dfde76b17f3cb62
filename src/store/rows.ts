import type { ApprovalRow, Model, RowChange } from "../kernel/index.ts";

/** A row of a read model as it is written: the row itself, and beside it what lists choose by. */
export type RowWrite =
  | { readonly model: Model; readonly id: string; readonly columns: readonly Column[]; readonly row: string }
  | { readonly model: "approval"; readonly id: string; readonly status: ApprovalRow["status"] };

export type Column = string | number | null;

/** Where each read model lies, and by which columns it is found. */
export const MODELS: { readonly [M in Model]: { readonly table: string; readonly columns: readonly string[] } } = {
  session: { table: "sessions", columns: ["name", "alive", "shown", "active", "workspace"] },
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
      const { name, endedAt, forgotten, active, workspace } = change.put;
      return [name, endedAt === null ? 1 : 0, forgotten ? 0 : 1, active ? 1 : 0, workspace];
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

export function answered(asked: WholeRow, status: ApprovalRow["status"]): WholeRow {
  const row: ApprovalRow = JSON.parse(asked.row);
  return { ...asked, columns: [row.sessionId, status], row: JSON.stringify({ ...row, status }) };
}
