import * as z from "zod";
import { NomosError, SessionId } from "../../contract/index.ts";
import { decideGate, SYSTEM_EVENTS } from "../../domains/index.ts";
import { dataIn, sessionStream } from "../../kernel/index.ts";
import { type Context, type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";

const Count = z.number().int();
const PLACES_MAX = 500;
const PLACES_DEFAULT = 100;

const Found = z.object({
  kind: z.string().describe("`vault` for a value of the vault, else the shape of a well-known key"),
  fingerprint: z.string().describe("the same for the same value; the value itself is never told"),
  count: Count,
});

const ScanReport = z.object({
  vault: z.enum(["open", "locked"]).describe("while it is locked only shapes of keys are found, not its values"),
  looked: z.object({ events: Count, blobs: Count, files: Count, bytes: Count.describe("of blobs and files") }),
  count: Count.describe("how often secrets were found"),
  secrets: z.array(
    Found.extend({
      events: Count,
      erasable: Count.describe("events of these that can be erased"),
      sessions: z.array(z.string()),
      moreSessions: z.boolean(),
      files: Count,
    }),
  ),
  moreSecrets: Count.describe("secrets that are not in this list"),
  places: z.array(
    Found.extend({
      seq: Count,
      eventId: z.string(),
      stream: z.string(),
      type: z.string(),
      where: z.enum(["data", "blob", "header"]),
      erasable: z.boolean(),
      erased: z.boolean(),
    }),
  ),
  next: Count.nullable().describe("`after` of the next page of places; null: these are all"),
  files: z
    .array(
      z.object({
        path: z.string(),
        what: z.enum(["archive", "backup", "export", "daemon-log"]),
        count: Count,
        secrets: z.array(Found),
        remedy: z.string(),
      }),
    )
    .describe("files with secrets; a scan never changes them"),
  moreFiles: Count,
  unread: z
    .array(z.object({ as: z.string(), count: Count, names: z.array(z.string()) }))
    .describe("what could not be looked into: packed, in another encoding, damaged"),
  erased: z.object({ events: Count, streams: Count }),
  left: z
    .array(z.object({ stream: z.string(), events: Count, code: z.string() }))
    .describe("not erased now, and why: `session_busy` between its turns"),
  more: z.boolean().describe("true: this run reached its limit; erase again for the rest"),
  notes: z.array(z.string()).describe("what becomes of the search index, and what is not looked at"),
});

const NOTES = [
  "The search index is made from the log: an erasure takes the words out of it, and if `search.db` is deleted the daemon makes it again.",
  "Not looked at: files of sessions, their worktrees and snapshots, and what agents of others keep themselves.",
];

/** Only the operator looks at everything; a token finds what it may read. */
export const scan: readonly Syscall[] = [
  write({
    name: "secret.scan",
    summary: "Search what is already written for secrets; with `erase`, erase the events that hold them",
    permission: "secret.scan",
    roles: [],
    needs: ["secretScan", "secrets", "policy"],
    about: ({ session }) => (typeof session === "string" ? sessionStream(session) : "system"),
    names: { session: "session" },
    input: z.object({
      session: SessionId.optional().describe("only this session; default: every session that you may read"),
      all: z
        .boolean()
        .optional()
        .describe("for the operator: all streams, archives, backups, exports and the daemon's log"),
      erase: z.boolean().optional().describe("erase the data of events with secrets for good, between turns"),
      after: z.coerce.number().int().min(0).optional().describe("a `next` of an earlier page; then no files are read"),
      limit: z.coerce.number().int().min(1).max(PLACES_MAX).optional().describe("places in the answer"),
    }),
    output: ScanReport,
    errors: ["denied", "session_not_found", "overloaded", "disk_low", "call_cancelled"],
    http: { method: "POST", path: "/api/secrets/scan" },
    cli: { positional: [] },
    heavy: true,
    destructive: true,
    commit: async (context, input) => {
      const { session, all = false, after = 0, limit = PLACES_DEFAULT } = input;
      const { services, actor, signal, progress } = context;
      if (all && session !== undefined)
        throw new NomosError("invalid_request", { field: "all" }, { message: "Give a session or `all`, not both." });
      const isOperator = (await services.secrets.owners.ofPrincipal(actor.principal)) === "operator";
      if (all && !isOperator) throw new NomosError("denied", { capability: "secret.scan", rules: ["all: operator"] });
      const asked = { sessionId: session ?? null, all, isErasing: input.erase === true, after, placesMax: limit };
      const may = (verb: string) => (stream: string) => mayDo(context, verb, stream);
      const rights = { mayRead: may("session.read"), mayErase: may("session.erase") };
      return services.secretScan.run(asked, rights, { by: byOf(context), signal, progress });
    },
    answer: async (_context, _input, events) => {
      const scanned = dataIn(SYSTEM_EVENTS, events, "log.scanned@1");
      if (scanned === null) throw new NomosError("internal", { reason: "no scan was recorded" });
      return ScanReport.parse({ ...scanned, notes: NOTES });
    },
  }),
];

function mayDo({ services, actor }: Context<"policy">, verb: string, resource: string): boolean {
  return decideGate(actor, { verb, resource, tool: null }, services.policy.current()).verdict === "allow";
}
