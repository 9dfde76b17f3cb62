import { EVERYDAY, isEveryday } from "../../src/cli/everyday.ts";
import type { Everyday } from "../../src/cli/everyday-command.ts";
import { usageOf } from "../../src/cli/syscall/usage.ts";
import { SYSCALLS } from "../../src/syscalls/index.ts";
import { syscallEntry } from "./client-manifest.ts";
import { code, page, table } from "./markdown.ts";

export function cliPage(): string {
  const short = SYSCALLS.flatMap((syscall) => {
    const name = syscall.cli.short;
    return name === undefined || isEveryday(name)
      ? []
      : [[code(usageOf(name, syscallEntry(syscall))), syscall.summary]];
  });
  return page(
    "Command line",
    '`nomos --help` lists the commands by subject, `nomos help SUBJECT` those of a subject, `nomos COMMAND --help` says how one is written. With `--json` every command prints one value for a program on stdout: the answer, or `{"error": ...}`; a stream prints one a line. The exit code is 0 ok, 1 failed or a negative verdict, 2 usage, 3 denied, 4 not found, 5 conflict, 6 unavailable.',
    "A session is named by its id, the beginning of one, or its name. `-` as a text reads it from stdin. Options are written in kebab-case or camelCase; lists by repeating the option or with commas; objects as JSON. Text that looks like an option goes into quotes, or after `--`.",
    "What agents wrote is made harmless before it is printed, on a screen and in a pipe: control characters and what is invisible are shown as signs, a line break in a field as `⏎`. `--json` has the exact value, as escapes. Only content (`artifact read`, `blob read`, `doc read`) goes to a pipe byte for byte.",
    "",
    "Every command except `version`, `help`, `completion`, `status`, `doctor`, `restore`, `down` and `daemon logs` starts the daemon if none runs.",
    "## Everyday",
    table(
      ["command", "what it does"],
      [...Object.values<Everyday>(EVERYDAY).map(({ usage, summary }) => [code(usage), summary]), ...short],
    ),
    ...Object.values<Everyday>(EVERYDAY).flatMap(({ usage, options = [] }) =>
      options.length === 0
        ? []
        : [
            `### ${usage.split(" ").slice(0, 2).join(" ")}`,
            table(
              ["option", "meaning"],
              options.map(([option, meaning]) => [code(option), meaning]),
            ),
          ],
    ),
    "## Every syscall",
    table(
      ["command", "what it does"],
      SYSCALLS.map((syscall) => [
        code(usageOf(syscall.name.replace(".", " "), syscallEntry(syscall))),
        syscall.summary,
      ]),
    ),
    "## Environment",
    table(
      ["variable", "meaning"],
      [
        [code("NOMOS_HOME"), "where the state is; default `~/.nomos`"],
        [code("NOMOS_PORT"), "the port of a daemon that is started; `--port` wins"],
        [code("NOMOS_URL"), "with `NOMOS_TOKEN`: talk to this daemon and start none; set inside of sessions"],
        [code("NOMOS_TOKEN"), "the token to talk with"],
        [code("NO_COLOR"), "no colours"],
      ],
    ),
  );
}
