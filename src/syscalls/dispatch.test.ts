import { expect, test } from "vitest";
import { type Actor, compilePolicy } from "../kernel/index.ts";
import { mayCall } from "./dispatch.ts";
import { permissions, ROLES, SYSCALLS } from "./table.ts";

const policy = compilePolicy(permissions(), [{ id: "default", effect: "allow", verb: "*", resource: "**" }]);
const listed = (actor: Actor): readonly string[] =>
  SYSCALLS.filter((syscall) => mayCall({ policy }, syscall, actor)).map(({ name }) => name);

test("a session is shown what it may do to itself and to those it started, and nothing else", () => {
  const actor = { principal: "session:s", capabilities: ROLES.session, sessionId: "s", below: ROLES.below };
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

test("the operator is shown everything", () => {
  expect(listed({ principal: "operator", capabilities: ROLES.operator, sessionId: null })).toHaveLength(
    SYSCALLS.length,
  );
});
