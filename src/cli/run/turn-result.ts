import { type Client, catalogued, type Session } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import type { EndedTurn, TurnError } from "../follow-turn.ts";
import { EXIT, TURN_EXIT } from "../terminal.ts";

/** How a run ended, for the exit code and for `--json`. */
export interface RunResult {
  readonly session: Session;
  readonly turn: EndedTurn | null;
  /** The answer: what was said after the last tool. */
  readonly response: string;
  readonly error: TurnError | null;
  /** With `--schema`: the value of the answer. */
  readonly value?: unknown;
  readonly isLate: boolean;
}

const BUDGET_CODES: readonly string[] = ["steps_exceeded", "quota_reached", "model_billing", "budget_exceeded"];
const REFUSED_CODES: readonly string[] = ["model_refused", "denied"];
/** Codes of the program itself: their meaning does not depend on `--exit-code`. */
const SCHEMA_UNMET = "schema_unmet";

/** `isExact`: `--exit-code` was given. Without it a turn that failed is 1, whatever the reason. */
export function exitCodeOf(
  { turn, error, isLate }: Pick<RunResult, "turn" | "error" | "isLate">,
  isExact: boolean,
): number {
  if (isLate) return TURN_EXIT.late;
  if (error?.code === SCHEMA_UNMET) return TURN_EXIT.schema;
  if (turn?.outcome === "completed") return EXIT.ok;
  if (!isExact) return EXIT.failed;
  if (turn?.outcome === "interrupted" || turn?.outcome === "cancelled") return EXIT.interrupted;
  if (error === null) return EXIT.failed;
  if (REFUSED_CODES.includes(error.code)) return TURN_EXIT.refused;
  if (BUDGET_CODES.includes(error.code)) return TURN_EXIT.budget;
  return catalogued(error.code).exit;
}

/** One value for a program: our names, and beside them those that scripts of other hosts expect. */
export function resultJson(result: RunResult, lines: readonly string[], exitCode: number, durationMs: number): unknown {
  const { session, turn, response, error, value } = result;
  const { id, name, agent, workspaceSlug } = session;
  return {
    ...{ id, name, turnId: turn?.turnId ?? null, outcome: turn?.outcome ?? null, response, error },
    ...("value" in result ? { value } : {}),
    ...{ exitCode, durationMs, lines, session },
    session_id: id,
    agent_id: agent,
    primary_project_id: workspaceSlug,
    project_tag: session.label ?? null,
    phase_reached: turn === null ? "start" : "execute",
    evaluation_passed: turn?.outcome === "completed" && error === null,
    exit_code: exitCode,
    duration_ms: durationMs,
  };
}

const PAGE = 1000;

/** What the agent said in a turn after its last tool, from the log. */
export async function responseOf(client: Client, id: string, turnId: string): Promise<string> {
  const types = ["message.completed@1", "tool.ended@1", "effect.settled@1"];
  const { events } = await client.call("session.events", { id, turnId, types, order: "desc", limit: PAGE });
  const said: string[] = [];
  for (const { type, data } of events) {
    if (type !== "message.completed@1") break;
    if (memberOf(data, "role") === "assistant") said.unshift(await wholeText(client, data));
  }
  return said.join("\n").replace(/\n$/, "");
}

async function wholeText(client: Client, data: unknown): Promise<string> {
  const blob = memberOf(data, "blob");
  if (typeof blob !== "string") return String(memberOf(data, "text") ?? "");
  return (await client.call("blob.read", { sha256: blob })).content;
}
