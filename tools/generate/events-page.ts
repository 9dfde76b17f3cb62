import {
  AGENT_TRANSITIONS,
  APPROVAL_TRANSITIONS,
  EFFECT_TRANSITIONS,
  EVENT_TYPES,
  LEASE_TRANSITIONS,
  SESSION_TRANSITIONS,
  TURN_TRANSITIONS,
} from "../../src/kernel/index.ts";
import { eventShapes } from "./event-shapes.ts";
import { code, fence, page, table } from "./markdown.ts";

interface Move {
  readonly on: string;
  readonly from: readonly string[];
  readonly to: string;
}

const MACHINES: { readonly [name: string]: readonly Move[] } = {
  session: SESSION_TRANSITIONS,
  turn: TURN_TRANSITIONS,
  effect: EFFECT_TRANSITIONS,
  approval: APPROVAL_TRANSITIONS,
  agent: AGENT_TRANSITIONS,
  lease: LEASE_TRANSITIONS,
};

export function eventsPage(root: string): string {
  const { facts, parts } = eventShapes(root);
  const families = [...new Set(EVENT_TYPES.map((type) => type.split(".")[0] ?? ""))];
  return page(
    "Events",
    `The ${EVENT_TYPES.length} types of facts in the log. The number after \`@\` is the version of the shape; a name once written keeps its meaning for ever. What surrounds the data is in [log-format.md](log-format.md).`,
    "## State machines",
    "As the kernel's tables have them: an event that the table does not know in a state changes nothing.",
    ...Object.entries(MACHINES).flatMap(([name, moves]) => [
      `### ${name}`,
      table(
        ["event", "from", "to"],
        moves.map(({ on, from, to }) => [code(on), from.map(code).join(", "), code(to)]),
      ),
    ]),
    "## Types",
    ...families.flatMap((family) => [
      `### ${family}`,
      fence(
        "ts",
        EVENT_TYPES.filter((type) => type.startsWith(`${family}.`))
          .map((type) => `"${type}": ${facts.get(type) ?? missing(type)}`)
          .join("\n"),
      ),
    ]),
    "### x",
    "Facts of somebody else's making, `x.<name>@1`, written by `event.add` or by a driver: kept and filtered like the others, never interpreted.",
    fence("ts", '"x.<name>@1": { turnId: string | null; payload: Json }'),
    "### What they are made of",
    fence("ts", parts.join("\n\n")),
  );
}

function missing(type: string): never {
  throw new Error(`${type} is in EVENT_TYPES and not in EventMap`);
}
