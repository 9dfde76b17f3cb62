import { event } from "../definitions/event.ts";
import { err } from "../definitions/line.ts";
import type { Continuity } from "../event-parts.ts";
import type { ArchiveRef } from "./archive-ref.ts";
import type { View } from "./view.ts";

/** What a session is and where it works; fixed at birth, inherited by forks. */
export interface SessionSpec {
  readonly name: string;
  readonly adapter: string;
  readonly agent: string;
  readonly workspace: string;
  readonly ground: string;
  readonly cwd: string;
  readonly sandbox: SandboxMode;
  readonly scope: { readonly allow: readonly string[]; readonly deny: readonly string[] } | null;
  readonly network: { readonly allow: readonly string[] } | null;
  readonly parentSessionId: string | null;
  readonly depth: number;
  /** A user's TypeScript file, for the script driver. */
  readonly file: string | null;
  /** An agent started outside, known by pid and start time. */
  readonly external: { readonly pid: number; readonly startTime: string } | null;
  /** Agents it may start sessions of. Absent when no agent was named: it may start none. */
  readonly delegates?: readonly string[];
  /** Names of secrets that its processes hold as variables; values are in the vault alone. Absent: none. */
  readonly secrets?: readonly string[];
}

export type SandboxMode = "off" | "warn" | "enforce" | "strict";

/** A name that a person gives. */
const NAMING = { erasable: true, spaceNeed: "start" } as const;

/** Events of a session's birth, hibernation, changes and end. */
export const LIFE_EVENTS = {
  "session.opened@1": event<{ readonly spec: SessionSpec; readonly label: string | null }>({
    spaceNeed: "start",
    exact: true,
    words: nameAndLabel,
  }),
  "session.forked@1": event<{
    readonly spec: SessionSpec;
    readonly label: string | null;
    readonly from: {
      readonly sessionId: string;
      readonly stream: string;
      readonly version: number;
      readonly eventId: string;
    };
    readonly root: string;
    readonly view: View;
  }>({ spaceNeed: "start", words: nameAndLabel }),
  "session.started@1": event<{ readonly continuity: Continuity }>(),
  "session.suspended@1": event<{ readonly reason: string }>(),
  "session.resumed@1": event<Record<string, never>>({ spaceNeed: "start" }),
  "session.hibernated@1": event<{ readonly reason: string }>(),
  "session.woken@1": event<{ readonly continuity: Continuity }>(),
  "session.exited@1": event<{ readonly exitCode: number | null }>(),
  "session.killed@1": event<{ readonly reason: string }>(),
  "session.failed@1": event<{ readonly code: string; readonly message: string }>({
    lines: ({ message }) => err(`[error] ${message}`),
  }),
  "session.forgotten@1": event<Record<string, never>>(),
  "session.labelled@1": event<{ readonly label: string | null }>({ ...NAMING, words: ({ label }) => label }),
  "session.titled@1": event<{ readonly title: string | null }>({ ...NAMING, words: ({ title }) => title }),
  /** A person names a point of the session's history. A label is at one point; null takes the point's label away. */
  "point.labelled@1": event<{ readonly eventId: string; readonly label: string | null }>({
    erasable: true,
    spaceNeed: "start",
    words: ({ label }) => label,
  }),
  /** Its erasable data was erased; the archive, if one was made, still has it. */
  "session.archived@1": event<{ readonly archive: ArchiveRef | null; readonly events: number }>(),
  "session.rewound@1": event<{
    readonly to: { readonly stream: string; readonly version: number; readonly eventId: string };
    readonly view: View;
  }>({ spaceNeed: "start" }),
  /** It started another session; `ended` lists earlier children that have ended. */
  "session.delegated@1": event<{ readonly childId: string; readonly agent: string; readonly ended: readonly string[] }>(
    { spaceNeed: "start" },
  ),
};

function nameAndLabel({ spec, label }: { readonly spec: SessionSpec; readonly label: string | null }): string {
  return [spec.name, label].join(" ");
}
