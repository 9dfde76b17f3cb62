import {
  AGENT_TRANSITIONS,
  AGGREGATES,
  LANDING_TRANSITIONS,
  LEASE_TRANSITIONS,
  SECRET_TRANSITIONS,
} from "../../src/domains/index.ts";
import {
  type Aggregate,
  ALARMS,
  APPROVAL_TRANSITIONS,
  COMMON_EVENTS,
  EFFECT_TRANSITIONS,
  type EventDefinitions,
  type List,
  QUEUED,
  SESSION_TRANSITIONS,
  streamOf,
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
  secret: SECRET_TRANSITIONS,
  landing: LANDING_TRANSITIONS,
  lease: LEASE_TRANSITIONS,
};

export function eventsPage(root: string): string {
  const { facts, parts } = eventShapes(root);
  const events: EventDefinitions = Object.assign({}, ...AGGREGATES.map(ownEvents), COMMON_EVENTS);
  const types = Object.keys(events);
  const families = [...new Set(types.map((type) => type.split(".")[0] ?? ""))];
  return page(
    "Events",
    `The ${types.length} types of facts in the log. The number after \`@\` is the version of the shape; the meaning of a name never changes. For the bytes around the data, see [log-format.md](log-format.md).`,
    "## Aggregates",
    `Each kind of stream, as \`AGGREGATES\` in \`src/domains/index.ts\` names them, with its events and its lists. A stream of any kind may also hold ${Object.keys(COMMON_EVENTS).map(code).join(", ")} and [custom facts](#x).`,
    ...AGGREGATES.flatMap(aggregateSection),
    "### Lists of all aggregates",
    "The alarms and queued items that the states of all streams declare.",
    listsTable([ALARMS, QUEUED]),
    "## State machines",
    "These are the tables of the kernel and the domains. An event that a table does not list for a state changes nothing.",
    ...Object.entries(MACHINES).flatMap(([name, moves]) => [
      `### ${name}`,
      table(
        ["event", "from", "to"],
        moves.map(({ on, from, to }) => [code(on), from.map(code).join(", "), code(to)]),
      ),
    ]),
    "## Types",
    "*SpaceNeed* says what is refused when space is short: first `start` (new work), then `course` (a running turn), then `output` (output that exists already); `end` is always written. *Erasable*: its data can be erased. *Searched*: search finds its words. *Lines*: streams of lines show it.",
    ...families.flatMap((family) => {
      const own = types.filter((type) => type.startsWith(`${family}.`));
      return [
        `### ${family}`,
        fence("ts", own.map((type) => `"${type}": ${facts.get(type) ?? missing(type)}`).join("\n")),
        table(
          ["event", "spaceNeed", "erasable", "searched", "lines"],
          own.map((type) => rowOf(type, events)),
        ),
      ];
    }),
    "### x",
    "Custom facts, `x.<name>@1`, written by `event.add` or by a driver: stored and filtered like the others, never interpreted. They can be erased; their spaceNeed is `course`.",
    fence("ts", '"x.<name>@1": { turnId: string | null; payload: Json }'),
    "### What they are made of",
    fence("ts", parts.join("\n\n")),
  );
}

function aggregateSection(of: Aggregate): readonly string[] {
  const types = Object.keys(ownEvents(of));
  return [
    `### Streams of kind ${code(of.kind)}`,
    `Named ${code(streamOf(of, "<id>"))}${of.isSingle ? "; there is one" : ""}. Events: ${types.map(code).join(", ")}.`,
    listsTable(of.lists),
  ];
}

/** Without the events that every aggregate has. */
function ownEvents({ events }: Aggregate): EventDefinitions {
  return Object.fromEntries(Object.entries(events).filter(([type]) => !Object.hasOwn(COMMON_EVENTS, type)));
}

function listsTable(lists: readonly List[]): string {
  return table(
    ["list", "table", "found and sorted by"],
    lists.map(({ name, table: where, keys }) => [
      code(name),
      code(where),
      ["id", ...Object.keys(keys)].map(code).join(", "),
    ]),
  );
}

function rowOf(type: string, events: EventDefinitions): readonly string[] {
  const { spaceNeed, erasable, words, lines } = events[type] ?? missing(type);
  const yes = (is: boolean): string => (is ? "yes" : "");
  return [code(type), code(spaceNeed), yes(erasable), yes(words !== null), yes(lines !== null)];
}

function missing(type: string): never {
  throw new Error(`${type} is defined by no member "${type}": event<Shape>(...) of an exported object`);
}
