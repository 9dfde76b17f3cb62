import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { openPty, type Pty } from "../../support/pty.ts";
import { eventsOf, eventually, newFolder, PATIENCE, type Session, show, start } from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function attach(prompt = "say before", on = daemon): Promise<{ readonly session: Session; readonly pty: Pty }> {
  const cwd = await newFolder();
  const session = await start(on, { cwd, prompt });
  const pty = openPty({ home: on.home, cwd, args: ["attach", session.name] });
  await pty.until(/> say before\nbefore\n✓ completed/);
  return { session, pty };
}

async function prompts(session: Session, on = daemon): Promise<readonly unknown[]> {
  const admitted = await eventsOf(on, session.id, "types=turn.admitted@1");
  return admitted.map(({ data }) => data["prompt"]);
}

proves("T4", "a pasted stack trace is one prompt, and so are lines typed with Alt-Enter or a backslash", async () => {
  const { session, pty } = await attach();
  const trace = ["say first", ...Array.from({ length: 30 }, (_, at) => `    at frame ${at} (file.ts:${at})`)].join(
    "\n",
  );
  pty.paste(trace);
  await pty.until(/> \[pasted 31 lines\]$/m);
  pty.press("enter");
  await pty.until(/at frame 29/, "history");
  pty.type("say one");
  pty.press("altEnter");
  pty.type("say two\\");
  pty.press("enter");
  pty.type("say three");
  await pty.until(/> say one\n {2}say two\n {2}say three$/m);
  pty.press("enter");
  await eventually("the prompt", async () => (await prompts(session)).length === 3);
  expect(await prompts(session)).toEqual(["say before", trace, "say one\nsay two\nsay three"]);
});

proves("T4", "a paste of a megabyte reaches the session whole", async () => {
  const { session, pty } = await attach();
  const line = `${"x".repeat(99)}\n`;
  pty.paste(`say big\n${line.repeat(10_000)}`.slice(0, 1_000_000));
  await pty.until(/> \[pasted 10001 lines\]$/m);
  pty.press("enter");
  const admitted = await eventually(
    "the prompt",
    async () => (await eventsOf(daemon, session.id, "types=turn.admitted@1"))[1],
  );
  expect(admitted.data["bytes"]).toBe(1_000_000);
});

proves(
  "T4",
  "earlier prompts come back with Up, Ctrl-G opens the editor, Tab completes commands and files",
  async () => {
    const { session, pty } = await attach();
    pty.press("up");
    await pty.until(/^> say before$/m);
    pty.press("ctrlC");
    await pty.until(/^>$/m);
    await writeFile(join(session.cwd, "notes.md"), "");
    pty.type("say see @no");
    pty.press("tab");
    await pty.until(/> say see @notes\.md/);
    pty.press("ctrlC");
    pty.type("/ren");
    await pty.until(/\/rename +give the session another title/);
    pty.press("tab");
    pty.type("A better title");
    pty.press("enter");
    await pty.until(/It is called "A better title" now\./);
    pty.type("/forkk");
    pty.press("enter");
    await pty.until(/There is no command \/forkk\. Did you mean \/fork\?/);
    expect(await prompts(session)).toEqual(["say before"]);
  },
);

proves("T4", "the external editor's text comes back as the prompt", async () => {
  const cwd = await newFolder();
  const session = await start(daemon, { cwd, prompt: "say before" });
  await writeFile(join(cwd, "editor.sh"), '#!/bin/sh\nprintf "say edited\\nsay twice" > "$1"\n', { mode: 0o755 });
  const pty = openPty({
    home: daemon.home,
    cwd,
    args: ["attach", session.name],
    env: { EDITOR: join(cwd, "editor.sh") },
  });
  await pty.until(/before\n✓ completed/);
  pty.type("draft");
  pty.press("ctrlG");
  await pty.until(/> say edited\n {2}say twice$/m);
  pty.press("enter");
  await pty.until(/edited\ntwice\n✓ completed/);
});

