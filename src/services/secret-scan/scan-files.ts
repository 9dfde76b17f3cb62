import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FoundSecret, ScannedFile } from "../../domains/index.ts";
import {
  bundleLines,
  bundleParts,
  MANIFEST,
  openBackupLog,
  partBytes,
  readArchive,
  StoreError,
} from "../../store/index.ts";
import { type Look, together } from "./look.ts";
import { lookThrough } from "./scan-events.ts";
import type { Tally } from "./tally.ts";

/** Files beside the log. They are opened for reading alone and never changed. */
export interface FileScan {
  /** `null`: the archives of all sessions. */
  readonly archives: (isWanted: (sessionId: string) => boolean) => Promise<void>;
  readonly backups: (paths: readonly string[]) => Promise<void>;
  readonly exports: () => Promise<void>;
  readonly logs: () => Promise<void>;
}

type Found = readonly FoundSecret[];

const ARCHIVE = /^([0-9a-f-]{36})\.jsonl\.zst$/;
const EVENTS_FILE = "events.jsonl";

export function createFileScan(home: string, look: Look, tally: Tally): FileScan {
  /** A file that cannot be read is named, and the scan goes on. */
  const scan = async (what: ScannedFile["what"], path: string, read: (path: string) => Promise<Found>) => {
    await look.breathe();
    const found = await read(path).catch((thrown: unknown) => ifUnreadable(tally, path, thrown));
    tally.looked({ files: 1 });
    tally.file({ path, what }, found);
  };
  const parts = createPartLook(look, tally);

  return {
    archives: async (isWanted) => {
      for (const name of await namesIn(join(home, "archive"))) {
        const [, sessionId] = ARCHIVE.exec(name) ?? [];
        if (sessionId !== undefined && isWanted(sessionId))
          await scan("archive", join(home, "archive", name), parts.archive);
      }
    },
    backups: async (paths) => {
      const own = (await namesIn(join(home, "backups"))).map((name) => join(home, "backups", name));
      for (const path of new Set([...own, ...paths])) {
        const isBackup = (await lstat(join(path, MANIFEST)).catch(() => null))?.isFile() === true;
        if (isBackup) await scan("backup", path, parts.backup);
      }
    },
    exports: async () => {
      for (const name of await namesIn(join(home, "exports")))
        await scan("export", join(home, "exports", name), parts.bundle);
    },
    logs: async () => {
      for (const name of await namesIn(join(home, "logs")))
        await scan("daemon-log", join(home, "logs", name), parts.plain);
    },
  };
}

interface PartLook {
  readonly archive: (path: string) => Promise<Found>;
  readonly backup: (path: string) => Promise<Found>;
  readonly bundle: (path: string) => Promise<Found>;
  readonly plain: (path: string) => Promise<Found>;
}

function createPartLook(look: Look, tally: Tally): PartLook {
  const taken = async (chunks: AsyncIterable<Uint8Array>, name: string): Promise<Found> => {
    const { found, unread, bytes } = await look.chunks(chunks);
    tally.looked({ bytes });
    if (unread !== null) tally.unread(unread, name);
    return found;
  };
  const stored = (header: string, data: Uint8Array | null): Found => {
    const headed = look.data([header]);
    return data === null ? headed : together(headed, look.data(jsonOf(Buffer.from(data).toString("utf8"))));
  };
  const archive = async (path: string): Promise<Found> => {
    let found: Found = [];
    for await (const line of readArchive(path)) {
      const more =
        line.kind === "event"
          ? stored(Buffer.from(line.event.header).toString("utf8"), line.event.data)
          : await taken(one(line.bytes), `${path}: blob ${line.blob}`);
      found = together(found, more);
      await look.breathe();
    }
    return found;
  };
  return {
    archive,
    plain: (path) => taken(createReadStream(path), path),
    bundle: async (path) => {
      let found: Found = [];
      for await (const part of bundleParts(path)) {
        if (part.name !== EVENTS_FILE) found = together(found, await taken(partBytes(part), `${path}/${part.name}`));
        else
          for await (const line of bundleLines(part)) {
            found = together(found, line.kind === "event" ? stored(line.header, line.data) : look.data(line.text));
            await look.breathe();
          }
      }
      return found;
    },
    backup: async (path) => {
      let found: Found = [];
      const log = openBackupLog(path);
      try {
        const source = { page: log.readAll, blob: log.blob };
        const range = { after: 0, upTo: log.lastSeq() };
        const notes = {
          looked: ({ bytes = 0 }) => tally.looked({ bytes }),
          unread: (as: string, name: string) => tally.unread(as, `${path}: ${name}`),
        };
        for await (const sight of lookThrough(source, look, range, () => true, notes))
          found = together(found, sight.found);
      } finally {
        log.close();
      }
      for (const name of await namesIn(join(path, "archive")))
        if (ARCHIVE.test(name)) found = together(found, await archive(join(path, "archive", name)));
      return found;
    },
  };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Looked at as it stands.
    return text;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).toSorted();
}

function ifUnreadable(tally: Tally, path: string, thrown: unknown): Found {
  const code = thrown instanceof StoreError ? thrown.code : codeOf(thrown);
  if (code === null) throw thrown;
  tally.unread(code, path);
  return [];
}

/** Of a failed read of a file, such as EACCES. Anything else is a bug, or the caller has gone. */
function codeOf(thrown: unknown): string | null {
  return thrown instanceof Error && "errno" in thrown && "code" in thrown ? String(thrown.code) : null;
}
