import { type Actor, compilePolicy, decideGate } from "../../src/kernel/index.ts";
import { permissions, ROLES, SYSCALLS, type Syscall } from "../../src/syscalls/index.ts";
import { code, page, table } from "./markdown.ts";

const OWN_SESSION = "own";

/** Not what a list says about the roles, but what the gate itself answers. */
export function permissionsPage(): string {
  const policy = compilePolicy(permissions(), [{ id: "default", effect: "allow", verb: "*", resource: "**" }]);
  const roles = Object.entries(ROLES).map(([role, capabilities]): readonly [string, Actor] => [
    role,
    { principal: role, capabilities, sessionId: role === "session" ? OWN_SESSION : null },
  ]);
  const rows = SYSCALLS.map((syscall) => [
    code(syscall.name),
    code(syscall.permission),
    ...roles.map(([, actor]) => {
      const request = { verb: syscall.permission, resource: resourceOf(syscall), tool: null };
      return decideGate(actor, request, policy).verdict === "allow" ? "yes" : "";
    }),
  ]);
  return page(
    "Permissions",
    "Who may call what. `operator` is whoever holds `$NOMOS_HOME/token`; `viewer` is a set of capabilities to issue a token with; `session` is what a session's own driver process gets: its own session and nothing beside it.",
    table(["syscall", "capability", ...roles.map(([role]) => role)], rows),
    "A token of your own making: `nomos token issue session.read,session.list`. It may hold single capabilities, families (`session.*`) or `*`, but never more than its maker has.",
    table(
      ["role", "capabilities"],
      Object.entries(ROLES).map(([role, capabilities]) => [code(role), capabilities.map(code).join(", ")]),
    ),
  );
}

function resourceOf({ about }: Syscall): string {
  if (about === "session") return `session/${OWN_SESSION}`;
  return about === "system" ? "system" : about({});
}
