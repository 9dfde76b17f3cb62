import { ERROR_CATALOGUE } from "../../contract/index.ts";
import { AGGREGATES } from "../../domains/index.ts";
import { SESSION_STATES } from "../../kernel/index.ts";

/** Texts that the log, the wire and the home are made of: a secret inside one of them would make it unreadable. */
export function ownWords(home: string): readonly string[] {
  return [
    ...AGGREGATES.flatMap(({ kind, events }) => [kind, ...Object.keys(events)]),
    ...Object.keys(ERROR_CATALOGUE),
    ...SESSION_STATES,
    ...MEMBERS,
    home,
  ];
}

/** Members and values that stand in nearly every event or answer. */
const MEMBERS: readonly string[] = [
  ...["sessionId", "turnId", "eventId", "tokenId", "approvalId", "parentSessionId", "workspaceSlug", "adapterSlug"],
  ...["createdAt", "startedAt", "endedAt", "lastOutputAt", "lastUsedAt", "dataHash", "requestHash", "forkedFrom"],
  ...["waitingFor", "capabilities", "fingerprint", "interrupted", "completed", "cancelled", "assistant", "exitCode"],
  ...["idempotencyKey", "Idempotency-Key", "authorization", "content-type", "application/json", "text/event-stream"],
  ...["127.0.0.1", "localhost", "http://127.0.0.1:4200", "no-restart", "danger-full-access", "workspace-write"],
];
