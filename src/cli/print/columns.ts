import { memberOf } from "../../kernel/index.ts";
import { spellOptions } from "../questions/question-lines.ts";
import type { Fit } from "./fit-columns.ts";
import { cutTo } from "./screen-text.ts";
import { spell, spellAge, spellCount, spellDollars, spellQuota } from "./spell.ts";
import { oneLine } from "./table.ts";

export type Row = Readonly<Record<string, unknown>>;
type Columns = readonly (readonly [name: string, cell: (row: Row) => string, fit?: Fit])[];

const plain = (member: string, name = member.toUpperCase(), fit: Fit = {}) =>
  [name, (row: Row) => spell(row[member] ?? ""), fit] as const;

const DATA_COLUMNS_MAX = 160;
/** `--json` has all of it. */
const DATA = ["DATA", (row: Row) => cutTo(oneLine(spell(row["data"])), DATA_COLUMNS_MAX), { shorten: "end" }] as const;

/** The columns to show for each kind of list, by its name in the answer. */
const COLUMNS: { readonly [list: string]: Columns } = {
  sessions: [
    plain("name"),
    ["STATE", (row) => (row["waitingFor"] === undefined ? spell(row["state"]) : `${row["state"]} (${waitOf(row)})`)],
    plain("agent", "AGENT", { drop: 1 }),
    plain("title", "TITLE", { shorten: "words", drop: 2 }),
    plain("label", "LABEL", { shorten: "words", drop: 4 }),
    plain("sandbox", "SANDBOX", { drop: 6 }),
    ["QUEUED", (row) => (row["queued"] === 0 ? "" : spell(row["queued"] ?? "")), { drop: 7 }],
    ["TOKENS", (row) => spellTokens(row["spent"]), { drop: 8 }],
    ["COST", (row) => spellCost(row["spent"]), { drop: 5 }],
    ["STARTED", (row) => spellAge(row["startedAt"]), { drop: 3 }],
    plain("cwd", "CWD", { shorten: "path", drop: 9 }),
  ],
  approvals: [
    plain("id"),
    plain("status"),
    ["ASKED", (row) => spellAge(row["createdAt"])],
    ["OPTIONS", (row) => (Array.isArray(row["options"]) ? spellOptions(row["options"].map(String), ", ") : "")],
    plain("question", "QUESTION", { shorten: "words" }),
  ],
  because: [
    ["WHEN", (row) => spellAge(row["at"])],
    plain("says", "WHAT HAPPENED"),
    plain("type", "EVENT", { drop: 2 }),
    plain("id", "ID", { drop: 1 }),
  ],
  agents: [
    plain("slug"),
    ["NAME", (row) => (row["name"] === row["slug"] ? "" : spell(row["name"] ?? "")), { shorten: "words" }],
    plain("driver"),
    ["DEFAULT", (row) => (row["default"] === true ? "*" : "")],
    ["TOOLS", (row) => (spell(row["tools"]) === "{}" ? "" : spell(row["tools"] ?? "")), { shorten: "end", drop: 1 }],
  ],
  workspaces: [
    plain("slug"),
    ["ACTIVE", (row) => (row["active"] === true ? "*" : "")],
    plain("path", "PATH", { shorten: "path" }),
    plain("label", "LABEL", { drop: 1 }),
  ],
  worktrees: [
    plain("id"),
    plain("branch"),
    ["STATE", (row) => (row["state"] === "present" && listed(row["sessions"]) > 0 ? "in use" : spell(row["state"]))],
    ["MADE", (row) => spellAge(row["createdAt"])],
    plain("repository", "REPOSITORY", { shorten: "path", drop: 1 }),
  ],
  landings: [
    ["ID", (row) => spell(row["id"]), { shorten: "end", drop: 4 }],
    plain("sessionName", "SESSION"),
    plain("into", "BRANCH"),
    ["STATE", (row) => (row["held"] === undefined ? spell(row["state"]) : "held")],
    ["AHEAD", (row) => (row["ahead"] === 0 ? "" : spell(row["ahead"] ?? "")), { drop: 2 }],
    ["QUEUED", (row) => spellAge(row["queuedAt"]), { drop: 3 }],
    ["COMMIT", (row) => spell(row["commit"] ?? "").slice(0, COMMIT_CHARS), { drop: 1 }],
    ["WHY", (row) => whyOf(row), { shorten: "words" }],
  ],
  tickets: [
    plain("id"),
    plain("kind", "KIND", { drop: 3 }),
    plain("status"),
    plain("priority", "P", { drop: 2 }),
    plain("title", "TITLE", { shorten: "words" }),
    plain("lane", "LANE", { drop: 5 }),
    ["HOLDER", (row) => holderOf(row["lease"]), { drop: 1 }],
    plain("parent", "PARENT", { drop: 4 }),
  ],
  waiting: [
    plain("id"),
    plain("score", "SCORE", { drop: 1 }),
    ["WHY NOT", (row) => spell(row["heldBack"] ?? "").replaceAll("_", " ")],
    plain("lane", "LANE", { drop: 2 }),
    plain("title", "TITLE", { shorten: "words" }),
  ],
  overlaps: [
    ["ONE", (row) => spell(memberOf(row["a"], "id") ?? row["id"])],
    ["OTHER", (row) => spell(memberOf(row["b"], "id") ?? row["title"])],
    plain("path", "BOTH MAY CHANGE", { shorten: "path" }),
  ],
  works: [
    ["TICKET", (row) => spell(row["ticket"])],
    ["STATE", (row) => (row["lost"] === true ? "lease lost" : spell(row["state"]))],
    plain("agent", "AGENT", { drop: 2 }),
    ["DRIFT", (row) => spell(memberOf(row["drift"], "score") ?? ""), { drop: 1 }],
    ["SESSION", (row) => spell(row["sessionId"]), { drop: 3 }],
    plain("title", "TITLE", { shorten: "words" }),
  ],
  samples: [
    ["WHEN", (row) => spellAge(row["at"])],
    plain("score", "DRIFT"),
    plain("scope", "SCOPE", { drop: 3 }),
    plain("budget", "BUDGET", { drop: 4 }),
    plain("boundary", "BOUNDARY", { drop: 5 }),
    plain("lines", "LINES", { drop: 6 }),
    plain("ticket"),
    plain("agent", "AGENT", { drop: 2 }),
  ],
  findings: [
    plain("rule"),
    plain("path", "FILE", { shorten: "path" }),
    plain("message", "MESSAGE", { shorten: "words" }),
    plain("remedy", "DO", { shorten: "words" }),
  ],
  drivers: [
    plain("slug"),
    plain("installed"),
    plain("continuity", "CONTINUITY", { drop: 1 }),
    plain("summary", "SUMMARY", { shorten: "words" }),
  ],
  models: [
    plain("name"),
    ["DEFAULT", (row) => (row["isDefault"] === true ? "*" : "")],
    plain("api"),
    ["WINDOW", (row) => spellCount(Number(row["window"])), { drop: 2 }],
    ["IN", (row) => spellPrice(row["price"], "input"), { drop: 3 }],
    ["OUT", (row) => spellPrice(row["price"], "output"), { drop: 3 }],
    ["KEY", (row) => spellKey(row["key"]), { shorten: "path", drop: 1 }],
  ],
  servers: [
    plain("name"),
    plain("state"),
    ["TOOLS", (row) => spell(row["tools"] ?? "")],
    plain("sessions", "SESSIONS", { drop: 3 }),
    plain("processes", "PROCESSES", { drop: 4 }),
    ["LOGIN", (row) => spell(row["login"] ?? ""), { drop: 5 }],
    plain("target", "TARGET", { shorten: "end", drop: 2 }),
    ["PROBLEM", (row) => withoutStart(spell(row["problem"] ?? ""), `${spell(row["name"])}: `), { shorten: "words" }],
  ],
  tools: [plain("name"), plain("kind", "KIND", { drop: 1 }), plain("description", "DESCRIPTION", { shorten: "words" })],
  tokens: [
    plain("tokenId", "ID"),
    plain("label"),
    plain("capabilities"),
    plain("sessionId", "SESSION"),
    ["EXPIRES", (row) => (typeof row["expiresAtMs"] === "number" ? new Date(row["expiresAtMs"]).toISOString() : "-")],
  ],
  secrets: [
    plain("name"),
    ["SCOPE", (row) => spellScope(row["scope"])],
    plain("bytes", "BYTES", { drop: 4 }),
    plain("fingerprint"),
    ["CHANGED", (row) => spellAge(row["changedAt"]), { drop: 3 }],
    ["USED", (row) => (row["lastUsedAt"] === undefined ? "never" : spellAge(row["lastUsedAt"])), { drop: 2 }],
    plain("owner", "OWNER", { drop: 1 }),
    ["STATE", (row) => (row["lost"] === true ? "lost" : "")],
  ],
  artifacts: [plain("path"), plain("version"), plain("bytes"), plain("mediaType", "TYPE"), plain("versions")],
  events: [plain("seq"), plain("id"), ["AT", (row) => time(row["at"])], plain("type"), plain("actor"), DATA],
  entries: [plain("seq"), ["AT", (row) => time(row["at"])], plain("stream"), plain("type"), plain("actor"), DATA],
  hits: [
    ["SESSION", (row) => spell(memberOf(row["session"], "name"))],
    plain("eventId", "EVENT"),
    plain("snippet", "SNIPPET", { shorten: "words" }),
  ],
  turns: [
    plain("turn"),
    ["OUTCOME", (row) => (row["rewound"] === true ? "rewound" : spell(row["outcome"] ?? "running"))],
    ["STARTED", (row) => spellAge(row["startedAt"]), { drop: 1 }],
    ["TOKENS", (row) => spellTokens(row["spent"]), { drop: 2 }],
    ["COST", (row) => spellCost(row["spent"]), { drop: 3 }],
    plain("prompt", "PROMPT", { shorten: "words" }),
  ],
  settings: [
    plain("key"),
    ["VALUE", (row) => (row["value"] === null ? "-" : spell(row["value"])), { shorten: "end" }],
    plain("from"),
    plain("meaning", "MEANING", { shorten: "words", drop: 1 }),
  ],
  items: [plain("status"), plain("text")],
  latest: [
    plain("slug"),
    plain("package"),
    plain("installed"),
    plain("latest", "NEWEST"),
    plain("state"),
    ["SUPPORTED", (row) => (row["isSupported"] === true ? "yes" : "no")],
    plain("says", "SEEN", { shorten: "words" }),
  ],
};

