import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { openPty, type Pty, type PtyOptions } from "../../support/pty.ts";
import {
  approvalsOf,
  eventually,
  expectOk,
  idle,
  newFolder,
  PATIENCE,
  type Session,
  show,
  start,
} from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** A question is only answered when it has been on the screen for a moment. */
const UNREAD_MS = 800;

/** A board that shows only the sessions of one folder, so that tests can share a daemon. */
async function board(cwd: string, options: Partial<PtyOptions> = {}): Promise<Pty> {
  const pty = openPty({ home: daemon.home, cwd, args: [], ...options });
  await pty.until(/nomos {2}.*(idle|needs? you|working|no sessions)/);
  pty.type("/");
  pty.type(cwd.split("/").at(-1) ?? "");
  pty.press("enter");
  await pty.until(new RegExp(`filter: ${cwd.split("/").at(-1)}[\\s\\S]*type a task for`));
  return pty;
}

async function asking(cwd: string, question = "May I?"): Promise<Session> {
  const session = await start(daemon, { cwd, prompt: `ask ${question}\nsay thanks` });
  await eventually("the question", async () => (await approvalsOf(daemon, session.id))[0]);
  return session;
}

const NAME = /[a-z]+-[a-z]+-[0-9a-f]{2}/g;

/** What differs from run to run: names, folders and ages, replaced without moving the columns. */
function masked(screen: string): string {
  return screen
    .replaceAll(/(sandbox off · |type a task for demo in ).*$/gm, "$1FOLDER")
    .replaceAll(/…\S*/g, "…")
    .replaceAll(
      /^([^a-z\n]{3})([a-z]+-[a-z]+-[0-9a-f]{2} +)/gm,
      (_row, mark, name) => `${mark}${"NAME".padEnd(name.length)}`,
    )
    .replaceAll(NAME, "NAME")
    .replaceAll(/\d+s( *)$/gm, "0s$1")
    .replaceAll(/\d+\.\d s/g, "0.0 s");
}

for (const [columns, rows] of [
  [80, 24],
  [140, 40],
] as const)
  for (const NO_COLOR of ["", "1"])
    proves(
      "T7",
      `the board at ${columns}x${rows}${NO_COLOR === "" ? "" : " without colour"} looks as recorded`,
      async () => {
        const cwd = await newFolder();
        await idle(daemon, (await start(daemon, { cwd, title: "Tidy the docs", prompt: "say done" })).id);
        await start(daemon, { cwd, title: "Run the suite", prompt: "run sleep 60" });
        await asking(cwd, "Deploy to production?");
        const pty = await board(cwd, { columns, rows, ...(NO_COLOR === "" ? {} : { env: { NO_COLOR } }) });
        const screen = await pty.until(
          columns < 100
            ? /! .*Deploy to production[\s\S]*● .*run sleep 60 [\s\S]*○ .*Tidy[\s\S]*\? Deploy[\s\S]*task for demo/
            : /! .*Deploy to production[\s\S]*● .*run sleep 60 [\s\S]*○ .*Tidy.* done [\s\S]*\? Deploy[\s\S]*task for demo/,
        );
        await expect(masked(screen.split("\n").slice(1).join("\n"))).toMatchFileSnapshot(
          `../../golden/screens/board-${columns}x${rows}.txt`,
        );
        expect(pty.colours() > 0).toBe(NO_COLOR === "");
      },
    );

proves("T7", "one key answers: y, or x with a reason; the bell rings and the title counts", async () => {
  const cwd = await newFolder();
  const pty = await board(cwd);
  const yes = await asking(cwd, "First?");
  await pty.until(/\? First\?/);
  await expect.poll(() => pty.bells()).toBeGreaterThan(0);
  await eventually("the title", async () => /nomos: \d+ needs? you/.test(pty.title()));
  await sleep(UNREAD_MS);
  pty.type("y");
  await pty.until(/Answered: yes/);
  await idle(daemon, yes.id);
  const no = await asking(cwd, "Second?");
  await pty.until(/\? Second\?/);
  pty.type("x");
  await pty.until(/read it first, then press the key again/);
  await sleep(UNREAD_MS);
  pty.type("x");
  await pty.until(/No, because/);
  pty.type("not now");
  pty.press("enter");
  await pty.until(/Answered: no, not now/);
  await idle(daemon, no.id);
  const [answered] = await approvalsOf(daemon, no.id);
  expect(answered?.status).toBe("rejected");
});

proves("T7", "typing starts a session; a letter that is a key becomes text when one types on", async () => {
  const cwd = await newFolder();
  await idle(daemon, (await start(daemon, { cwd, prompt: "say here" })).id);
  const pty = await board(cwd);
  await pty.until(/○ .*demo/);
  for (const task of [
    "say plain words",
    "fork is a word too",
    "kill -9 is a text",
    "new words",
    "drop it",
    "quick one",
  ]) {
    pty.type(task);
    await pty.until(new RegExp(`\\n> ${task}$`));
    pty.press("escape");
    await pty.until(/type a task for/);
  }
  pty.type("run echo from the board");
  pty.press("enter");
  await pty.until(/started\./);
  await pty.until(/│ from the board/);
});