proves("T5", "while a question is open text is an answer: what is not understood goes nowhere", async () => {
  const { session, pty } = await attach();
  pty.type("ask May I?\nsay thanks".replace("\n", "\u001b\r"));
  pty.press("enter");
  await pty.until(/\? May I\?\n│ asked by {2}.*\n {2}y {2}yes, this once\n {2}n {2}no/);
  for (const typed of ["go ahead", "yes please", "2"]) {
    pty.type(typed);
    pty.press("enter");
    await pty.until(new RegExp(`Not an answer, so nothing was sent.*\\n\\? ${typed}$`, "m"));
    pty.press("ctrlU");
  }
  pty.type("n, not on a Friday");
  pty.press("enter");
  await pty.until(/rejected: not on a Friday\nrejected: not on a Friday\nthanks\n✓ completed/);
  expect(await prompts(session)).toHaveLength(2);
  const [answered] = await eventsOf(daemon, session.id, "types=approval.answered@1");
  expect(answered?.data).toMatchObject({ status: "rejected", reason: "not on a Friday" });
});

proves(
  "T5",
  "a question that comes while one types, or is answered elsewhere, never turns text into the wrong thing",
  async () => {
    const { session, pty } = await attach();
    pty.type("sleep 1500\u001b\rask Sure?");
    pty.press("enter");
    await pty.until(/working/);
    pty.type("y");
    await pty.until(/\? Sure\?[\s\S]*\n\? y$/);
    pty.press("enter");
    await pty.until(/A question came while you typed\. Answer it first; your text is kept\.\n\? y$/m);
    const other = openPty({ home: daemon.home, cwd: session.cwd, args: ["attach", session.name] });
    await other.until(/\? Sure\?/);
    other.type("y");
    other.press("enter");
    await pty.until(/approved[\s\S]*✓ completed/);
    pty.press("enter");
    await pty.until(/The question was answered elsewhere\. Enter sends this text as a prompt\.\n> y$/m);
    expect(await prompts(session)).toHaveLength(2);
  },
);

proves("T5", "run answers in place, and a no with its reason reaches the agent", async () => {
  const cwd = await newFolder();
  const pty = openPty({ home: daemon.home, cwd, args: ["run", "ask Deploy?\nsay after"] });
  await pty.until(/^\S+-\S+-\w\w · demo · sandbox off/m);
  await pty.until(/\? Deploy\?/);
  // The bell is written behind the question.
  await expect.poll(() => pty.bells()).toBe(1);
  pty.type("no: wait for review");
  pty.press("enter");
  await pty.until(/rejected: wait for review\nafter\n✓ completed/);
  expect(await pty.exited).toBe(0);
});

proves(
  "T6",
  "the daemon is killed under an open prompt: it is said, the text is kept and sent exactly once",
  async () => {
    const own = await startDaemon();
    const { session, pty } = await attach("say before", own);
    pty.type("say half a thought");
    await own.kill9();
    await pty.until(/Connection lost; trying again[\s\S]*\n> say half a thought$/m);
    const again = await startDaemon({ home: own.home });
    pty.type(" is kept");
    pty.press("enter");
    await pty.until(/half a thought is kept\n✓ completed/);
    expect(await prompts(session, again)).toEqual(["say before", "say half a thought is kept"]);
  },
);

proves("T6", "a prompt sent while no daemon runs starts one, as any command does", async () => {
  const own = await startDaemon();
  const { pty } = await attach("say before", own);
  await own.kill9();
  await pty.until(/Connection lost/);
  pty.type("say alive again");
  pty.press("enter");
  await pty.until(/alive again\n✓ completed/);
  const down = openPty({ home: own.home, cwd: own.home, args: ["down"] });
  await down.until(/is down/);
});

proves(
  "T2",
  "Ctrl-C clears the line, then interrupts; Ctrl-D says that the session goes on and how to come back",
  async () => {
    const { session, pty } = await attach();
    pty.type("sleep 60000");
    pty.press("enter");
    await pty.until(/working/);
    pty.type("not this");
    await pty.until(/> not this$/m);
    pty.press("ctrlC");
    await pty.until(/\n>$/);
    pty.press("ctrlC");
    await pty.until(/✗ interrupted/);
    pty.press("ctrlD");
    await pty.until(new RegExp(`${session.name} goes on\\. Come back with: nomos attach ${session.name}`));
    expect(await pty.exited).toBe(0);
    expect(await show(daemon, session.id)).toMatchObject({ state: "idle" });
  },
);
