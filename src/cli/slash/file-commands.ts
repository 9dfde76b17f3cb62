import type { OutputOf } from "../../client/index.ts";
import { bold, dim } from "../screen/styled.ts";
import { patchLines } from "../transcript/patch-lines.ts";
import { type SlashCommands, type SlashContext, turnIn } from "./slash-context.ts";

type Diff = OutputOf<"session.diff">;

/** What the session changed, and what it can reach. */
export const FILE_COMMANDS: SlashCommands = {
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
};

function diffOf({ client, id }: SlashContext, words: string): Promise<Diff> {
  const turn = turnIn(words);
  return client.call("session.diff", { id, ...(turn === null ? {} : { turn }) });
}
