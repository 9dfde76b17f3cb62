import type { Reply } from "../../turns/index.ts";

/**
 * What people said when they answered no. The protocol carries only the no, so their words are the next thing that the
 * agent is told in the same turn.
 */
export interface SaidNo {
  readonly hear: (question: string, reply: Reply) => void;
  /** All that was said since the last time, as a prompt; null when nothing was. */
  readonly take: () => string | null;
}

export function createSaidNo(): SaidNo {
  let said: string[] = [];
  return {
    hear: (question, reply) => {
      if (reply.approved || reply.isSaid !== true || reply.reason === null || reply.reason === "") return;
      const asked = question.split("\n", 1)[0] ?? "";
      said.push(`I said no to "${asked.slice(0, ASKED_CHARS)}": ${reply.reason}`);
    },
    take: () => {
      const told = said;
      said = [];
      return told.length === 0 ? null : told.join("\n");
    },
  };
}

const ASKED_CHARS = 200;
