import { type Actor, belowSession, compilePolicy, decideGate } from "../../src/kernel/index.ts";
import { permissions, ROLES, SYSCALLS, type Syscall } from "../../src/syscalls/index.ts";
import { code, page, table } from "./markdown.ts";

const OWN_SESSION = "own";

const REACH = {
  log: "",
  session: "the session's sandbox",
  opening: "the new session's sandbox, in a workspace",
  place: "a place of its own choosing takes `off`",
  person: "takes `off`",
} as const satisfies { readonly [rights in NonNullable<Syscall["rights"]> | "log"]: string };

/** Computed by asking the gate itself, not from a list of roles. */
export function permissionsPage(): string {
  const policy = compilePolicy(permissions(), [{ id: "default", effect: "allow", verb: "*", resource: "**" }]);
  const roles = Object.entries(ROLES).map(([role, capabilities]): readonly [string, Actor] => [
    role,
    role === "below"
      ? { principal: role, capabilities: [], sessionId: OWN_SESSION, below: capabilities }
      : { principal: role, capabilities, sessionId: role === "session" ? OWN_SESSION : null },
  ]);
  const rows = SYSCALLS.map((syscall) => [
    code(syscall.name),
    code(syscall.permission),
    ...roles.map(([, actor]) => {
      const request = { verb: syscall.permission, resource: resourceOf(syscall, actor), tool: null };
      return decideGate(actor, request, policy).verdict === "allow" ? "yes" : "";
    }),
    REACH[syscall.rights ?? "log"],
  ]);
  return page(
    "Permissions",
    "Who may call what. `operator` is whoever holds `$NOMOS_HOME/token`; `viewer` is a set of capabilities to issue a token with; `session` is what a session's own driver process gets: its own session; `below` is what the same process may do to the sessions that it started, and to theirs.",
    table(["syscall", "capability", ...roles.map(([role]) => role), "bounded by the floor"], rows),
    "A token of your own making: `nomos token issue session.read,session.list`. It may hold single capabilities, families (`session.*`) or `*`, but never more than its maker has.",
    "Beside its capabilities a token has a **floor**: the weakest sandbox that it starts and drives sessions in. It is `strict` unless the token is issued with another one (`--sandbox off`), or confined to one session, whose own sandbox it then is. What the last column names is refused with `sandbox_floor` below it. `off` means: the token acts with your rights.",
    table(
      ["role", "capabilities"],
      Object.entries(ROLES).map(([role, capabilities]) => [code(role), capabilities.map(code).join(", ")]),
    ),
  );
}

function resourceOf({ about }: Syscall, actor: Actor): string {
  if (about === "session")
    return actor.below === undefined ? `session/${OWN_SESSION}` : belowSession(OWN_SESSION, "started");
  return about === "system" ? "system" : about({}, actor);
}
