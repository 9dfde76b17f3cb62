import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of sessions that work on tickets. */
export const WORK_ERRORS = {
  work_exists: entry(409, 5, "This session has a ticket already.", "Start another session: `nomos run --ticket <id>`."),
  work_not_found: entry(
    404,
    4,
    "The session works on no ticket.",
    "Start one that does: `nomos run --ticket <id> -a <agent>`.",
  ),
  work_over: entry(
    409,
    5,
    "The session's work on its ticket is over.",
    "Start another session on it: `nomos run --ticket <id> -a <agent>`.",
  ),
  work_suspended: entry(
    409,
    5,
    "The session's work is suspended.",
    "Resume it first: `nomos session resume <session>`.",
  ),
  summary_required: entry(
    400,
    2,
    "A finish needs a summary of what was done.",
    'Say it: `nomos session finish <session> --summary "..."`.',
  ),
  reason_required: entry(
    422,
    2,
    "Checks are skipped only for a reason, which is recorded.",
    'Name it: `--skip-checks --reason "..."`, or let the checks run.',
  ),
  checks_failed: entry(
    409,
    5,
    "The work cannot be finished: the landing gate speaks against it.",
    "Mend what `details.findings` names, then finish again.",
  ),
  audit_same_model: entry(
    409,
    5,
    "An audit is made by another model than the one that did the work.",
    "Name another agent or model: `nomos run --ticket <id> --audit -a <agent> --model <model>`.",
  ),
  ticket_blocked: entry(
    409,
    5,
    "The ticket waits for other tickets.",
    "Work on those first, or take another: `nomos ticket next`.",
  ),
  ticket_weak_sandbox: entry(
    409,
    5,
    "Work on a ticket needs the sandbox mode `strict`, so that its scope holds.",
    "Make `nomos sandbox test` pass, or name a weaker mode as the operator: `--sandbox enforce`.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
