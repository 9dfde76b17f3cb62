import type { By } from "../../../commit/index.ts";
import { NomosError } from "../../../contract/index.ts";
import { judgeChange } from "../../../domains/index.ts";
import { shellQuoted } from "../../../host/index.ts";
import { askInTurn, type Decision, type SessionState, WIDEN } from "../../../kernel/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import { forbidden } from "../laws/judge-session.ts";
import { openWorkOf } from "./close-work.ts";
import type { WorkDeps } from "./work-deps.ts";

export interface AmendWish {
  /** Files below the worktree's root. */
  readonly paths: readonly string[];
  readonly reason: string;
}

/**
 * Asks a person whether the session may change files beyond its scope, from its next turn on. For what an agent does with
 * a shell: the walls refuse that, and nobody hears of it.
 */
export async function amend(
  deps: WorkDeps,
  sessionId: string,
  wish: AmendWish,
  by: By,
): Promise<readonly RecordedEvent[]> {
  const { work, law } = await openWorkOf(deps, sessionId);
  const { ticketId, role } = work.order;
  if (role === "audit") throw denied(["law:audit_reads_only"]);
  const { root, commonDir } = law.governed;
  const ground = { law, root: root ?? commonDir, below: "", work: { ticketId, isAudit: false, problem: null } };
  for (const path of wish.paths) {
    if (!isFile(path)) throw new NomosError("path_invalid", { path, reason: "name a file below the worktree's root" });
    const law = forbidden(ground, "write", path);
    if (law !== null) throw denied([`law:${law.rule}`], path);
  }
  const approvalId = deps.newId();
  return (await deps.committer.session(sessionId, (state) => askToWiden(state, approvalId, wish), by)).events;
}

/** The open question about these paths; null: there is none, because they are allowed already. */
export function amendmentOf(state: SessionState, paths: readonly string[]) {
  const resource = beyond(state, paths).join("\n");
  const open = Object.values(state.approvals);
  return open.find(({ action }) => action?.verb === WIDEN && action.resource === resource) ?? null;
}

function askToWiden(state: SessionState, approvalId: string, { paths, reason }: AmendWish): Decision {
  const asked = beyond(state, paths);
  if (asked.length === 0 || amendmentOf(state, paths) !== null) return [];
  const question = `The session asks for files outside of its scope: ${asked.map(shellQuoted).join(", ")}. Its reason: ${JSON.stringify(reason)}. Allow it from now on?`;
  const action = { verb: WIDEN, resource: asked.join("\n") };
  return askInTurn(state, { approvalId, question, options: [], action, effectId: null, checkpoint: null });
}

function beyond({ spec, widened = [] }: SessionState, paths: readonly string[]): readonly string[] {
  const scope = spec?.scope ?? null;
  if (scope === null) return [];
  return [...new Set(paths)]
    .filter((path) => !widened.includes(path) && judgeChange(path, scope).verdict === "deny")
    .toSorted();
}

/** A yes is for the very file: a pattern would allow nothing. */
const isFile = (path: string): boolean => {
  const { rule } = judgeChange(path, { allow: ["**"], deny: [] });
  return rule !== "path_invalid" && !path.includes("*") && !/^\.git(\/|$)/i.test(path);
};

function denied(rules: readonly string[], path?: string): NomosError {
  return new NomosError("denied", {
    capability: "session.amend",
    rules: [...rules],
    ...(path === undefined ? {} : { path }),
  });
}
