import type { Memory, Step } from "./story.ts";

const keepAs =
  (name: string) =>
  (value: unknown, memory: Memory): void => {
    memory[name] = String(Reflect.get(Object(value), "id"));
  };
/** The drift of a turn is measured behind it. */
const isMeasured = (value: unknown): boolean => JSON.stringify(value).includes('"drift"');
const here = ({ cwd }: Memory) => ({ cwd: `${cwd}/repo` });

/** A repository gets a law, and a session works on one of its tickets. */
export const WORK_STORY: readonly Step[] = [
  { syscall: "work.list", input: here, refused: "not_governed" },
  { syscall: "governance.init", input: here },
  {
    syscall: "ticket.create",
    input: (memory) => ({ ...here(memory), kind: "intent", title: "Work on it", brainDump: "In" }),
    keep: keepAs("worked"),
  },
  {
    syscall: "session.start",
    input: (memory) => ({ ...here(memory), adapter: "demo", ticket: memory["worked"], prompt: "say hello" }),
    keep: keepAs("worker"),
  },
  { syscall: "session.wait", input: ({ worker }) => ({ id: worker }) },
  {
    syscall: "session.start",
    input: (memory) => ({ ...here(memory), adapter: "demo", ticket: memory["worked"] }),
    refused: "ticket_leased",
  },
  { syscall: "work.list", input: here, until: isMeasured },
  { syscall: "session.drift", input: ({ worker }) => ({ id: worker }) },
  {
    syscall: "session.amend",
    input: ({ worker }) => ({ id: worker, paths: ["src/**"], reason: "All of it." }),
    refused: "path_invalid",
  },
  {
    syscall: "session.amend",
    input: ({ worker }) => ({ id: worker, paths: ["README.md"], reason: "It is in its scope." }),
  },
  { syscall: "session.finish", input: ({ worker }) => ({ id: worker, summary: "" }), refused: "summary_required" },
  { syscall: "session.handover", input: ({ worker }) => ({ id: worker, summary: "Half of it." }) },
  { syscall: "session.handover", input: ({ worker }) => ({ id: worker, summary: "Again." }), refused: "work_over" },
  { syscall: "work.drift", input: here },
];
