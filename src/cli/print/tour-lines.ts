import type { Terminal } from "../terminal.ts";
import { bold, dim } from "./colour.ts";

/** What to do first, for somebody who sees this for the first time. */
export function tourLines(terminal: Terminal, name: string): readonly string[] {
  // From a clone, started by `npm start`, there is no `nomos` on the PATH.
  const prefix = terminal.environment["npm_lifecycle_event"] === undefined ? "" : "npx ";
  const line = (command: string, meaning: string) =>
    `  ${bold(terminal, `${prefix}${command}`.padEnd(48))} ${dim(terminal, meaning)}`;
  return [
    "",
    `A first session waits for you: ${bold(terminal, name)}. It runs the demo driver, which needs no key: a prompt`,
    "is a script of say, write, run, sleep and ask. In another terminal:",
    "",
    line("nomos ps", "every session"),
    line(`nomos logs ${name}`, "what it said and did"),
    line(`nomos attach ${name}`, "watch it live; a line you type is a prompt"),
    line(`nomos prompt ${name} "run date"`, "give it work; answered when that is durable"),
    line(`nomos session events ${name}`, "every event, with the ids for fork and rewind"),
    line(`nomos fork ${name}`, "a second session from here; nothing is copied"),
    line(`nomos rewind ${name} EVENT`, "back to an event; nothing is deleted"),
    line('nomos run -a demo "ask May I?"', "a question: answer it with `nomos approve`"),
    line("nomos doctor", "check every byte of the log"),
    "",
    dim(terminal, "Kill this process at any instant: the next start goes on where it was."),
  ];
}
