import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startDaemon } from "../../support/daemon.ts";
import { openPty } from "../../support/pty.ts";
import { approvalsOf, eventually, idle, newFolder, PATIENCE, start } from "../support/talk.ts";

vi.setConfig(PATIENCE);

const CASTS = join(import.meta.dirname, "../../../docs/assets/casts");

/** `NOMOS_CASTS=1` records them anew; otherwise the recorded one has to show the same things. */
function keep(name: string, cast: string, shows: readonly RegExp[]): void {
  const path = join(CASTS, `${name}.cast`);
  mkdirSync(CASTS, { recursive: true });
  if (process.env["NOMOS_CASTS"] === "1") writeFileSync(path, cast);
  const [head = "", ...frames] = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(JSON.parse(head)).toMatchObject({ version: 2, width: 80, height: 24 });
  const shown = frames.map((frame) => JSON.parse(frame)[2]).join("");
  for (const what of shows) expect(shown).toMatch(what);
}

test("the recorded casts show the board and a conversation as they are", async () => {
  const daemon = await startDaemon();
  const cwd = await newFolder();
  await idle(
    daemon,
    (await start(daemon, { cwd, title: "Tidy the docs", prompt: "write notes.md tidy\nsay done" })).id,
  );
  const asking = await start(daemon, { cwd, title: "Ship it", prompt: "ask Deploy to production?\nsay deployed" });
  await eventually("the question", async () => (await approvalsOf(daemon, asking.id))[0]);

  const board = openPty({ home: daemon.home, cwd, args: [] });
  await board.until(/\? Deploy to production\?/);
  board.press("down");
  await board.until(/✓ completed/);
  board.press("up");
  await board.until(/\? Deploy to production\?/);
  board.type("run echo typed on the board");
  board.press("enter");
  await board.until(/started\./);
  board.press("ctrlC");
  await board.exited;
  keep("board", board.cast().replaceAll(cwd, "~/app"), [/Deploy to production/, /Tidy the docs/, /typed on the board/]);

  const talk = openPty({ home: daemon.home, cwd, args: ["attach", asking.name] });
  await talk.until(/\? Deploy to production\?/);
  talk.type("maybe");
  talk.press("enter");
  await talk.until(/Not an answer/);
  talk.press("ctrlU");
  talk.type("y");
  talk.press("enter");
  await talk.until(/deployed\n✓ completed/);
  talk.press("ctrlD");
  await talk.exited;
  keep("attach", talk.cast().replaceAll(cwd, "~/app"), [/Not an answer/, /deployed/, /Come back with/]);
});
