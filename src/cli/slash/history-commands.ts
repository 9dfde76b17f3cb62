import type { OutputOf } from "../../client/index.ts";
import { counted } from "../print/spell.ts";
import type { Choice } from "../screen/picker.ts";
import { type SlashCommands, type SlashContext, turnIn } from "./slash-context.ts";

/** Going back, and going another way. */
export const HISTORY_COMMANDS: SlashCommands = {
  tree: {
    usage: "/tree",
    summary: "choose a point of the history: go back to it, or fork there",
    run: async (context) => {
      const point = await context.pick({
        title: "Go to the end of",
        choices: await pointsOf(context),
        how: "/rewind TURN goes back to the end of a turn, /fork TURN starts another session there; a label names a point too.",
      });
      if (point === null) return;
      const deed = await context.pick({ title: point.name, choices: DEEDS, how: "" });
      if (deed === "fork") await fork(context, point.at);
      else if (deed !== null) await rewind(context, point, deed === "talk");
    },
  },
  rewind: {
    usage: "/rewind TURN",
    summary: "go back to the end of a turn, or to a label, with the files; 0: before the first turn",
    run: async (context, words) => {
      if (words === "") return context.print(["Name the turn: /rewind 2 goes back to the end of turn 2."]);
      await rewind(context, pointIn(words), false);
    },
  },
  fork: {
    usage: "/fork [TURN]",
    summary: "start another session from here, or from the end of a turn, or from a label",
    run: async ({ client, id, print }, words) => {
      const made = await client.call("session.fork", { id, ...(words === "" ? {} : forkAt(pointIn(words).at)) });
      print([`Forked: ${made.name}. Next: /session ${made.name}, or nomos attach ${made.name}`]);
    },
  },
  label: {
    usage: "/label NAME",
    summary: "label this point, so that /tree shows it by name",
    run: async ({ client, id, print }, label) => {
      if (label === "") return print(["Name the label: /label before-the-refactoring"]);
      const { head } = await client.call("session.show", { id });
      if (head === null) return print(["Nothing has happened yet, so there is no point to label."]);
      await client.call("session.mark", { id, event: head, label });
      print([`This point is labelled: ${label}`]);
    },
  },
};

type At = { readonly turn: number } | { readonly event: string };
interface Point {
  readonly at: At;
  readonly name: string;
}

/** A turn by its number, or a point by its label. */
function pointIn(words: string): Point {
  const turn = turnIn(words);
  return turn === null ? { at: { event: words }, name: words } : { at: { turn }, name: `turn ${turn}` };
}

const DEEDS: readonly Choice<"rewind" | "talk" | "fork">[] = [
  { value: "rewind", text: "go back", hint: "conversation and files; the log keeps everything" },
  { value: "talk", text: "go back, keep the files", hint: "only the conversation" },
  { value: "fork", text: "fork", hint: "another session from there, with its own copy of the files" },
];
const POINTS_MAX = 200;

async function pointsOf({ client, id }: SlashContext): Promise<readonly Choice<Point>[]> {
  const [{ turns }, { marks }] = await Promise.all([
    client.call("session.turns", { id, limit: POINTS_MAX }),
    client.call("session.marks", { id }),
  ]);
  const ends = new Set(turns.map(({ eventId }) => eventId));
  const labelled = marks
    .filter(({ eventId }) => !ends.has(eventId))
    .map(({ eventId, label, isOnPath }) => ({
      value: { at: { event: eventId }, name: label },
      text: `# ${label}`,
      hint: isOnPath ? "labelled" : "labelled, left by a rewind",
    }));
  const start = { value: { at: { turn: 0 }, name: "before turn 1" }, text: "before turn 1", hint: "the beginning" };
  const ended = turns.filter(({ eventId }) => eventId !== null);
  return [start, ...ended.map((turn, at) => pointOf(turn, marks, at === ended.length - 1)), ...labelled];
}

type Turn = OutputOf<"session.turns">["turns"][number];

function pointOf(
  { turn, prompt, outcome, rewound, eventId }: Turn,
  marks: OutputOf<"session.marks">["marks"],
  isCurrent: boolean,
): Choice<Point> {
  const label = marks.find((mark) => mark.eventId === eventId)?.label;
  const notes = [
    label === undefined ? "" : `# ${label}`,
    outcome === "completed" ? "" : String(outcome),
    rewound ? "left by a rewind" : "",
    prompt ?? "(erased)",
  ];
  const at: At = rewound && eventId !== null ? { event: eventId } : { turn };
  return {
    value: { at, name: `turn ${turn}` },
    text: `${rewound ? "  " : ""}turn ${turn}`,
    hint: notes.filter((note) => note !== "").join(" · "),
    isCurrent,
  };
}

async function rewind({ client, id, print }: SlashContext, { at, name }: Point, talkOnly: boolean): Promise<void> {
  const where = "turn" in at ? { turn: at.turn } : { to: at.event };
  const { kept, irrevocable, undo } = await client.call("session.rewind", { id, ...where, talkOnly });
  // Written files are back, or told as kept.
  const outside = irrevocable.filter(({ kind }) => kind !== "write").length;
  print([
    talkOnly
      ? `Rewound to ${name}. Files are as they are.`
      : `Rewound to ${"turn" in at ? `the end of ${name}` : name}. Files are as they were then.`,
    ...(kept.length === 0 ? [] : [`Kept, because others changed them: ${kept.join(", ")}`]),
    ...(outside === 0 ? [] : [`Cannot be taken back: what ${counted(outside, "effect")} did outside of the files.`]),
    ...(undo === null ? [] : [`Undo: ${undo}`]),
  ]);
}

async function fork({ client, id, goTo }: SlashContext, at: At): Promise<void> {
  goTo(await client.call("session.fork", { id, ...forkAt(at) }), false);
}

function forkAt(at: At): { readonly turn: number } | { readonly at: string } {
  return "turn" in at ? { turn: at.turn } : { at: at.event };
}
