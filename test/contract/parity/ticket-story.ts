import type { Memory, Step } from "./story.ts";

const keepId =
  (name: string) =>
  (value: unknown, memory: Memory): void => {
    memory[name] = String(Reflect.get(Object(value), "id"));
  };
const here = ({ cwd }: Memory) => ({ cwd: `${cwd}/law` });
const of =
  (name: string, more: object = {}) =>
  (memory: Memory) => ({ ...here(memory), id: memory[name], ...more });

const NOBODY = "TKT-20200101-000000-ZZZZ";
const PLAN = "### EPIC-1: Sign in\n* T1: Ask\n";

/** A repository with a law: what is to be done in it, who may do it, and how it ends. */
export const TICKET_STORY: readonly Step[] = [
  { syscall: "ticket.list", input: here },
  { syscall: "ticket.list", input: ({ cwd }) => ({ cwd: `${cwd}/repo` }), refused: "not_governed" },
  { syscall: "ticket.list", input: ({ cwd }) => ({ cwd }), refused: "not_a_repository" },
  { syscall: "ticket.list", input: () => ({ cwd: "/does/not/exist" }), refused: "cwd_missing" },
  {
    syscall: "ticket.create",
    input: (memory) => ({ ...here(memory), kind: "intent", title: "Log in", brainDump: "In", priority: 1 }),
    keep: keepId("intent"),
  },
  {
    syscall: "ticket.create",
    input: (memory) => ({ ...here(memory), kind: "task", title: "Ask", parent: memory["intent"], allow: ["src/**"] }),
    keep: keepId("task"),
  },
  {
    syscall: "ticket.create",
    input: (memory) => ({ ...here(memory), kind: "epic", title: "No", parent: memory["task"] }),
    refused: "invalid_parent",
  },
  {
    syscall: "ticket.create",
    input: (memory) => ({ ...here(memory), kind: "task", title: "" }),
    refused: "invalid_request",
  },
  { syscall: "ticket.edit", input: of("task", { title: "Ask nicely", scope: { deny: ["src/x"] } }) },
  {
    syscall: "ticket.edit",
    input: (memory) => ({ ...here(memory), id: NOBODY, title: "X" }),
    refused: "ticket_not_found",
  },
  { syscall: "ticket.show", input: of("task") },
  { syscall: "ticket.show", input: (memory) => ({ ...here(memory), id: NOBODY }), refused: "ticket_not_found" },
  {
    syscall: "ticket.plan",
    input: (memory) => ({ ...here(memory), text: PLAN, parent: memory["intent"], dryRun: true }),
  },
  { syscall: "ticket.plan", input: (memory) => ({ ...here(memory), text: "no plan" }), refused: "invalid_request" },
  { syscall: "ticket.overlaps", input: here },
  { syscall: "ticket.check", input: here },
  { syscall: "ticket.next", input: here },
  { syscall: "ticket.lease", input: of("task", { minutes: 5 }) },
  { syscall: "ticket.lease", input: of("task", { minutes: 0 }), refused: "invalid_request" },
  { syscall: "ticket.heartbeat", input: of("task", { fence: 1 }) },
  { syscall: "ticket.heartbeat", input: of("task", { fence: 9 }), refused: "lease_lost" },
  { syscall: "ticket.close", input: of("task", { fence: 1 }), refused: "unproven" },
  { syscall: "ticket.archive", input: of("task"), refused: "ticket_leased" },
  { syscall: "ticket.release", input: of("task", { fence: 1 }) },
  { syscall: "ticket.archive", input: of("task"), refused: "ticket_open" },
  { syscall: "ticket.close", input: of("intent"), refused: "unproven" },
  { syscall: "ticket.archive", input: of("task", { reason: "nobody needs it" }) },
  { syscall: "ticket.lease", input: of("task"), refused: "ticket_closed" },
  { syscall: "ticket.proof", input: of("intent") },
  { syscall: "ticket.close", input: of("intent") },
  { syscall: "ticket.proof", input: of("intent") },
  { syscall: "ticket.list", input: (memory) => ({ ...here(memory), status: "archived" }) },
  { syscall: "work.list", input: here },
  { syscall: "work.list", input: ({ cwd }) => ({ cwd: `${cwd}/repo` }), refused: "not_governed" },
  { syscall: "work.drift", input: here },
];
