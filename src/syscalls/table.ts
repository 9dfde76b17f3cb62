import { agent } from "./agent/agent.ts";
import { approval } from "./approval/approval.ts";
import { archive } from "./archive/archive.ts";
import { artifact } from "./artifact/artifact.ts";
import { audit } from "./audit/audit.ts";
import { blame } from "./blame/blame.ts";
import { blob } from "./blob/blob.ts";
import { config } from "./config/config.ts";
import { conflict } from "./conflict/conflict.ts";
import { dashboard } from "./dashboard/dashboard.ts";
import type { Syscall } from "./define.ts";
import { doc } from "./doc/doc.ts";
import { driver } from "./driver/driver.ts";
import { event } from "./event/event.ts";
import { fanOut } from "./fan-out/fan-out.ts";
import { governance } from "./governance/governance.ts";
import { landing } from "./landing/landing.ts";
import { mcpServer } from "./mcp-server/mcp-server.ts";
import { model } from "./model/model.ts";
import { permission } from "./permission/permission.ts";
import { queue } from "./queue/queue.ts";
import type { Role, Roles } from "./roles.ts";
import { sandbox } from "./sandbox/sandbox.ts";
import { secret } from "./secret/secret.ts";
import { session } from "./session/session.ts";
import { system } from "./system/system.ts";
import { ticket } from "./ticket/ticket.ts";
import { todo } from "./todo/todo.ts";
import { token } from "./token/token.ts";
import { tool } from "./tool/tool.ts";
import { turn } from "./turn/turn.ts";
import { work } from "./work/work.ts";
import { workspace } from "./workspace/workspace.ts";
import { worktree } from "./worktree/worktree.ts";
import { ws } from "./ws/ws.ts";

/** Every syscall, once. Surfaces, docs, the client and the permission matrix are derived from this table. */
export const SYSCALLS: readonly Syscall[] = [
  ...session,
  ...turn,
  ...event,
  ...artifact,
  ...blob,
  ...todo,
  ...approval,
  ...agent,
  ...workspace,
  ...worktree,
  ...governance,
  ...landing,
  ...ticket,
  ...blame,
  ...fanOut,
  ...driver,
  ...model,
  ...mcpServer,
  ...tool,
  ...sandbox,
  ...audit,
  ...system,
  ...conflict,
  ...work,
  ...config,
  ...queue,
  ...token,
  ...secret,
  ...permission,
  ...archive,
  ...doc,
  ...ws,
  ...dashboard,
];

/** The capabilities of each role. The operator holds every permission. */
export function rolesOf(table: readonly Syscall[] = SYSCALLS): Roles {
  const held = (role: Role) => capabilitiesOf(role, table);
  return { operator: ["*"], viewer: held("viewer"), session: held("session"), below: held("below") };
}

/** If several syscalls share a permission, a role holds it only if all of them name the role. */
function capabilitiesOf(role: Role, table: readonly Syscall[]): readonly string[] {
  const withheld = new Set(table.filter(({ roles }) => !roles.includes(role)).map(({ permission }) => permission));
  return permissions(table).filter((permission) => !withheld.has(permission));
}

export function permissions(table: readonly Syscall[] = SYSCALLS): readonly string[] {
  return [...new Set(table.map((syscall) => syscall.permission))].sort();
}
