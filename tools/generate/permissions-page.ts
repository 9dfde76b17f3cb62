import { type Actor, belowSession, compilePolicy, DEFAULT_RULES, decideGate } from "../../src/domains/index.ts";
import { permissions, rolesOf, SYSCALLS, type Syscall } from "../../src/syscalls/index.ts";
import { code, page, table } from "./markdown.ts";

const OWN_SESSION = "own";

const ROLES = rolesOf();

const REACH = {
  log: "",
  session: "the session's sandbox",
  opening: "the new session's sandbox, in a workspace",
  place: "a chosen path needs `off`",
  person: "needs `off`",
} as const satisfies { readonly [rights in NonNullable<Syscall["rights"]> | "log"]: string };

/** Asks the gate itself for each role, so the page cannot disagree with it. */
export function permissionsPage(): string {
  const policy = compilePolicy(permissions(), DEFAULT_RULES);
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
    "This page says who may call what. `operator` has the token in `$NOMOS_HOME/token`; `viewer` is a set of capabilities for a token that only reads; `session` is what a session's own process may do to its session; `below` is what it may do to the sessions it started, and to those that they started.",
    table(["syscall", "capability", ...roles.map(([role]) => role), "bounded by the floor"], rows),
    "To issue a token: `nomos token issue session.read,session.list`. It may hold single capabilities, families (`session.*`) or `*`, but never more than its maker has.",
    "A token also has a **floor**: the weakest sandbox mode it may use. It is `strict` unless you issue the token with another one (`--sandbox off`) or limit it to one session, whose mode is then its floor. Calls below the floor, as the last column says, are refused with `sandbox_floor`. With `off` the token acts with your rights.",
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
