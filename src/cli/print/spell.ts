/** A value on one line, for a person. */
export function spell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ") || "-";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
] as const;

export function spellDuration(ms: number): string {
  const [unitMs, unit] = UNITS.find(([size]) => ms >= size) ?? [1, "ms"];
  return `${Math.floor(ms / unitMs)} ${unit}`;
}

/** How long ago; text that is not a time is returned unchanged. */
export function spellAge(iso: unknown): string {
  const ms = typeof iso === "string" ? Date.now() - Date.parse(iso) : Number.NaN;
  if (Number.isNaN(ms)) return spell(iso);
  return ms < 1_000 ? "now" : `${spellDuration(ms)} ago`;
}

/** `quota until 14:05`; on another day with its date. */
export function spellQuota(until: unknown): string {
  const at = typeof until === "string" ? new Date(until) : null;
  if (at === null || Number.isNaN(at.getTime())) return "quota";
  const isToday = at.toDateString() === new Date().toDateString();
  const [hours, minutes] = [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, "0"));
  const day = isToday ? "" : `${at.getDate()} ${at.toLocaleString("en", { month: "short" })} `;
  return `quota until ${day}${hours}:${minutes}`;
}

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export function spellBytes(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[power]}`;
}

/** 950, 12k, 3.4M */
export function spellCount(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

export function spellDollars(dollars: number): string {
  return `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`;
}

/** 1 event, 1,200 events */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : `${noun}s`}`;
}
