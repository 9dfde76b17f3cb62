const ASKS_NOBODY =
  "no syscall asks its caller anything back: questions are approvals in the log, which any surface can answer";
const NO_LOGGING = "logging is deprecated by 2026-07-28 (SEP-2577); what a call has to say goes out as progress";
const NO_TASKS =
  "the tasks extension is not offered: a session is the durable task, with session_wait and its resource";

/** Scenarios or checks of the suite that this server does not offer, each with the reason. */
export const NOT_APPLICABLE: { readonly [scenarioOrCheck: string]: string } = {
  "logging-set-level": NO_LOGGING,
  "tools-call-with-logging": NO_LOGGING,
  "sep-2575-server-no-log-without-loglevel": `needs a tool that logs; ${NO_LOGGING}`,
  "tools-call-sampling": "sampling is deprecated by 2026-07-28 (SEP-2577), and Nomos never borrows its client's model",
  "tools-call-elicitation": ASKS_NOBODY,
  "elicitation-sep1034-defaults": ASKS_NOBODY,
  "elicitation-sep1330-enums": ASKS_NOBODY,
  "sep-2575-server-rejects-undeclared-capability": `needs a tool that asks back; ${ASKS_NOBODY}`,
  "sep-2575-missing-capability-http-400": `needs a tool that asks back; ${ASKS_NOBODY}`,
  "sep-2575-http-server-no-independent-requests-on-stream": `needs a tool that asks back; ${ASKS_NOBODY}`,
  "input-required-result-basic-elicitation": ASKS_NOBODY,
  "input-required-result-basic-sampling": ASKS_NOBODY,
  "input-required-result-basic-list-roots": ASKS_NOBODY,
  "input-required-result-request-state": ASKS_NOBODY,
  "input-required-result-multiple-input-requests": ASKS_NOBODY,
  "input-required-result-multi-round": ASKS_NOBODY,
  "input-required-result-missing-input-response": ASKS_NOBODY,
  "input-required-result-non-tool-request": ASKS_NOBODY,
  "input-required-result-result-type": ASKS_NOBODY,
  "input-required-result-tampered-state": ASKS_NOBODY,
  "input-required-result-capability-check": ASKS_NOBODY,
  "input-required-result-ignore-extra-params": ASKS_NOBODY,
  "tasks-lifecycle": NO_TASKS,
  "tasks-capability-negotiation": NO_TASKS,
  "tasks-wire-fields": NO_TASKS,
  "tasks-request-state-removal": NO_TASKS,
  "tasks-mrtr-input": NO_TASKS,
  "tasks-request-headers": NO_TASKS,
  "tasks-dispatch-and-envelope": NO_TASKS,
  "tasks-status-notifications": NO_TASKS,
  "tasks-required-task-error": NO_TASKS,
  "tasks-mrtr-composition": NO_TASKS,
  "http-custom-header-server-validation": "no input member is mirrored into a header (`x-mcp-header`)",
  "server-sse-disconnect-resume":
    "needs a tool that cuts its own stream; a client that lost its connection resumes by Last-Event-ID all the same",
};
