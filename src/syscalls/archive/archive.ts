import { join } from "node:path";
import * as z from "zod";
import { EventWire, NomosError, SessionId } from "../../contract/index.ts";
import { sessionStream } from "../../kernel/index.ts";
import { hashFile, provedEvents, StoreError } from "../../store/index.ts";
import { type Context, read, type Syscall } from "../define.ts";
import { sessionRowOf } from "../session/answer.ts";

type Entry = z.input<typeof EventWire>;
const PAGE_MAX = 1000;

/** Reads and verifies archives of sessions. */
export const archive: readonly Syscall[] = [
  read({
    name: "archive.read",
    summary: "Read the events of an archived session, each checked against its hash in the log",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["daemon", "store"],
    heavy: true,
    about: "session",
    input: z.object({
      id: SessionId,
      after: z.coerce.number().int().min(0).optional().describe("a `next` or a `seq`; reading starts after it"),
      limit: z.coerce.number().int().min(1).max(PAGE_MAX).optional(),
    }),
    output: z.object({ id: z.string(), events: z.array(EventWire), next: z.number().int().nullable() }),
    errors: ["overloaded", "session_not_found", "archive_not_found", "archive_invalid"],
    http: { method: "GET", path: "/sessions/:id/archive" },
    cli: { positional: ["id"] },
    answer: async (context, { id, after = 0, limit = 100 }) => {
      const { path } = await archiveOf(context, id);
      const events: Entry[] = [];
      for await (const event of provedEvents(context.services.store, sessionStream(id), path)) {
        if (event.seq <= after) continue;
        if (events.length === limit) return { id, events, next: events.at(-1)?.seq ?? null };
        events.push({ ...event, data: event.data as Entry["data"] });
      }
      return { id, events, next: null };
    },
  }),
  read({
    name: "archive.verify",
    summary: "Check every byte of a session's archive against the hashes in the log",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["daemon", "store"],
    heavy: true,
    about: "session",
    input: z.object({ id: SessionId }),
    output: z.object({
      ok: z.boolean(),
      id: z.string(),
      file: z.string(),
      events: z.number().int(),
      problem: z.string().nullable(),
    }),
    errors: ["overloaded", "session_not_found", "archive_not_found"],
    http: { method: "GET", path: "/sessions/:id/archive/verify" },
    cli: {
      positional: ["id"],
      says: [
        ["ok", true, "The archive {file} is intact: {events|event}."],
        ["ok", false, "The archive {file} is damaged: {problem}"],
      ],
    },
    answer: async (context, { id }) => {
      const { path, file, sha256 } = await archiveOf(context, id);
      let events = 0;
      try {
        const found = await hashFile(path);
        for await (const _event of provedEvents(context.services.store, sessionStream(id), path)) events += 1;
        const ok = found.sha256 === sha256;
        return { ok, id, file, events, problem: ok ? null : "it is not the file that was written" };
      } catch (thrown) {
        if (!(thrown instanceof StoreError) || thrown.code !== "archive_invalid") throw thrown;
        return { ok: false, id, file, events, problem: String(thrown.details["problem"]) };
      }
    },
  }),
];

/** The archive's file, as the session's row names it. */
async function archiveOf(context: Context<"daemon" | "store">, id: string) {
  const { archived } = await sessionRowOf(context, id);
  if (archived === null) throw new NomosError("archive_not_found", { id, reason: "it was not archived" });
  if (archived.archive === null) throw new NomosError("archive_not_found", { id, reason: "no archive was made of it" });
  const { file, sha256 } = archived.archive;
  return { file, sha256, path: join(context.services.daemon.home, "archive", file) };
}
