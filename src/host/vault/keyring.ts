/** The system's keyring. Null from `openKeyring`: this installation has no part that speaks to one. */
export interface Keyring {
  /** Null: it holds nothing under this account. */
  readonly get: (account: string) => Promise<string | null>;
  readonly set: (account: string, text: string) => Promise<void>;
  readonly remove: (account: string) => Promise<void>;
}

const SERVICE = "nomos";
/** A keyring that waits for a person on another screen must not hold up a start. */
const ANSWER_MAX_MS = 5_000;

/** Optional: where the package or its binary is missing, only the key in the keyring is out of reach. */
export async function openKeyring(): Promise<Keyring | null> {
  const found = await import("@napi-rs/keyring").catch(() => null);
  if (found === null) return null;
  const { AsyncEntry } = found;
  // Without the pin it would fall back to the kernel's keyring, which forgets everything at the next boot.
  const entry = (account: string) => new AsyncEntry(SERVICE, account, { linux: { store: "secret-service" } });
  return {
    get: (account) => inTime(async (signal) => (await entry(account).getPassword(signal)) ?? null),
    set: (account, text) => inTime((signal) => entry(account).setPassword(text, signal)),
    remove: async (account) => void (await inTime((signal) => entry(account).deleteCredential(signal))),
  };
}

/** The library may ignore the signal, so the wait itself ends too. */
async function inTime<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ANSWER_MAX_MS);
  const late = Promise.withResolvers<never>();
  const end = (): void => late.reject(new Error(`the keyring gave no answer within ${ANSWER_MAX_MS} ms`));
  signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([ask(signal), late.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
