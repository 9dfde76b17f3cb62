import { agent } from "./agent.ts";
import { approval } from "./approval.ts";
import { archive } from "./archive.ts";
import { artifact } from "./artifact.ts";
import { audit } from "./audit.ts";
import { company } from "./company.ts";
import { conformance } from "./conformance.ts";
import type { Syscall } from "./define.ts";
import { doc } from "./doc.ts";
import { driver } from "./driver.ts";
import { handoff } from "./handoff.ts";
import { keeping } from "./keeping.ts";
import { permission } from "./permission.ts";
import { queue } from "./queue.ts";
import { reporting } from "./reporting.ts";
import { sandbox } from "./sandbox.ts";
import { sessionLife } from "./session-life.ts";
import { sessionOffer } from "./session-offer.ts";
import { sessionRead } from "./session-read.ts";
import { sessionWorld } from "./session-world.ts";
import { system } from "./system.ts";
import { token } from "./token.ts";
import { workspace } from "./workspace.ts";
import { worktree } from "./worktree.ts";
import { ws } from "./ws.ts";

/** THE table: every capability, once. Surfaces, docs, client and permission matrix are derived from it. */
export const SYSCALLS: readonly Syscall[] = [
  ...sessionLife,
  ...sessionOffer,
  ...sessionRead,
  ...sessionWorld,
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
  ...permission,
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
