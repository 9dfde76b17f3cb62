import type { DatabaseSync } from "node:sqlite";
import type { RowChange } from "../../kernel/index.ts";

/** Applies changes of read models, inside the append's transaction. */
export function createRowWriter(db: DatabaseSync): (change: RowChange) => void {
  const session = db.prepare(
    "INSERT INTO sessions(id, name, alive, shown, active, row) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET alive = excluded.alive, shown = excluded.shown, active = excluded.active, row = excluded.row",
  );
  const approval = db.prepare("INSERT OR REPLACE INTO approvals(id, session, status, row) VALUES (?, ?, ?, ?)");
  const answered = db.prepare("UPDATE approvals SET status = ?, row = json_set(row, '$.status', ?) WHERE id = ?");
  const agent = db.prepare("INSERT OR REPLACE INTO agents(id, row) VALUES (?, ?)");
  const token = db.prepare("INSERT OR REPLACE INTO tokens(id, secret, row) VALUES (?, ?, ?)");
  const system = db.prepare("INSERT OR REPLACE INTO system(id, row) VALUES (?, ?)");

  return (change) => {
    if ("status" in change) {
      answered.run(change.status, change.status, change.id);
      return;
    }
    const row = JSON.stringify(change.put);
    switch (change.model) {
      case "session":
        session.run(
          change.id,
          change.put.name,
          change.put.endedAt === null ? 1 : 0,
          change.put.forgotten ? 0 : 1,
          change.put.active ? 1 : 0,
          row,
        );
        return;
      case "approval":
        approval.run(change.id, change.put.sessionId, change.put.status, row);
        return;
      case "agent":
        agent.run(change.id, row);
        return;
      case "token":
        token.run(change.id, change.put.at === "valid" ? change.put.token.secretHash : null, row);
        return;
      case "system":
        system.run(change.id, row);
    }
  };
}