proves("T7", "attach and back, fork, kill, diff and rewind work from the board", async () => {
  const cwd = await newFolder();
  const session = await start(daemon, { cwd, prompt: "write a.txt one" });
  await idle(daemon, session.id);
  expectOk(await daemon.call("POST", `/sessions/${session.id}/prompt`, { prompt: "write a.txt two" }));
  await idle(daemon, session.id);
  const pty = await board(cwd);
  await pty.until(/○ .*demo/);
  pty.type("d");
  await pty.until(/turn 2: 1 file changed[\s\S]*-one[\s\S]*\+two/);
  pty.press("left");
  await pty.until(/turn 1: 1 file changed[\s\S]*\+one/);
  pty.press("escape");
  await pty.until(/type a task for/);
  pty.type("r");
  await pty.until(/Rewind .* to the end of which turn\?.*\n ▸ /);
  pty.press("down", "enter");
  await pty.until(/is at the end of turn 1\./);
  pty.press("enter");
  await pty.until(/Ctrl-C|^>$/m);
  pty.press("ctrlD");
  await pty.until(/type a task for/);
  pty.type("f");
  await pty.until(/Fork .*\?/);
  pty.press("enter");
  await pty.until(/was forked from/);
  // A fork has a folder of its own, which the filter hides.
  pty.type("/");
  pty.press("escape");
  await pty.until(/type a task for/);
  await eventually("the fork under the cursor", async () => !pty.text().includes(`▸○ ${session.name}`));
  pty.type("k");
  await pty.until(/Kill .*\?/);
  expect(pty.text()).not.toContain(`Kill ${session.name}`);
  pty.press("enter");
  await pty.until(/was killed\./);
  pty.type("?");
  await pty.until(/Keys of the board/);
  pty.press("escape");
  await pty.until(/type a task for/);
  pty.press("ctrlC");
  expect(await pty.exited).toBe(0);
  expect(await show(daemon, session.id)).toMatchObject({ state: "idle" });
});

proves(
  "T6",
  "the daemon is killed under the board: it is said, u starts it again, and the sessions are back",
  async () => {
    const own = await startDaemon();
    const cwd = await newFolder();
    await start(own, { cwd, prompt: "ask Still there?" });
    const pty = openPty({ home: own.home, cwd, args: ["board"] });
    await pty.until(/\? Still there\?/);
    await own.kill9();
    await pty.until(/The daemon is gone; waiting for it\. u starts it\./);
    pty.type("u");
    await pty.until(/nomos {2}1 /);
    const down = openPty({ home: own.home, cwd, args: ["down"] });
    await down.until(/is down/);
  },
);

proves("T10", "hostile text in every field of the board is shown harmlessly", async () => {
  const cwd = await newFolder();
  const evil = "\u001b]0;owned\u0007\u001b[2J\u202e\u0085evil";
  const long = "w".repeat(20_000);
  const session = await start(daemon, {
    cwd,
    label: `${evil} label`,
    prompt: `say ${evil}${long}\nask ${evil} question?`,
  });
  await eventually("the question", async () => (await approvalsOf(daemon, session.id))[0]);
  const pty = await board(cwd);
  await pty.until(/␛\]0;owned␇␛\[2J/);
  expect(pty.title()).toMatch(/^nomos/);
  expect(pty.raw()).not.toContain("owned\u0007");
  expect(pty.raw()).not.toContain("\u202e");
  pty.press("enter");
  await pty.until(/␛\]0;owned␇␛\[2J.*question\?/);
  expect(pty.title()).toMatch(/^nomos/);
  expect(pty.raw()).not.toContain("owned\u0007");
});

test("a click selects a session, a second one attaches", async () => {
  const cwd = await newFolder();
  for (const title of ["first", "second"])
    await idle(daemon, (await start(daemon, { cwd, title, prompt: "say x" })).id);
  const pty = await board(cwd);
  await pty.until(/▸○ .* second /);
  const click = "\u001b[<0;10;4M\u001b[<0;10;4m";
  pty.type(click);
  await pty.until(/▸○ .* first /);
  pty.type(click);
  await pty.until(/Ctrl-D|✓ completed[^\n]*\n>$/);
});

test("resizing redraws the board at any size", async () => {
  const cwd = await newFolder();
  await idle(daemon, (await start(daemon, { cwd, title: "narrow", prompt: "say x" })).id);
  const pty = await board(cwd);
  for (const [columns, rows] of [
    [40, 10],
    [200, 60],
    [20, 5],
    [80, 24],
  ] as const) {
    pty.resize(columns, rows);
    await pty.until(/nomos/);
  }
  await pty.until(/SESSION [\s\S]*○ .* narrow [\s\S]*type a task for/);
});

test("without a terminal, or in plain mode, bare nomos prints the status", async () => {
  const piped = await daemon.cli();
  expect(piped.stdout).toMatch(/^nomos .* is up\n/);
  const plain = openPty({ home: daemon.home, cwd: daemon.home, args: [], env: { NOMOS_PLAIN: "1" } });
  await plain.until(/is up/, "history");
  expect(plain.raw()).not.toContain("\u001b[?1049h");
  expect(await plain.exited).toBe(0);
});

test("a picker starts a session with another agent, in another folder", async () => {
  const cwd = await newFolder();
  const other = await newFolder();
  await writeFile(join(other, "marker.txt"), "here");
  const pty = await board(cwd);
  pty.type("n");
  await pty.until(/Which agent\?\n ▸ /);
  pty.press("enter");
  await pty.until(/In which folder\?/);
  await eventually("the last choice", async () => {
    pty.press("down");
    return /▸ another folder/.test(pty.text());
  });
  pty.press("enter");
  await pty.until(/Folder: /);
  pty.press("ctrlU");
  pty.type(other);
  pty.press("enter");
  pty.type("run cat marker.txt");
  pty.press("enter");
  await pty.until(/started\./);
});
