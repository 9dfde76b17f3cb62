/** The server does something that AIP-46 does not allow. */
class Unmet extends Error {}

export function expect(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Unmet(what);
}

export function member(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** AIP-46 does not say where in the body an error code is, so all usual places are tried. */
export function codeIn(body: unknown): string {
  const error = member(body, "error");
  return String(member(error, "code") ?? member(body, "code") ?? error ?? "");
}

const POLL_MS = 25;
const WAIT_MAX_MS = 10_000;

/** Repeats the request until the answer matches. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  maxMs = WAIT_MAX_MS,
): Promise<T> {
  for (const untilMs = Date.now() + maxMs; ; ) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > untilMs) throw new Unmet(`not within ${maxMs} ms: ${what}`);
    await pause(POLL_MS);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
