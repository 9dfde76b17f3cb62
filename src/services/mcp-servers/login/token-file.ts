import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { type Clock, readSmallFile, writeFileAtomic } from "../../../host/index.ts";

/** What a login left: the client as it was registered, its tokens, and where they are refreshed. */
const StoredLogin = z.object({
  url: z.string(),
  client: z.looseObject({ client_id: z.string(), redirect_uris: z.array(z.string()).optional() }).optional(),
  tokens: z
    .looseObject({ access_token: z.string(), token_type: z.string(), refresh_token: z.string().optional() })
    .optional(),
  expiresAtMs: z.number().nullable().optional(),
  authorizationServer: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  resource: z.string().optional(),
});
export type StoredLogin = z.infer<typeof StoredLogin>;

/** `keys/mcp/NAME.json`: readable for the daemon's user alone, and in no backup. */
export interface TokenFile {
  readonly read: () => Promise<StoredLogin | null>;
  readonly write: (login: StoredLogin) => Promise<void>;
  readonly remove: () => Promise<void>;
  /** Runs alone, also among other processes on the same file. */
  readonly alone: <T>(run: () => Promise<T>) => Promise<T>;
}

const BYTES_MAX = 262_144;
const TRY_EVERY_MS = 25;
/** A process that holds the lock longer than this has died. */
const STALE_MS = 30_000;
const PATIENCE_MS = 45_000;

export function openTokenFile(path: string, clock: Clock): TokenFile {
  const lock = `${path}.lock`;
  return {
    read: async () => {
      const text = await readSmallFile(path, BYTES_MAX);
      const parsed = text === null ? null : StoredLogin.safeParse(orNull(text));
      return parsed?.success === true ? parsed.data : null;
    },
    write: async (login) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFileAtomic(path, JSON.stringify(login), { mode: 0o600 });
    },
    remove: () => rm(path, { force: true }),
    alone: async (run) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await takeLock(lock, clock);
      try {
        return await run();
      } finally {
        await rm(lock, { force: true });
      }
    },
  };
}

async function takeLock(lock: string, clock: Clock): Promise<void> {
  const untilMs = clock.steadyMs() + PATIENCE_MS;
  while (!(await isMade(lock))) {
    if (clock.steadyMs() > untilMs) throw new Error(`${lock} is held by another process`);
    await removeStale(lock, clock);
    await clock.sleep(TRY_EVERY_MS);
  }
}

async function isMade(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, "wx", 0o600);
    await file.close();
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST") return false;
    throw thrown;
  }
}

/** Moved before it is removed: of two processes that find it stale, one moves it. */
async function removeStale(lock: string, clock: Clock): Promise<void> {
  const found = await stat(lock).catch(() => null);
  if (found === null || clock.nowMs() - found.mtimeMs < STALE_MS) return;
  const aside = `${lock}.${process.pid}`;
  await rename(lock, aside).catch(() => undefined);
  await rm(aside, { force: true });
}

function orNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
