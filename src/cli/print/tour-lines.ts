import { bold, dim, joined, type Text } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";

/** First steps for a new user. */
export function tourLines(terminal: Terminal, name: string): readonly Text[] {
  // From a clone, started by `npm start`, there is no `nomos` on the PATH.
  const prefix = terminal.environment["npm_lifecycle_event"] === undefined ? "" : "npx ";
  const steps: readonly (readonly [command: string, meaning: string])[] = [
    ["nomos ps", "every session"],
    [`nomos logs ${name}`, "show its transcript"],
    [`nomos attach ${name}`, "watch it and type prompts"],
    [`nomos prompt ${name} "run date"`, "give it work"],
    [`nomos session events ${name}`, "list its events with their ids"],
    [`nomos fork ${name}`, "a second session from here"],
    [`nomos rewind ${name} EVENT`, "go back to an event"],
    ['nomos run -a demo "ask May I?"', "a question, to approve"],
    ["nomos doctor", "check every byte of the log"],
  ];
  const width = Math.max(...steps.map(([command]) => prefix.length + command.length));
  return [
    "",
    joined("A first session waits for you: ", bold(name), ". It runs the demo driver,"),
    "which needs no key: a prompt is a script of say, write, run, sleep and ask.",
    "In another terminal:",
    "",
    ...steps.map(([command, meaning]) => joined("  ", bold(`${prefix}${command}`.padEnd(width)), "  ", dim(meaning))),
    "",
    dim("Kill this process at any time: the next start continues where it was."),
  ];
}
