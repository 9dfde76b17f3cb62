import * as z from "zod";
import type { ConflictRow } from "../../domains/index.ts";
import { SESSIONS } from "../../kernel/index.ts";
import { type Context, read, type Syscall } from "../define.ts";

const Range = z.object({ from: z.number().int(), to: z.number().int() });
const FileWire = z.object({
  path: z.string(),
  kind: z
    .enum(["content", "add", "binary", "delete", "rename", "mode", "type", "large", "shared", "moved"])
    .describe("what collides; moved: the branch changed it too, and it merges by itself"),
  lines: z
    .array(z.object({ a: Range, b: Range }))
    .optional()
    .describe("the places that collide: in the file of the first session, and in that of the second or on the branch"),
});
const Known = {
  files: z.array(FileWire),
  more: z.number().int().describe("how many further files"),
  since: z.string(),
  repository: z.string().nullable(),
};
const ConflictWire = z.object({
  sessions: z.array(z.string()).describe("the ids of the two sessions"),
  names: z.array(z.string()).describe("what the two are called"),
  ...Known,
});
const StaleBaseWire = z.object({
  sessionId: z.string(),
  name: z.string().describe("what the session is called"),
  branch: z.string().describe("the branch that the session's worktree was made from, and that has moved"),
  base: z.string().describe("the commit that the session's work is based on"),
  tip: z.string().describe("where the branch was when it was compared last"),
  behind: z.number().int().nullable().describe("new commits on the branch; null: it was moved elsewhere"),
  ...Known,
});

const LISTED_MAX = 500;

export const conflict: readonly Syscall[] = [
  read({
    name: "conflict.list",
    summary: "List the sessions whose work collides, with files and lines, and those whose branch has moved",
    permission: "conflict.read",
    roles: ["viewer"],
    needs: ["radar", "store"],
    about: "system",
    input: z.object({}),
    output: z.object({ conflicts: z.array(ConflictWire), bases: z.array(StaleBaseWire) }),
    errors: [],
    http: { method: "GET", path: "/api/conflicts" },
    cli: { positional: [], print: "conflicts" },
    answer: async (context) => {
      const rows = await context.services.radar.conflicts(LISTED_MAX);
      const nameOf = await namesOf(context, rows);
      const pairs = rows.filter(({ branch }) => branch === null);
      return {
        conflicts: pairs.map((row) => ({ sessions: [...row.parties], names: row.parties.map(nameOf), ...known(row) })),
        bases: rows.flatMap((row) => ofBase(row, nameOf)),
      };
    },
  }),
];

type NameOf = (sessionId: string) => string;

async function namesOf({ services }: Context<"store">, rows: readonly ConflictRow[]): Promise<NameOf> {
  const ids = [...new Set(rows.flatMap(({ parties }) => parties))];
  const found = await Promise.all(ids.map((id) => services.store.row(SESSIONS, id)));
  const names = new Map(found.flatMap((row) => (row === null ? [] : [[row.id, row.name] as const])));
  return (id) => names.get(id) ?? id;
}

function ofBase(row: ConflictRow, nameOf: NameOf): z.output<typeof StaleBaseWire>[] {
  const [sessionId] = row.parties;
  if (row.branch === null || sessionId === undefined) return [];
  const { name, ...where } = row.branch;
  return [{ sessionId, name: nameOf(sessionId), branch: name, ...where, ...known(row) }];
}

function known({ files, more, since, repository }: ConflictRow) {
  const told = files.map(({ lines, ...file }) => (lines === undefined ? file : { ...file, lines: [...lines] }));
  return { files: told, more, since, repository };
}