const COMMIT_CHARS = 10;

/** What a landing waits for, or why it did not land. */
function whyOf({ findings, held, reason, checking, behind }: Row): string {
  const first = Array.isArray(findings) ? memberOf(findings[0], "message") : undefined;
  const front = memberOf(behind, "sessionName");
  return spell(first ?? held ?? reason ?? checking ?? (front === undefined ? "" : `behind ${spell(front)}`));
}

/** For lists without an entry here: every member of the first row. */
export function columnsOf(list: string, first: Row | undefined): Columns {
  return COLUMNS[list] ?? Object.keys(first ?? {}).map((member) => plain(member));
}

/** Tokens in and out; empty when the agent reports none. */
function spellTokens(spent: unknown): string {
  const counts = ["input", "output"].map((member) => Number(memberOf(spent, member) ?? 0));
  return counts.some((count) => count > 0) ? counts.map(spellCount).join("/") : "";
}

function spellCost(spent: unknown): string {
  const cost = Number(memberOf(spent, "costUsd") ?? 0);
  return cost > 0 ? spellDollars(cost) : "";
}

/** `approval`, or `quota until 14:05`. */
function waitOf({ waitingFor, waitingUntil }: Row): string {
  return waitingFor === "quota" ? spellQuota(waitingUntil) : spell(waitingFor);
}

/** Dollars per million tokens. */
function spellPrice(price: unknown, member: string): string {
  const dollars = memberOf(price, member);
  return typeof dollars === "number" ? `$${dollars}` : "";
}

function spellKey(key: unknown): string {
  if (key === null || key === undefined) return "none needed";
  const problem = spell(memberOf(key, "problem") ?? "missing").replace(/\.$/, "");
  return `${spell(memberOf(key, "source"))}${memberOf(key, "isThere") === true ? "" : ` (${problem})`}`;
}

/** The name stands in a column of its own. */
function withoutStart(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text;
}

function spellScope(scope: unknown): string {
  const [[kind, name] = []] = Object.entries(scope ?? {});
  return kind === undefined ? "home" : `${kind}:${name}`;
}

/** Who works on a ticket now. */
function holderOf(lease: unknown): string {
  return memberOf(lease, "live") === true ? spell(memberOf(lease, "owner")) : "";
}

function listed(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function time(at: unknown): string {
  return spell(at).slice(11, 23);
}
