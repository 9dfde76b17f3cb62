import { expect, test } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { type Actor, compilePolicy, DEFAULT_RULES } from "../domains/index.ts";
import { mayCall } from "./dispatch.ts";
import { permissions, rolesOf, SYSCALLS } from "./table.ts";

const compiled = compilePolicy(permissions(), DEFAULT_RULES);
const policy = { current: () => compiled };
const listed = (actor: Actor): readonly string[] =>
  SYSCALLS.filter((syscall) => mayCall({ policy }, syscall, actor)).map(({ name }) => name);

test("a session is shown what it may do to itself and to those it started, and nothing else", () => {
  const { session: capabilities, below } = rolesOf();
  const actor = { principal: "session:s", capabilities, sessionId: "s", below };
  const names = listed(actor);
  for (const name of ["session.start", "session.prompt", "session.kill", "session.list", "session.delegates"])
    expect(names).toContain(name);
  for (const name of [
    "session.fork",
    "session.forget",
    "session.open",
    "session.search",
    "token.issue",
    "agent.create",
  ])
    expect(names).not.toContain(name);
  expect(listed({ ...actor, below: [] })).not.toContain("session.prompt");
});

/** These only write to the log, end things or pause them, so they give nobody more access to the machine. */
const HARMLESS = [
  ...[
    "session.interrupt",
    "session.suspend",
    "session.hibernate",
    "session.kill",
    "session.forget",
    "session.label",
    "session.mark",
  ],
  ...["session.rename", "session.prune"],
  ...["dashboard.open", "dashboard.enter", "dashboard.leave"],
  ...[
    "session.snapshot",
    "session.note",
    "session.ask",
    "session.amend",
    "session.finish",
    "session.handover",
    "session.erase",
    "event.add",
    "turn.begin",
  ],
  ...["turn.end", "turn.say", "artifact.write", "todo.replace", "approval.approve", "approval.reject"],
  ...[
    "agent.create",
    "agent.delete",
    "agent.default",
    "workspace.use",
    "workspace.remove",
    "worktree.remove",
    "fan-out.drop",
  ],
  ...["secret.set", "secret.import", "secret.rotate", "secret.bind", "secret.remove", "secret.scan"],
  ...["worktree.gc", "system.shutdown", "system.gc", "token.issue", "token.revoke", "ticket.heartbeat"],
];

proves("TK-2", "every writing call declares its authority, or is listed as giving no more rights", () => {
  const unsaid = SYSCALLS.filter(({ kind, rights }) => kind === "write" && rights === undefined).map(
    ({ name }) => name,
  );
  expect(unsaid.toSorted()).toEqual(HARMLESS.toSorted());
});

test("the operator is shown everything", () => {
  expect(listed({ principal: "operator", capabilities: rolesOf().operator, sessionId: null })).toHaveLength(
    SYSCALLS.length,
  );
});
