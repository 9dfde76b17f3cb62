import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { SESSIONS } from "../../kernel/index.ts";
import type { ExplainedLine } from "../../services/index.ts";
import { type Context, read, type Syscall } from "../define.ts";
import { Flag } from "../query-text.ts";
import { reachOf } from "../session/reach.ts";
import { BlameProof, blameProof } from "./blame-proof.ts";

const RANGE = /^(\d{1,9})(?:,(\d{1,9}))?$/;

const BlameLineWire = z.object({
  line: z.number().int(),
  text: z.string(),
  by: z.enum(["session", "person", "local"]).describe("`local`: a change that is not committed"),
  sessionId: z.string().optional(),
  session: z.string().optional().describe("the session's name"),
  turnId: z.string().optional(),
  eventId: z.string().optional().describe("the event that ended the turn"),
  agent: z.string().optional(),
  model: z.string().optional(),
  approver: z.string().optional().describe("who answered the turn's last question with yes"),
  landingId: z.string().optional(),
  landedBy: z.string().optional().describe("who asked for the landing"),
  proven: z.boolean().optional().describe("whether the log confirms it; of a session's line only"),
  reason: z.string().optional().describe("why it is not proven, or less is known"),
  commit: z.string().optional(),
  author: z.string().optional().describe("as the commit says"),
  at: z.string().optional(),
  path: z.string().optional().describe("the file's name in that commit, when it was another"),
});

/** Who wrote the lines of a file. */
export const blame: readonly Syscall[] = [
  read({
    name: "blame.file",
    summary: "Show who wrote each line of a file: session, turn, agent, model and approver",
    permission: "blame.read",
    roles: ["viewer"],
    needs: ["audit", "blame", "secrets", "store", "workspaces"],
    heavy: true,
    about: "system",
    input: z.object({
      path: z.string().min(1).max(4096),
      cwd: z.string().min(1).max(4096).describe("a folder of the repository; `path` is relative to it"),
      proof: Flag.describe("also give what `nomos-verify blame` needs to check the lines without Nomos"),
      lines: z.string().regex(RANGE, "two line numbers, such as 10,40").optional().describe("first and last, from 1"),
    }),
    output: z.object({
      path: z.string().describe("from the root of the repository"),
      repository: z.string(),
      head: z.string().nullable(),
      lines: z.array(BlameLineWire),
      next: z.number().int().nullable().describe("the line to go on with; null at the end"),
      binary: z.boolean().describe("a binary file has no lines"),
      followsMoves: z.boolean().describe("false: git took too long to look for moved lines"),
      proof: BlameProof.optional(),
    }),
    errors: [
      ...([
        "overloaded",
        "cwd_missing",
        "cwd_hidden",
        "path_outside",
        "not_a_repository",
        "repository_invalid",
      ] as const),
      ...([
        "file_missing",
        "file_too_large",
        "git_failed",
        "git_missing",
        "tile_missing",
        "payload_too_large",
      ] as const),
    ],
    http: { method: "GET", path: "/api/blame" },
    cli: { positional: ["path"], short: "blame", here: { member: "cwd", unless: [] }, paths: ["cwd"], print: "blame" },
    answer: async (context, { path, cwd, lines, proof }) => {
      const range = rangeOf(lines);
      const found = await context.services.blame.file({ cwd, path, range, within: await readable(context) });
      const names = await namesOf(context, found.lines);
      const { repository, head, next, isBinary: binary, followsMoves } = found;
      const shown = found.lines.map((line) => lineWire(line, found.path, names));
      const proven = proof === true ? { proof: await blameProof(context, found.lines) } : {};
      return { path: found.path, repository, head, lines: shown, next, binary, followsMoves, ...proven };
    },
  }),
];

/** Without the person's rights a caller reads files of workspaces alone. */
async function readable({ actor, services }: Context<"workspaces">): Promise<readonly string[] | null> {
  if (!reachOf(actor).onlyRegistered) return null;
  return (await services.workspaces.all()).list.map(({ path }) => path);
}

/** Of sessions; a commit may name one that the log does not know. */
async function namesOf(
  { services }: Context<"store">,
  lines: readonly ExplainedLine[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(lines.flatMap(({ explained }) => (explained.by === "session" ? [explained.sessionId] : [])));
  const rows = await Promise.all([...ids].map((id) => services.store.row(SESSIONS, id)));
  return new Map(rows.flatMap((row) => (row === null ? [] : [[row.id, row.name] as const])));
}

function rangeOf(lines: string | undefined): readonly [number, number] | null {
  const [, from, to = from] = RANGE.exec(lines ?? "") ?? [];
  if (from === undefined) return null;
  const range = [Number(from), Number(to)] as const;
  if (range[0] < 1 || range[0] > range[1])
    throw new NomosError("invalid_request", {
      field: "lines",
      reason: "the first line comes first, and lines begin at 1",
    });
  return range;
}

function lineWire(
  given: ExplainedLine,
  path: string,
  names: ReadonlyMap<string, string>,
): z.input<typeof BlameLineWire> {
  const { line, shown: text, commit, author, at, origin, explained } = given;
  const git = {
    ...(commit === null ? {} : { commit }),
    ...(author === null ? {} : { author }),
    ...(at === null ? {} : { at }),
    ...(origin === null || origin.path === path ? {} : { path: origin.path }),
  };
  const { by } = explained;
  if (explained.by === "local") return { line, text, by, ...git };
  if (explained.by === "person") {
    const { landingId } = explained;
    return { line, text, by, ...git, ...(landingId === undefined ? {} : { landingId }) };
  }
  const { sessionId, turnId, eventId, agent, model, approver, landing, proven, reason } = explained;
  const session = names.get(sessionId);
  return {
    ...{ line, text, by, sessionId },
    ...(session === undefined ? {} : { session }),
    ...(turnId === null ? {} : { turnId }),
    ...(eventId === null ? {} : { eventId }),
    ...(agent === null ? {} : { agent }),
    ...(model === null ? {} : { model }),
    ...(approver === null ? {} : { approver }),
    ...(landing === null ? {} : { landingId: landing.id }),
    ...(landing?.by == null ? {} : { landedBy: landing.by }),
    proven,
    ...(reason === undefined ? {} : { reason }),
    ...git,
  };
}
