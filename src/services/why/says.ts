import { LANDING_EVENTS } from "../../domains/index.ts";
import { readsOf, sessionFact } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";

const landingFact = readsOf(LANDING_EVENTS);
const QUOTED_CHARS = 120;

/** One sentence about an event, for a person; null for an event that explains nothing. */
export function saysOf(event: RecordedEvent): string | null {
  if (event.data === null) return "What this event said was archived or erased.";
  return ofLife(event) ?? ofTurn(event) ?? ofFiles(event) ?? ofLanding(event);
}

function ofLife(event: RecordedEvent): string | null {
  const fact = sessionFact(event);
  switch (fact?.type) {
    case "session.opened@1":
      return `${event.actor} started the session with ${fact.data.spec.agent}.`;
    case "session.forked@1":
      return `${event.actor} forked it from session ${fact.data.from.sessionId}.`;
    case "session.suspended@1":
      return `It was suspended${because(fact.data.reason)}`;
    case "session.resumed@1":
      return `${event.actor} resumed it.`;
    case "session.hibernated@1":
      return `It went to sleep${because(fact.data.reason)}`;
    case "session.exited@1":
      return fact.data.exitCode === null ? "It ended." : `It ended with exit code ${fact.data.exitCode}.`;
    case "session.killed@1":
      return `${event.actor} ended it${because(fact.data.reason)}`;
    case "session.failed@1":
      return `It failed with ${fact.data.code}: ${quoted(fact.data.message)}`;
    case "session.rewound@1":
      return `${event.actor} rewound it to event ${fact.data.to.eventId}.`;
    case "session.archived@1":
      return "What it said and did was moved out of the log.";
    case "session.forgotten@1":
      return `${event.actor} removed it from the lists.`;
    case "session.delegated@1":
      return `It started session ${fact.data.childId} with ${fact.data.agent}.`;
    case "driver.switched@1":
      return `${event.actor} gave it to ${fact.data.agent}.`;
    case "driver.noticed@1":
      return `The agent reported: ${quoted(fact.data.title)}`;
    default:
      return null;
  }
}

function ofTurn(event: RecordedEvent): string | null {
  const fact = sessionFact(event);
  switch (fact?.type) {
    case "turn.admitted@1":
      return `${event.actor} asked: ${quoted(fact.data.prompt)}`;
    case "turn.started@1":
      return "The turn began.";
    case "turn.interrupt_requested@1":
      return `${event.actor} asked to stop the turn.`;
    case "turn.steered@1":
      return `${event.actor} said meanwhile: ${quoted(fact.data.text)}`;
    case "turn.resumed@1":
      return `The turn was cut and went on${because(fact.data.reason)}`;
    case "turn.ended@1": {
      const { outcome, error } = fact.data;
      return `The turn ${outcome === "completed" ? "was completed" : `ended as ${outcome}`}${error === null ? "." : ` with ${error.code}: ${quoted(error.message)}`}`;
    }
    case "approval.requested@1":
      return `It asked: ${quoted(fact.data.question)}`;
    case "approval.answered@1": {
      const { status, reason } = fact.data;
      return `${event.actor} ${status} it${reason === null ? "." : `: ${quoted(reason)}`}`;
    }
    case "approval.closed@1":
      return fact.data.status === "expired" ? "The question expired without an answer." : "The question was withdrawn.";
    case "effect.settled@1": {
      const { outcome, exitCode, message } = fact.data;
      const exit = exitCode === null ? "" : ` with exit code ${exitCode}`;
      return outcome === "done"
        ? null
        : `A tool call ended as ${outcome}${exit}${message === null ? "." : `: ${quoted(message)}`}`;
    }
    case "quota.reached@1":
      return `A usage limit was reached until ${fact.data.until}: ${quoted(fact.data.reason)}`;
    case "quota.reset@1":
      return "The usage limit was reset.";
    default:
      return null;
  }
}

function ofFiles(event: RecordedEvent): string | null {
  const fact = sessionFact(event);
  switch (fact?.type) {
    case "scope.reverted@1": {
      const { files, more } = fact.data;
      const [first] = files;
      return `${files.length + more} changes outside of its scope were put back${first === undefined ? "." : `, such as ${first.path} (${first.rule}).`}`;
    }
    case "snapshot.skipped@1":
      return `No snapshot of its files could be taken (${fact.data.code}).`;
    case "worktree.kept@1":
      return "Its worktree was kept, because it holds work.";
    case "restore.settled@1":
      return fact.data.outcome === "restored"
        ? "Its files were restored."
        : "Restoring its files failed, and was taken back.";
    default:
      return null;
  }
}

function ofLanding(event: RecordedEvent): string | null {
  const fact = landingFact(event);
  switch (fact?.type) {
    case "landing.queued@1":
      return `${event.actor} asked to land its work onto ${fact.data.into}.`;
    case "landing.started@1":
      return "The gate and the checks of the landing began.";
    case "landing.prepared@1":
      return `The commit ${fact.data.commit.slice(0, 12)} was made for the branch.`;
    case "landing.checked@1":
      return `${fact.data.checks.length === 1 ? "The check" : `All ${fact.data.checks.length} checks`} passed.`;
    case "landing.returned@1":
      return `The landing went back into the queue${because(fact.data.reason)}`;
    case "landing.landed@1":
      return `Its work landed as ${fact.data.commit.slice(0, 12)}: ${fact.data.files} ${fact.data.files === 1 ? "file" : "files"}.`;
    case "landing.pushed@1":
      return `The branch ${fact.data.branch} was pushed to ${fact.data.remote}.`;
    case "landing.refused@1": {
      const [first] = fact.data.findings;
      const count = fact.data.findings.length + fact.data.more;
      const what =
        first === undefined
          ? "."
          : ` by the rule ${first.rule}${first.path === undefined ? "" : ` for ${first.path}`}: ${quoted(first.message)}`;
      return `The landing was refused${what}${count > 1 ? ` (${count - 1} more)` : ""}`;
    }
    case "landing.told@1":
      return "The agent was told why the landing was refused.";
    case "landing.retried@1":
      return `The work was queued again as landing ${fact.data.landingId}.`;
    case "landing.ejected@1":
      return `${event.actor} took the landing out of the queue${because(fact.data.reason)}`;
    case "landing.held@1":
      return `${event.actor} holds the landing${because(fact.data.reason)}`;
    case "landing.released@1":
      return `${event.actor} released the landing.`;
    default:
      return null;
  }
}

function because(reason: string): string {
  return reason.trim() === "" ? "." : `: ${quoted(reason)}`;
}

/** One line of somebody's words. */
function quoted(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const cut = line.length > QUOTED_CHARS ? `${line.slice(0, QUOTED_CHARS - 1)}…` : line;
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`;
}
