import * as z from "zod";
import { SessionId, SpentWire, spentWire } from "../../contract/index.ts";
import { dataIn, SESSION_EVENTS, Session } from "../../kernel/index.ts";
import { type ListedTurn, readTurns } from "../../supervisor/index.ts";
import { read, type Syscall, write } from "../define.ts";
import { Flag, Limit } from "../query-text.ts";
import { byOf, sessionRowOf } from "./answer.ts";

const byId = z.object({ id: SessionId });
const TURNS_MAX = 1000;
const Side = z.object({ mode: z.string(), size: z.number(), target: z.string().nullable() });

export const sessionFileCalls: readonly Syscall[] = [
  write({
    name: "session.snapshot",
    summary: "Take a snapshot of a session's files now, in addition to the one at each turn's end",
    permission: "session.control",
    roles: [],
    needs: ["supervisor"],
    heavy: true,
    about: "session",
    input: byId,
    output: z.object({
      id: z.string(),
      snapshot: z.string(),
      isNew: z.boolean(),
      files: z.number(),
      bytes: z.number(),
    }),
    errors: [
      "overloaded",
      "session_not_found",
      "quota_exceeded",
      "disk_full",
      "disk_low",
      "tree_missing",
      "tree_moved",
      "tree_too_broad",
      "tree_too_large",
      "tree_unreadable",
    ],
    http: { method: "POST", path: "/sessions/:id/snapshot" },
    cli: {
      positional: ["id"],
      short: "snapshot",
      says: [
        ["isNew", true, "Took the snapshot {snapshot}."],
        ["isNew", false, "No file changed since the snapshot {snapshot}."],
        "It holds {files|file}, {bytes|bytes}.",
      ],
    },
    idempotent: true,
    commit: (context, { id }) => context.services.supervisor.snapshot(id, byOf(context)),
    answer: async (context, { id }, events) => {
      const noted = dataIn(SESSION_EVENTS, events, "snapshot.taken@1");
      const taken = noted ?? (await context.services.supervisor.lastSnapshot(id));
      const { snapshot = "", files = 0, bytes = 0 } = taken ?? {};
      return { id, snapshot, isNew: events.length > 0, files, bytes };
    },
  }),
  read({
    name: "session.turns",
    summary: "List a session's turns by number, as `rewind`, `fork` and `diff` take them",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["store"],
    about: "session",
    input: byId.extend({
      after: z.coerce.number().int().min(0).optional().describe("the `next` of the previous page"),
      limit: Limit(TURNS_MAX),
    }),
    output: z.object({
      turns: z.array(
        z.object({
          turn: z.number().int(),
          turnId: z.string(),
          prompt: z.string().nullable().describe("the first line, cut; null: erased"),
          outcome: z.string().nullable().describe("null: it runs"),
          startedAt: z.string(),
          endedAt: z.string().optional(),
          rewound: z.boolean().describe("a rewind went back behind its end"),
          eventId: z.string().nullable().describe("its end, where a rewind to it goes; null: it runs"),
          spent: SpentWire.optional(),
        }),
      ),
      next: z.number().int().nullable(),
    }),
    errors: ["session_not_found", "ambiguous_id"],
    http: { method: "GET", path: "/sessions/:id/turns" },
    cli: { positional: ["id"], short: "turns" },
    mcp: { toolsets: ["core"] },
    answer: async (context, { id, after, limit }) => {
      await sessionRowOf(context, id);
      const { store } = context.services;
      const page = { after: after ?? 0, limit: limit ?? 100 };
      const { turns, next } = await readTurns(store, await store.fold(Session, id), page);
      return { turns: turns.map(turnWire), next };
    },
  }),
  read({
    name: "session.diff",
    summary: "Show which files a turn changed, including changes made through the shell",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["supervisor"],
    heavy: true,
    about: "session",
    input: byId.extend({
      turn: z
        .union([z.number().int().min(1), z.string().max(64)])
        .optional()
        .describe("number of the turn, from 1, or its id; default: the running turn, else the last"),
      binary: Flag.describe("also give binary files and control characters, as git's binary patch"),
    }),
    output: z.object({
      id: z.string(),
      turnId: z.string(),
      turn: z.number(),
      from: z.string().nullable(),
      to: z.string(),
      files: z.array(
        z.object({
          path: z.string(),
          change: z.enum(["added", "changed", "deleted", "mode"]),
          kind: z.string(),
          before: Side.nullable(),
          after: Side.nullable(),
          diff: z.string().nullable().describe("a unified diff, for text files"),
          noDiff: z.string().nullable().describe("why there is no diff"),
          binary: z.string().optional().describe("the lines of a git patch from `index` on, if asked for"),
        }),
      ),
    }),
    errors: [
      "overloaded",
      "session_not_found",
      "ambiguous_id",
      "turn_not_found",
      "files_not_kept",
      "snapshot_missing",
      "snapshot_damaged",
    ],
    http: { method: "GET", path: "/sessions/:id/diff" },
    cli: { positional: ["id"], short: "diff", print: "diff" },
    mcp: { toolsets: ["core"] },
    answer: async (context, { id, turn, binary }) => {
      const found = await context.services.supervisor.diff(id, turn ?? null, binary ?? false);
      return { ...found, files: [...found.files] };
    },
  }),
];

function turnWire({ endedAt, spent, ...turn }: ListedTurn) {
  return {
    ...turn,
    ...(endedAt === null ? {} : { endedAt }),
    ...(spent === null ? {} : { spent: spentWire(spent) }),
  };
}
