import { expect, test } from "vitest";
import { fakeTerminal } from "../../../test/support/fake-terminal.ts";
import { SHORT_NAMES, SYSCALL_NAMES } from "../../client/index.ts";
import { run } from "../commands/help.ts";
import { EVERYDAY } from "../everyday.ts";
import { widthOf } from "../print/screen-text.ts";
import { families } from "../syscall/find-syscall.ts";
import { HELP_COLUMNS, usageLines } from "./layout.ts";

async function help(...args: readonly string[]): Promise<readonly string[]> {
  const { terminal, lines } = fakeTerminal({ isScreen: false });
  await run(terminal, { args, json: false });
  return lines;
}

const ASKED: readonly (readonly string[])[] = [
  [],
  ["subjects"],
  ...Object.keys(EVERYDAY).map((name) => [name]),
  ...[...SHORT_NAMES.keys()].map((name) => [name]),
  ...families().map((family) => [family]),
  ...SYSCALL_NAMES.map((name) => name.split(".")),
];

test("the help of every command, short form, subject and syscall fits 80 columns and breaks between words", async () => {
  expect(ASKED.length).toBeGreaterThan(150);
  const wide: string[] = [];
  for (const words of ASKED)
    for (const line of await help(...words)) if (widthOf(line) > HELP_COLUMNS) wide.push(`${words.join(" ")}: ${line}`);
  expect(wide).toEqual([]);
});

test("the first screen has at most 24 lines", async () => {
  expect((await help()).length).toBeLessThanOrEqual(24);
});

test("a verb shows the options that the command line adds to it", async () => {
  expect(await help("model", "add")).toContainEqual(expect.stringContaining("--key-stdin "));
});

test("no word of a usage is lost or broken", async () => {
  for (const { usage } of Object.values(EVERYDAY))
    expect(
      usageLines(usage)
        .map((line) => line.trim())
        .join(" "),
    ).toBe(usage);
});

test("a long meaning goes on below itself, one of a long name below the name", async () => {
  const lines = await help("session", "start");
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}--model MODEL +the agent's model$/));
  expect(lines).toContain("  --sandbox off|warn|enforce|strict");
  for (const line of lines) expect(line).not.toMatch(/^ {5,}\S.* {2,}\S/);
});
