import type { Secret } from "../frame/index.ts";

/** `home`, or as the command line has it: `workspace:SLUG`, `agent:SLUG`, `session:ID`. */
export function scopeText({ scope: { workspace, agent, session } }: Pick<Secret, "scope">): string {
  if (session !== undefined) return `session:${session}`;
  if (agent !== undefined) return `agent:${agent}`;
  return workspace === undefined ? "home" : `workspace:${workspace}`;
}

/** One name can stand in several scopes and belong to several people. */
export function keyOf(secret: Pick<Secret, "name" | "scope" | "owner">): string {
  return `${secret.name} (${scopeText(secret)}, ${secret.owner})`;
}

/** The same value under several names has one fingerprint. */
export function namesByFingerprint(secrets: readonly Secret[]): ReadonlyMap<string, readonly string[]> {
  const grouped = Map.groupBy(secrets, ({ fingerprint }) => fingerprint);
  return new Map([...grouped].map(([fingerprint, own]) => [fingerprint, own.map(keyOf)]));
}

/** Every word is in the name, the scope, the owner or the fingerprint. */
export function matching(secrets: readonly Secret[], words: string, fingerprint: string | null): readonly Secret[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return secrets.filter((secret) => {
    if (fingerprint !== null && secret.fingerprint !== fingerprint) return false;
    const text = `${keyOf(secret)} ${secret.fingerprint}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

const DAY_MS = 86_400_000;

/** Uses of each of the last days, by the browser's calendar; also of days without one. */
export function usesByDay(
  times: readonly string[],
  untilMs: number,
  days: number,
): readonly { readonly name: string; readonly value: number }[] {
  const own = Map.groupBy(times, (at) => dayOf(Date.parse(at)));
  return Array.from({ length: days }, (_none, index) => {
    const name = dayOf(untilMs - (days - 1 - index) * DAY_MS);
    return { name, value: own.get(name)?.length ?? 0 };
  });
}

function dayOf(atMs: number): string {
  const at = new Date(atMs);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
