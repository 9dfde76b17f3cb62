import { resolve } from "node:path";
import type { Session } from "../../client/index.ts";
import { usageError } from "../arguments.ts";
import { memberAt } from "../print/said-lines.ts";
import { spell } from "../print/spell.ts";

/** Sessions that wait for an answer first, then those at work, idle, asleep and ended; each newest first, as listed. */
export function needingFirst(sessions: readonly Session[]): readonly Session[] {
  return sessions.toSorted((one, other) => rankOf(one) - rankOf(other));
}

const RANKS: readonly (readonly string[])[] = [
  ["pending"],
  ["starting", "busy"],
  ["idle"],
  ["suspended", "hibernated"],
];

function rankOf({ state, waitingFor }: Session): number {
  const at = RANKS.findIndex((states) => states.includes(waitingFor === "approval" ? "pending" : state));
  return at < 0 ? RANKS.length : at;
}

/** `{name} {state}`: members of a session, also nested ones; `\t` is a tab. A member that it does not have is empty. */
export function formatted(format: string, session: Session): string {
  return format.replaceAll("\\t", "\t").replace(/\{([\w.]+)\}/g, (_whole, path: string) => {
    const value = memberAt(session, path);
    return value === undefined || value === null ? "" : spell(value);
  });
}

interface Matcher {
  readonly matches: (session: Session) => boolean;
  /** It asks for ended sessions, which the list leaves out otherwise. */
  readonly wantsEnded: boolean;
}

const KEYS = ["state", "agent", "name", "title", "label", "cwd", "sandbox", "workspaceSlug", "adapterSlug", "id"];
/** Other words for states. */
const STATES: { readonly [word: string]: readonly string[] } = {
  pending: ["pending"],
  waiting: ["pending"],
  asleep: ["suspended", "hibernated"],
  ended: ["exited", "killed", "error"],
};
const ENDED: readonly string[] = ["ended", "exited", "killed", "error"];

/** Filters such as `state=busy,agent=claude`: every key must match, one of its values is enough. */
export function matcherOf(filters: readonly string[], cwd: string): Matcher {
  const wanted = new Map<string, string[]>();
  for (const filter of filters) {
    let last = "";
    for (const part of filter.split(",")) {
      const [, key = last, value = part] = /^(\w+)=(.*)$/.exec(part) ?? [];
      if (!KEYS.includes(key))
        throw usageError(
          `There is no filter ${JSON.stringify(part)}.`,
          `--filter KEY=VALUE, with KEY one of ${KEYS.join(", ")}`,
        );
      wanted.set(key, [...(wanted.get(key) ?? []), value]);
      last = key;
    }
  }
  return {
    matches: (session) =>
      [...wanted].every(([key, values]) => values.some((value) => isMatch(session, key, value, cwd))),
    wantsEnded: (wanted.get("state") ?? []).some((state) => ENDED.includes(state)),
  };
}

function isMatch(session: Session, key: string, wanted: string, cwd: string): boolean {
  const value = spell(memberAt(session, key) ?? "");
  switch (key) {
    case "state": {
      const states = STATES[wanted] ?? [wanted];
      return states.includes(value) || (states.includes("pending") && session.waitingFor === "approval");
    }
    case "cwd": {
      const folder = resolve(cwd, wanted);
      return value === folder || value.startsWith(folder === "/" ? "/" : `${folder}/`);
    }
    case "label":
    case "title":
      return value.toLowerCase().includes(wanted.toLowerCase());
    default:
      return wanted.endsWith("*") ? value.startsWith(wanted.slice(0, -1)) : value === wanted;
  }
}
