import type { DatabaseSync } from "node:sqlite";
import { number, text } from "../encoding.ts";
import type { Census } from "../port.ts";

export function takeCensus(db: DatabaseSync): Census {
  const states = db
    .prepare(
      "SELECT json_extract(row, '$.state') AS state, count(*) AS sessions, sum(json_extract(row, '$.queued')) AS queued FROM sessions WHERE shown = 1 GROUP BY 1",
    )
    .all();
  const pending = db.prepare("SELECT count(*) AS pending FROM approvals WHERE status = 'pending'").get();
  return {
    sessions: Object.fromEntries(states.map((row) => [text(row["state"]), number(row["sessions"])])),
    queuedTurns: states.reduce((total, row) => total + number(row["queued"]), 0),
    pendingApprovals: number(pending?.["pending"]),
  };
}
