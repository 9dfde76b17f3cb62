import { memberOf } from "../../kernel/index.ts";
import { spellOptions } from "../questions/question-lines.ts";
import { cutTo } from "./screen-text.ts";
import { spell, spellAge } from "./spell.ts";
import { oneLine } from "./table.ts";

export type Row = Readonly<Record<string, unknown>>;
type Columns = readonly (readonly [name: string, cell: (row: Row) => string])[];

const plain = (member: string, name = member.toUpperCase()) => [name, (row: Row) => spell(row[member] ?? "")] as const;

const DATA_COLUMNS_MAX = 160;
/** `--json` has the full id. */
const DATA = ["DATA", (row: Row) => cutTo(oneLine(spell(row["data"])), DATA_COLUMNS_MAX)] as const;

/** The columns to show for each kind of list, by its name in the answer. */
const COLUMNS: { readonly [list: string]: Columns } = {
  sessions: [
    plain("name"),
    [
      "STATE",
      (row) => (row["waitingFor"] === undefined ? spell(row["state"]) : `${row["state"]} (${row["waitingFor"]})`),
    ],
    plain("agent"),
    plain("sandbox"),
    plain("queued"),
    ["STARTED", (row) => spellAge(row["startedAt"])],
    plain("label"),
    plain("cwd"),
  ],
  approvals: [
    plain("id"),
    plain("status"),
    ["ASKED", (row) => spellAge(row["createdAt"])],
    ["OPTIONS", (row) => (Array.isArray(row["options"]) ? spellOptions(row["options"].map(String), ", ") : "")],
    plain("question"),
  ],
  agents: [
    plain("slug"),
    plain("name"),
    plain("driver"),
    ["DEFAULT", (row) => (row["default"] === true ? "*" : "")],
    plain("tools"),
  ],
  workspaces: [plain("slug"), ["ACTIVE", (row) => (row["active"] === true ? "*" : "")], plain("path"), plain("label")],
  worktrees: [
    plain("id"),
    plain("branch"),
    ["STATE", (row) => (row["state"] === "present" && listed(row["sessions"]) > 0 ? "in use" : spell(row["state"]))],
    ["MADE", (row) => spellAge(row["createdAt"])],
    plain("repository"),
  ],
  drivers: [plain("slug"), plain("installed"), plain("continuity"), plain("summary")],
  tokens: [
    plain("tokenId", "ID"),
    plain("label"),
    plain("capabilities"),
    plain("sessionId", "SESSION"),
    ["EXPIRES", (row) => (typeof row["expiresAtMs"] === "number" ? new Date(row["expiresAtMs"]).toISOString() : "-")],
  ],
  artifacts: [plain("path"), plain("version"), plain("bytes"), plain("mediaType", "TYPE"), plain("versions")],
  events: [plain("seq"), plain("id"), ["AT", (row) => time(row["at"])], plain("type"), plain("actor"), DATA],
  entries: [plain("seq"), ["AT", (row) => time(row["at"])], plain("stream"), plain("type"), plain("actor"), DATA],
  hits: [["SESSION", (row) => spell(memberOf(row["session"], "name"))], plain("eventId", "EVENT"), plain("snippet")],
  items: [plain("status"), plain("text")],
};

/** For lists without an entry here: every member of the first row. */
export function columnsOf(list: string, first: Row | undefined): Columns {
  return COLUMNS[list] ?? Object.keys(first ?? {}).map((member) => plain(member));
}

function listed(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function time(at: unknown): string {
  return spell(at).slice(11, 23);
}
