import { agent } from "./agent/agent.ts";
import { approval } from "./approval/approval.ts";
import { archive } from "./archive/archive.ts";
import { artifact } from "./artifact/artifact.ts";
import { audit } from "./audit/audit.ts";
import type { Syscall } from "./define.ts";
import { doc } from "./doc/doc.ts";
import { driver } from "./driver/driver.ts";
import { queue } from "./queue/queue.ts";
import { sandbox } from "./sandbox/sandbox.ts";
import { reporting } from "./session/external.ts";
import { sessionFileCalls } from "./session/files.ts";
import { handoff } from "./session/handoff.ts";
import { sessionLife } from "./session/life.ts";
import { sessionOffer } from "./session/offer.ts";
import { sessionRead } from "./session/read.ts";
import { company } from "./session/siblings.ts";
import { keeping } from "./system/backup.ts";
import { conformance } from "./system/conformance.ts";
import { system } from "./system/system.ts";
import { token } from "./token/token.ts";
import { workspace } from "./workspace/workspace.ts";
import { worktree } from "./worktree/worktree.ts";
import { ws } from "./ws/ws.ts";

/** THE table: every capability, once. Surfaces, docs, client and permission matrix are derived from it. */
export const SYSCALLS: readonly Syscall[] = [
  ...sessionLife,
  ...sessionOffer,
  ...sessionRead,
  ...sessionFileCalls,
  ...company,
  ...handoff,
  ...reporting,
  ...artifact,
  ...approval,
  ...agent,
  ...workspace,
  ...worktree,
  ...driver,
  ...sandbox,
  ...audit,
  ...system,
  ...queue,
  ...token,
  ...keeping,
  ...archive,
  ...doc,
  ...ws,
  ...conformance,
];

/** Who may do what: the capabilities of each kind of token. `*` is the operator's. */
export const ROLES = {
  operator: ["*"],
  viewer: [
    "session.list",
    "session.read",
    "approval.read",
    "agent.read",
    "audit.read",
    "blob.read",
    "queue.list",
    "system.read",
    "workspace.read",
    "worktree.read",
  ],
  /** A driver's process, over its own session: to start another one is a matter of delegation as well. */
  session: [
    ...["session.read", "session.report", "session.label", "session.list", "session.spawn"],
    ...["session.siblings", "session.note", "session.ask"],
  ],
  /** The same, over the sessions that it started and theirs. */
  below: ["session.read", "session.prompt", "session.kill"],
} as const satisfies { readonly [role: string]: readonly string[] };

export function permissions(table: readonly Syscall[] = SYSCALLS): readonly string[] {
  return [...new Set(table.map((syscall) => syscall.permission))].sort();
}
