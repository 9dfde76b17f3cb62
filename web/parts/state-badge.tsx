import type { ComponentChildren } from "preact";
import type { Session } from "../../src/client/index.ts";

export function Badge({
  kind = "plain",
  children,
}: {
  readonly kind?: "plain" | "good" | "warn" | "bad" | "accent";
  readonly children: ComponentChildren;
}) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}

export type Standing = "needs you" | "working" | "waiting" | "idle" | "asleep" | "ended";

/** What a person wants to know of a session first. */
export function standingOf({
  state,
  busy,
  waitingFor,
  endedAt,
}: Pick<Session, "state" | "busy" | "waitingFor" | "endedAt">): Standing {
  if (endedAt !== undefined) return "ended";
  // It goes on by itself when the usage limit has reset.
  if (waitingFor === "quota") return "waiting";
  if (waitingFor !== undefined) return "needs you";
  if (busy || state === "starting") return "working";
  return state === "hibernated" ? "asleep" : "idle";
}

const SHAPES: { readonly [standing in Standing]: string } = {
  "needs you": "M8 1.500l6.500 12h-13z",
  working: "M8 2a6 6 0 1 0 .01 0z",
  waiting: "M4 2h8v2l-3 4 3 4v2H4v-2l3-4-3-4z",
  idle: "M8 3a5 5 0 1 0 .01 0zm0 2a3 3 0 1 1-.01 0z",
  asleep: "M3 7h10v2H3z",
  ended: "M4 4h8v8H4zm2 2v4h4V6z",
};

/** Shape and word say the same as the colour. */
export function StateBadge({ session, isShort = false }: { readonly session: Session; readonly isShort?: boolean }) {
  const standing = standingOf(session);
  const word =
    standing === "ended"
      ? session.state
      : standing === "idle" && session.state === "suspended"
        ? "suspended"
        : standing;
  return (
    <span class={`state state-${standing.replace(" ", "-")}`} title={word}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path fill-rule="evenodd" d={SHAPES[standing]} />
      </svg>
      <span class={isShort ? "hidden-text" : ""}>{word}</span>
    </span>
  );
}
