import * as z from "zod";
import { type ApprovalRow, aipStatus, LIMITS, SESSION_STATES, type SessionRow, type Spent } from "../kernel/index.ts";

/** The shapes that clients rely on. A change needs an ADR and a line in the changelog. */
export const SessionId = z
  .string()
  .min(1)
  .max(LIMITS.titleChars)
  .describe("a session's id or name, the beginning of either, or its title; `self` with the token of a session");

export const SpentWire = z.object({
  input: z.number().int().describe("tokens, without cached ones"),
  output: z.number().int(),
  cacheRead: z.number().int(),
  cacheWrite: z.number().int(),
  costUsd: z.number().nullable().describe("null when the agent tells no price"),
});

export const SessionWire = z.object({
  id: z.string(),
  adapterSlug: z.string(),
  workspaceSlug: z.string(),
  ground: z.string(),
  cwd: z.string(),
  status: z.enum(["starting", "running", "exited", "killed", "error"]),
  startedAt: z.string(),
  endedAt: z.string().optional(),
  lastOutputAt: z.string().optional(),
  exitCode: z.number().int().optional(),
  label: z.string().optional(),
  agentSlug: z.string().optional(),
  parentSessionId: z.string().optional(),
  depth: z.number().int(),
  name: z.string(),
  agent: z.string(),
  state: z.enum(SESSION_STATES),
  busy: z.boolean(),
  waitingFor: z.enum(["approval", "quota"]).optional(),
  waitingUntil: z.string().optional().describe("when the usage limit resets that it waits for"),
  queued: z.number().int(),
  sandbox: z.enum(["off", "warn", "enforce", "strict"]),
  head: z.string().nullable(),
  forkedFrom: z.object({ sessionId: z.string(), eventId: z.string() }).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  usage: z
    .object({
      events: z.number().int(),
      bytes: z.number().int().describe("its events as stored, and the blobs and artifacts it brought, packed"),
      withForks: z
        .number()
        .int()
        .describe("of the first ancestor and all that forked from there: what the limit is for"),
      limit: z.number().int().describe("`limits.sessionBytes`"),
    })
    .optional()
    .describe("of one session; lists leave it out"),
  title: z.string().optional().describe("as given, or the beginning of the first prompt"),
  spent: SpentWire.optional().describe("the sum over its turns, as its agents tell it; absent when they tell nothing"),
  archived: z
    .object({ at: z.string(), file: z.string().optional().describe("in `archive` of the home") })
    .optional()
    .describe("what it said and did has left the log"),
});
export type SessionWire = z.infer<typeof SessionWire>;

export const ApprovalWire = z.object({
  id: z.string(),
  sessionId: z.string(),
  turnId: z.string(),
  status: z.enum(["pending", "approved", "rejected", "cancelled", "expired"]),
  question: z.string(),
  options: z.array(z.string()),
  action: z.object({ verb: z.string(), resource: z.string() }).optional(),
  createdAt: z.string(),
  detail: z
    .object({
      command: z.string().optional().describe("the whole command"),
      path: z.string().optional().describe("the file that would be changed"),
      diff: z.string().optional().describe("the change as a unified diff; a cut one says how many lines are missing"),
    })
    .optional()
    .describe("what would be done; of an open question, when the agent tells it"),
});
export type ApprovalWire = z.infer<typeof ApprovalWire>;

export const EventWire = z.object({
  seq: z.number().int(),
  id: z.string(),
  stream: z.string(),
  version: z.number().int(),
  type: z.string(),
  at: z.string(),
  actor: z.string(),
  cause: z.string().nullable(),
  data: z.json(),
  hash: z.string(),
  prev: z.string(),
});

export const ToolPolicyWire = z.enum(["auto", "on_demand", "always_ask", "never"]);

export const AgentWire = z.object({
  slug: z.string(),
  name: z.string(),
  driver: z.string(),
  tools: z.record(z.string(), ToolPolicyWire),
  builtIn: z.boolean(),
  delegatesTo: z.array(z.string()),
  createdAt: z.string(),
  default: z.boolean(),
});

export const ArtifactWire = z.object({
  artifactId: z.string(),
  path: z.string(),
  version: z.number().int(),
  bytes: z.number().int(),
  mediaType: z.string(),
});

export const TodoWire = z.object({
  text: z.string().min(1).max(LIMITS.todoItemChars),
  status: z.enum(["open", "active", "done"]),
});

export function sessionWire(row: SessionRow): SessionWire {
  return {
    id: row.id,
    adapterSlug: row.adapter,
    workspaceSlug: row.workspace,
    ground: row.ground,
    cwd: row.cwd,
    status: aipStatus(row.state),
    startedAt: row.startedAt,
    ...present("endedAt", row.endedAt),
    ...present("lastOutputAt", row.lastOutputAt),
    ...present("exitCode", row.exitCode),
    ...present("label", row.label),
    ...(row.bound === true ? { agentSlug: row.agent } : {}),
    ...present("parentSessionId", row.parentSessionId),
    depth: row.depth,
    name: row.name,
    agent: row.agent,
    state: row.state,
    busy: row.busy,
    ...present("waitingFor", row.waitingFor),
    ...present("waitingUntil", row.waitingUntil ?? null),
    queued: row.queued,
    sandbox: row.sandbox,
    head: row.head,
    ...present("forkedFrom", row.forkedFrom),
    ...present("error", row.error),
    ...present("title", row.title ?? null),
    ...(row.spent === undefined ? {} : { spent: spentWire(row.spent) }),
    ...present("archived", archivedWire(row.archived)),
  };
}

export function spentWire({ costMicroUsd, ...tokens }: Spent): z.infer<typeof SpentWire> {
  return { ...tokens, costUsd: costMicroUsd === null ? null : costMicroUsd / 1_000_000 };
}

function archivedWire(archived: SessionRow["archived"]): NonNullable<SessionWire["archived"]> | null {
  if (archived === null) return null;
  return { at: archived.at, ...present("file", archived.archive?.file ?? null) };
}

export function approvalWire(row: ApprovalRow): ApprovalWire {
  const { action, options, ...rest } = row;
  return { ...rest, options: [...options], ...present("action", action) };
}

/** Leaves a member out instead of setting it to null. */
function present<K extends string, V>(key: K, value: V | null): { readonly [P in K]?: V } {
  return value === null ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
