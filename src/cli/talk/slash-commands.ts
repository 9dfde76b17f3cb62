import type { Client, OutputOf } from "../../client/index.ts";
import { bold, dim, type Text } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { patchLines } from "../transcript/patch-lines.ts";
import type { Completion } from "./complete.ts";

/** What a slash command works with. */
export interface SlashContext {
  readonly terminal: Terminal;
  readonly client: Client;
  readonly id: string;
  readonly name: string;
  readonly print: (lines: readonly Text[]) => void;
  readonly detach: () => void;
}

interface SlashCommand {
  readonly usage: string;
  readonly summary: string;
  readonly run: (context: SlashContext, words: string) => Promise<void> | void;
}

type Diff = OutputOf<"session.diff">;

export const SLASH_COMMANDS: { readonly [name: string]: SlashCommand } = {
  help: {
    usage: "/help",
    summary: "show the commands and keys",
    run: ({ print }) =>
      print([
        ...Object.values(SLASH_COMMANDS).map(({ usage, summary }) => `  ${usage.padEnd(USAGE_COLUMNS)}${summary}`),
        ...KEYS.map(([key, what]) => dim(`  ${key.padEnd(USAGE_COLUMNS)}${what}`)),
      ]),
  },
  diff: {
    usage: "/diff [TURN]",
    summary: "show what a turn changed; default: the last one",
    run: async (context, words) => {
      const diff = await diffOf(context, words);
      if (diff.files.length === 0) return context.print([`Turn ${diff.turn} changed no files.`]);
      context.print(
        diff.files.flatMap((file) => [
          bold(`${file.change} ${file.path}`),
          ...(file.diff === null ? [dim(`  ${file.noDiff ?? ""}`)] : patchLines(file.diff, context.terminal.columns)),
        ]),
      );
    },
  },
  files: {
    usage: "/files [TURN]",
    summary: "list the files that a turn changed; default: the last one",
    run: async (context, words) => {
      const { turn, files } = await diffOf(context, words);
      context.print(
        files.length === 0
          ? [`Turn ${turn} changed no files.`]
          : files.map(({ change, path }) => `  ${change.padEnd(8)} ${path}`),
      );
    },
  },
  model: {
    usage: "/model [NAME]",
    summary: "show the agent's models, or choose one for the next turn",
    run: async ({ client, id, print }, model) => {
      if (model !== "") {
        await client.call("session.configure", { id, model });
        return print([`The next turn uses the model ${model}.`]);
      }
      const { offer, chosen } = await client.call("session.offer", { id });
      const models = offer?.options.find(({ category, id: option }) => category === "model" || option === "model");
      print(choices("model", chosen?.model ?? String(models?.current ?? ""), models?.values ?? []));
    },
  },
  mode: {
    usage: "/mode [NAME]",
    summary: "show the agent's modes, or choose one for the next turn",
    run: async ({ client, id, print }, mode) => {
      if (mode !== "") {
        await client.call("session.configure", { id, mode });
        return print([`The next turn uses the mode ${mode}.`]);
      }
      const { offer, chosen } = await client.call("session.offer", { id });
      const modes = offer?.modes.map((one) => one.id) ?? [];
      print(choices("mode", chosen?.mode ?? offer?.mode ?? "", modes));
    },
  },
  rewind: {
    usage: "/rewind TURN",
    summary: "go back to the end of a turn, with its files; 0: before the first",
    run: async ({ client, id, print }, words) => {
      const turn = turnIn(words);
      if (turn === null) return print(["Name the turn: /rewind 2 goes back to the end of turn 2."]);
      await client.call("session.rewind", { id, turn });
      print([`Rewound to the end of turn ${turn}. Files are as they were then.`]);
    },
  },
  fork: {
    usage: "/fork [TURN]",
    summary: "start another session from here, or from the end of a turn",
    run: async ({ client, id, print }, words) => {
      const turn = turnIn(words);
      const fork = await client.call("session.fork", { id, ...(turn === null ? {} : { turn }) });
      print([`Forked: ${fork.name}. Next: nomos attach ${fork.name}`]);
    },
  },
  queue: {
    usage: "/queue",
    summary: "show the prompts that wait",
    run: async ({ client, id, print }) => {
      const { queued } = await client.call("session.show", { id });
      print([queued === 0 ? "No prompt waits." : `${queued} ${queued === 1 ? "prompt waits" : "prompts wait"}.`]);
    },
  },
  sandbox: {
    usage: "/sandbox",
    summary: "show what the agent can reach",
    run: async ({ client, id, print }) => {
      const { mode, notices, files, network } = await client.call("sandbox.explain", { id });
      const hosts = network.open ? "every host" : network.reachable.map(({ host }) => host).join(", ") || "no host";
      print([
        bold(`sandbox ${mode}`),
        ...notices.map((notice) => `  ${notice}`),
        ...files.map(({ path, access, why }) => `  ${access.padEnd(6)} ${path}  (${why})`),
        `  network: ${hosts}`,
      ]);
    },
  },
  rename: {
    usage: "/rename TITLE",
    summary: "give the session another title",
    run: async ({ client, id, print }, title) => {
      if (title === "") return print(["Name the title: /rename Fix the login test"]);
      await client.call("session.rename", { id, title });
      print([`It is called "${title}" now.`]);
    },
  },
  detach: { usage: "/detach", summary: "leave; the session goes on", run: ({ detach }) => detach() },
};

const USAGE_COLUMNS = 18;
const KEYS: readonly (readonly [string, string])[] = [
  ["Enter", "send; during a turn the prompt is queued"],
  ["Alt-Enter, \\", "a new line; a paste stays one prompt"],
  ["Up, Down", "earlier prompts"],
  ["Tab", "complete a command or @file"],
  ["Ctrl-G", "write in $EDITOR"],
  ["Ctrl-C", "clear the line, then interrupt the turn"],
  ["Ctrl-D", "leave; the session goes on"],
];

export function ownCommands(): readonly Completion[] {
  return Object.entries(SLASH_COMMANDS).map(([name, { summary }]) => ({ text: `/${name}`, hint: summary }));
}

function turnIn(words: string): number | null {
  return /^\d{1,6}$/.test(words) ? Number(words) : null;
}

function diffOf({ client, id }: SlashContext, words: string): Promise<Diff> {
  const turn = turnIn(words);
  return client.call("session.diff", { id, ...(turn === null ? {} : { turn }) });
}

function choices(kind: string, current: string, offered: readonly string[]): readonly Text[] {
  if (offered.length === 0)
    return [current === "" ? `The agent has not said which ${kind}s it has.` : `The ${kind} is ${current}.`];
  return offered.map((one) => (one === current ? bold(`* ${one}`) : `  ${one}`));
}
