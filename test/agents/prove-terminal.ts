import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { idle } from "../e2e/support/talk.ts";
import { openPty, type Pty } from "../support/pty.ts";
import type { Recipe } from "./recipes.ts";
import type { Stage } from "./stage.ts";

const NAME = /^([a-z]+-[a-z]+-[0-9a-f]{2}) · /m;

/**
 * A person at a terminal: run with an answer in place, attach with a mistyped one and a no, one exchange in a chat, then
 * the board.
 */
export async function proveTerminal(stage: Stage, recipe: Recipe): Promise<void> {
  const { home } = stage.daemon();
  const cwd = await stage.folder();
  const verb = recipe.asksOn ?? "write";
  const [kept, refused] = [join(cwd, "kept.txt"), join(cwd, "refused.txt")];
  const open = (...args: readonly string[]): Pty => openPty({ home, cwd, args, columns: 120, rows: 40 });

  const mode = recipe.writesIn === undefined ? [] : ["--mode", recipe.writesIn];
  const run = open("run", "-a", recipe.slug, ...mode, `@script\n${verb} ${kept} hello`);
  const [, name = ""] = NAME.exec(await run.until(NAME)) ?? [];
  if (recipe.asksOn !== null) await answer(run, "kept.txt", "y");
  await run.until(/✓ completed/, "history");
  expect(await run.exited).toBe(0);
  expect(await readFile(kept, "utf8")).toContain("hello");

  const attach = open("attach", name);
  await attach.until(/✓ completed/, "history");
  if (recipe.asksOn !== null) {
    attach.type(`@script\u001b\r${verb} ${refused} hello`);
    attach.press("enter");
    await answer(attach, "refused.txt", "n, not this one");
    await attach.until(/rejected: not this one/, "history");
    await idle(stage.daemon(), name);
    expect(existsSync(refused)).toBe(false);
  }
  attach.type("@script\u001b\rsay all is well");
  attach.press("enter");
  await attach.until(/^all is well$/m, "history");
  await idle(stage.daemon(), name);
  attach.press("ctrlD");
  await attach.until(/goes on\. Come back with/, "history");

  const chatted = await chatWith(open("chat", "-a", recipe.slug), recipe);
  await stage.daemon().call("POST", `/sessions/${chatted}/kill`);

  const board = open();
  await board.until(new RegExp(`${name} +${recipe.slug}`));
  board.press("ctrlC");
  expect(await board.exited).toBe(0);
  await stage.daemon().call("POST", `/sessions/${name}/kill`);
}

/** A new session and one exchange; leaving says how to come back. Resolves with its name. */
async function chatWith(chat: Pty, { slug }: Recipe): Promise<string> {
  await chat.until(new RegExp(`\n> ?\n${slug}.* · idle$`));
  chat.type("@script\u001b\rsay the chat answers");
  chat.press("enter");
  await chat.until(/^the chat answers$/m, "history");
  await chat.until(new RegExp(`✓ completed[\\s\\S]*\n> ?\n${slug}.* · idle$`));
  chat.press("ctrlD");
  const left = await chat.until(/goes on\. Come back with: nomos chat -s/, "history");
  expect(await chat.exited).toBe(0);
  return NAME.exec(left)?.[1] ?? "";
}

/** The question names the file, in a diff, a path or a command; what is no answer is not sent. */
async function answer(pty: Pty, file: string, typed: string): Promise<void> {
  await pty.until(new RegExp(`│ asked by(?:(?!asked by)[^])*${file}(?:(?!asked by)[^])* {2}n {2}no;`), "history");
  pty.type("hm");
  pty.press("enter");
  await pty.until(/Not an answer, so nothing was sent/);
  pty.press("ctrlU");
  pty.type(typed);
  pty.press("enter");
}
