import { type Refusal, refuse } from "../../kernel/index.ts";
import { parseIsoTime, writeIsoTime } from "./iso-time.ts";
import { LEASE_LIMITS, type Lease } from "./lease.ts";

/** The first line. ExoProtocol writes and reads the same. */
const FORMAT = "exo-distributed-lease-v1";
const TEXT_MAX = { chars: 8192, lines: 48, valueChars: 200 } as const;
const KEY = /^[a-z][a-z0-9_]{0,39}$/;
/** One line, without characters that nobody sees or that turn a text around. */
const VALUE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;
const COUNT = /^(?:0|[1-9]\d{0,15})$/;

/** ExoProtocol's lines come first, in its order; what only we know comes behind them, where it does not look. */
export function writeLease(lease: Lease): string | Refusal {
  const { ticketId, owner, role, createdMs, updatedMs, heartbeatMs, untilMs, fence, baseBranch, nonce } = lease;
  const { sessionId, host, clone, remote, minutes, serial, releasedMs } = lease;
  const until = writeIsoTime(untilMs);
  const values: readonly (readonly [string, string | null])[] = [
    ["ticket_id", ticketId],
    ["owner", owner],
    ["role", role],
    ["created_at", writeIsoTime(createdMs)],
    ["updated_at", writeIsoTime(updatedMs)],
    ["heartbeat_at", writeIsoTime(heartbeatMs)],
    ["expires_at", until],
    ["lease_expires_at", until],
    ["fencing_token", String(fence)],
    ["base_branch", baseBranch],
    ["nonce", nonce],
    ["session", sessionId],
    ["host", host],
    ["clone", clone],
    ["remote", remote],
    ["minutes", String(minutes)],
    ["serial", String(serial)],
    ["released_at", releasedMs === null ? null : writeIsoTime(releasedMs)],
  ];
  const told = values.flatMap(([key, value]) => (value === null ? [] : [{ key, value }]));
  const odd = told.find(({ value }) => !isValue(value));
  if (odd !== undefined) return refuse("lease_damaged", { reason: `${odd.key} is not one line of plain text` });
  return [FORMAT, ...told.map(({ key, value }) => `${key}: ${value}`), ""].join("\n");
}

/** Reads a record of ours or of ExoProtocol. Further keys are skipped; whatever is ambiguous is refused. */
export function parseLease(text: string): Lease | Refusal {
  const damaged = (reason: string): Refusal => refuse("lease_damaged", { reason });
  if (text.length > TEXT_MAX.chars) return damaged("it is too long");
  const [first, ...lines] = text.split("\n").filter((line) => line.trim() !== "");
  if (first !== FORMAT) return damaged("it does not begin as a lease");
  if (lines.length > TEXT_MAX.lines) return damaged("it has too many lines");
  const values = new Map<string, string>();
  for (const line of lines) {
    const at = line.indexOf(":");
    const [key, value] = [line.slice(0, Math.max(0, at)), line.slice(at + 1).trim()];
    if (!KEY.test(key) || !isValue(value)) return damaged("a line is not `key: value` in plain text");
    if (values.has(key)) return damaged(`${key} is told twice`);
    values.set(key, value);
  }
  const lease = leaseOf(values);
  return typeof lease === "string" ? damaged(`${lease} is missing or invalid`) : lease;
}

/** The key that is wrong, or the lease. */
function leaseOf(values: ReadonlyMap<string, string>): Lease | string {
  const wrong: string[] = [];
  const word = (key: string): string => {
    const value = values.get(key) ?? "";
    if (value === "") wrong.push(key);
    return value;
  };
  const time = (key: string): number => {
    const ms = parseIsoTime(values.get(key) ?? "");
    if (ms === null) wrong.push(key);
    return ms ?? 0;
  };
  const count = (key: string, max: number, missing: number | null): number => {
    const value = values.get(key);
    if (value === undefined && missing !== null) return missing;
    const told = COUNT.test(value ?? "") ? Number(value) : Number.NaN;
    if (!(told <= max)) wrong.push(key);
    return told;
  };
  const untilMs = time("lease_expires_at");
  if (time("expires_at") !== untilMs) wrong.push("expires_at");
  for (const key of ["role", "base_branch"]) if (!values.has(key)) wrong.push(key);
  const lease: Lease = {
    ticketId: word("ticket_id"),
    owner: word("owner"),
    role: values.get("role") ?? "",
    createdMs: time("created_at"),
    updatedMs: time("updated_at"),
    heartbeatMs: time("heartbeat_at"),
    untilMs,
    fence: count("fencing_token", LEASE_LIMITS.fenceMax, null),
    baseBranch: values.get("base_branch") ?? "",
    nonce: word("nonce"),
    sessionId: values.get("session") ?? null,
    host: values.get("host") ?? null,
    clone: values.get("clone") ?? null,
    remote: values.get("remote") ?? null,
    minutes: count("minutes", LEASE_LIMITS.minutesMax, LEASE_LIMITS.minutesUsual),
    serial: count("serial", Number.MAX_SAFE_INTEGER - 1, 0),
    releasedMs: values.has("released_at") ? time("released_at") : null,
  };
  return wrong[0] ?? lease;
}

function isValue(value: string): boolean {
  return value.length <= TEXT_MAX.valueChars && VALUE.test(value) && value === value.trim();
}
