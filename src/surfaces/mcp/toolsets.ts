import { NomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { type McpTool, OTHER_NAMES } from "./tools.ts";

const ALL = "all";

/** Listed when the client names no toolset. Defined here and not in the table, because it concerns clients only. */
const DEFAULTS = { session: ["inside"], others: ["core", OTHER_NAMES] } as const;

/** The toolsets of `?toolsets=sessions,audit`; null when none was given. Refuses unknown names. */
export function toolsetsAsked(url: string, tools: ReadonlyMap<string, McpTool>): readonly string[] | null {
  const given = new URL(url).searchParams.getAll("toolsets");
  if (given.length === 0) return null;
  const known = new Set([ALL, ...[...tools.values()].flatMap(({ toolsets }) => toolsets)]);
  const asked = given.flatMap((list) => list.split(",")).flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  return asked.map((name) => {
    const found = [name, name.replace(/s$/, "")].find((one) => known.has(one));
    if (found === undefined)
      throw new NomosError("invalid_request", { field: "toolsets", unknown: name, known: [...known].sort() });
    return found;
  });
}

/** Whether a tool is listed. Listing grants nothing: an unlisted tool can be called like any other. */
export function isListed({ toolsets }: McpTool, asked: readonly string[] | null, actor: Actor): boolean {
  const shown: readonly string[] = asked ?? (actor.sessionId === null ? DEFAULTS.others : DEFAULTS.session);
  return shown.includes(ALL) || toolsets.some((name) => shown.includes(name));
}
