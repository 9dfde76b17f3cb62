import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { openPty, type Pty, type PtyOptions } from "../../support/pty.ts";
import { eventsOf, eventually, expectOk, newFolder, PATIENCE, type Session, show } from "../support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const NAME = /[a-z]+-[a-z]+-[0-9a-f]{2}/;
const READY = /\n> ?\n\S+.* · idle$/;

interface Chat {
  readonly pty: Pty;
  readonly cwd: string;
  readonly name: string;
}

async function chat(args: readonly string[] = [], options: Partial<PtyOptions> = {}): Promise<Chat> {
  const cwd = options.cwd ?? (await newFolder());
  const pty = openPty({ home: daemon.home, args: ["chat", ...args], ...options, cwd });
  const screen = await pty.until(READY);
  return {
    pty,
    cwd,
    name: NAME.exec(screen.split("\n").find((line) => line.includes(" · sandbox ")) ?? "")?.[0] ?? "",
  };
}

/** Lines of one prompt. */
function say(pty: Pty, ...lines: readonly string[]): void {
  pty.type(lines.join("\u001b\r"));
  pty.press("enter");
}

async function sessionsIn(cwd: string, on = daemon): Promise<readonly Session[]> {
  const { sessions } = expectOk(await on.call<{ sessions: readonly Session[] }>("GET", "/sessions"));
  return sessions.filter((session) => session.cwd === cwd);
}

/** What differs from run to run: names, folders, times and the size of the built-in prompt. */
function masked(screen: string): string {
  return screen
    .replaceAll(/(sandbox off · ).*$/gm, "$1FOLDER")
    .replaceAll(new RegExp(NAME, "g"), "NAME")
    .replaceAll(/first token [\d.]+ m?s/g, "first token N ms")
    .replaceAll(/\d+k of 128k \(\d+%\)/g, "Nk of 128k (N%)")
    .replaceAll(/ · \d+ s$/gm, "")
    .replaceAll(/ · first text after [\d.]+ s/g, "")
    .replaceAll(/\d+\.\d s/g, "0.0 s")
    .replaceAll(/\d+ tokens/g, "N tokens");
}

for (const [columns, rows] of [
  [80, 24],
  [140, 40],
] as const)
  for (const NO_COLOR of ["", "1"])
    proves(
      "CH-1",
      `the chat at ${columns}x${rows}${NO_COLOR === "" ? "" : " without colour"} looks as recorded`,
      async () => {
        const { pty } = await chat([], { columns, rows, ...(NO_COLOR === "" ? {} : { env: { NO_COLOR } }) });
        say(pty, "say hello there", "write a.txt one\\ntwo", "run seq 1 9", "say That is all.");
        const screen = await pty.until(/That is all\.\n✓ completed .*\n> ?\n.* · idle$/);
        await expect(masked(screen)).toMatchFileSnapshot(`../../golden/screens/chat-${columns}x${rows}.txt`);
        expect(pty.colours() > 0).toBe(NO_COLOR === "");
      },
    );

proves(
  "CH-1",
  "a session to which nothing was said leaves no trace; another one goes on, and chat comes back",
  async () => {
    const unused = await chat();
    unused.pty.press("ctrlD");
    expect(await unused.pty.exited).toBe(0);
    expect(await sessionsIn(unused.cwd)).toEqual([]);

    const { pty, cwd, name } = await chat();
    say(pty, "say first");
    await pty.until(/first\n✓ completed[\s\S]* · idle$/);
    pty.press("ctrlC");
    await pty.until(/Nothing runs\. Ctrl-C again or Ctrl-D leaves; the session stays\./);
    pty.press("ctrlC");
    await pty.until(new RegExp(`${name} goes on\\. Come back with: nomos chat -s ${name}`));
    expect(await pty.exited).toBe(0);
    for (const args of [["-s", name], ["-c"]]) {
      const again = openPty({ home: daemon.home, cwd, args: ["chat", ...args] });
      await again.until(/> say first\nfirst\n✓ completed[\s\S]* · idle$/);
      again.press("ctrlD");
      expect(await again.exited).toBe(0);
    }
    expect(await sessionsIn(cwd)).toHaveLength(1);
  },
);

proves("CH-2", "a running tool shows its last lines and its time, Ctrl-O its whole output afterwards", async () => {
  const { pty } = await chat();
  say(pty, "run for i in 1 2 3 4 5 6; do echo line $i; sleep 0.3; done; sleep 1");
  await pty.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] for i in .*\n {2}│ line 1\n {2}│ line 2\n {2}│ line 3\n>/);
  await pty.until(/● for i in .* · \d s\n {2}│ … 2 more lines\n {2}│ line 3\n[\s\S]*✓ completed/);
  pty.press("ctrlO");
  await pty.until(/✓ completed.*\n● for i in .*\n {2}│ line 1\n {2}│ line 2\n/);
  pty.press("ctrlO");
  await pty.until(/There is no other folded output\./);
});

proves(
  "CH-3",
  "Enter steers the turn where the agent can be steered; Ctrl-X and other agents let the text wait",
  async () => {
    const { pty, cwd, name } = await chat();
    say(pty, "run sleep 2; echo slept", "say as planned");
    await pty.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] sleep 2/);
    say(pty, "say I steer");
    await pty.until(/^> say I steer$/m);
    pty.type("say I wait");
    pty.press("ctrlX");
    await pty.until(/> say I wait\n {2}\(queued\)[\s\S]*1 queued$/);
    await pty.until(/slept\nI steer\n✓ completed.*\nI wait\n✓ completed/, "history");
    const [session] = await sessionsIn(cwd);
    expect(session?.name).toBe(name);
    expect(await eventsOf(daemon, name, "types=turn.steered@1")).toHaveLength(1);

    const other = await chat(["-a", "demo"]);
    say(other.pty, "sleep 1500", "say slept");
    await other.pty.until(/working/);
    say(other.pty, "say after it");
    await other.pty.until(/slept\n✓ completed[\s\S]*after it\n✓ completed/, "history");
  },
);

proves(
  "CH-3",
  "Esc interrupts the turn and keeps the text; a second Ctrl-C leaves, and the session goes on",
  async () => {
    const { pty, name } = await chat();
    say(pty, "run sleep 60");
    await pty.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] sleep 60/);
    pty.type("say kept");
    pty.press("escape");
    await pty.until(/✗ interrupted[\s\S]*\n> say kept\n.* · idle$/);
    pty.press("ctrlC");
    say(pty, "run sleep 60");
    await pty.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] sleep 60/);
    pty.press("ctrlC", "ctrlC");
    await pty.until(/goes on\. Come back with: nomos chat -s/);
    expect(await pty.exited).toBe(0);
    expect(await show(daemon, name)).toMatchObject({ status: "running" });
  },
);

proves(
  "CH-4",
  "pickers: the model, another session, a new one, and back to an earlier point with its files",
  async () => {
    const { pty, cwd, name } = await chat();
    say(pty, "write a.txt one", "say one");
    await pty.until(/\none\n✓ completed[\s\S]* · idle$/);
    say(pty, "write a.txt two", "say two");
    await pty.until(/\ntwo\n✓ completed[\s\S]* · idle$/);
    say(pty, "/label here");
    await pty.until(/This point is labelled: here/);
    say(pty, "/model");
    await pty.until(/Choose the model: ?\n> \* demo\/script {2}128k\nUp, Down/);
    pty.press("enter");
    await pty.until(/The next turn uses the model demo\/script\./);
    say(pty, "/tree");
    await pty.until(/Go to the end of: ?\n {2}before turn 1.*\n {2}turn 1 .*\n> turn 2 .*\n {2}# here/);
    pty.press("up", "enter");
    await pty.until(/turn 1: ?\n> go back .*\n {2}go back, keep the files .*\n {2}fork /);
    pty.press("enter");
    await pty.until(/Rewound to the end of turn 1\. Files are as they were then\./);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toMatch(/^one/);
    say(pty, "/rewind here");
    await pty.until(/Rewound to here\. Files are as they were then\./);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toMatch(/^two/);
    say(pty, "/fork nowhere");
    await pty.until(/No event of this session has the id `nowhere`, and no point has this label\./);
    say(pty, "/session");
    await pty.until(/Go to the session: ?\n {2}a new session[\s\S]*\n> \S+-\S+-\w\w/);
    pty.type("new sess");
    await pty.until(/Go to the session: new sess\n> a new session .*\nUp/);
    pty.press("enter");
    await pty.until(new RegExp(`\\n(?!${name})\\S+-\\S+-\\w\\w \\(nomos, \\w+\\) in .*\\n> ?\\n.* · idle$`));
    say(pty, `/session ${name}`);
    await pty.until(new RegExp(`\\n${name} \\(nomos, \\w+\\) in [\\s\\S]*rewound[\\s\\S]* · idle$`), "history");
    expect(await sessionsIn(cwd)).toHaveLength(1);
    pty.type("/sess");
    pty.press("tab", "enter");
    await pty.until(/Go to the session:/);
    pty.press("escape");
    await pty.until(READY);
  },
);

proves(
  "CH-4",
  "/cost, /context, /auth, /compact, /reload and /export answer in place; a file is never overwritten",
  async () => {
    const { pty, cwd, name } = await chat();
    say(pty, "say something", "run echo out");
    await pty.until(/✓ completed[\s\S]* · idle$/);
    say(pty, "/cost");
    await pty.until(/The model has no price, so there is no cost\.\n {2}\S+ tokens in/);
    say(pty, "/help");
    await pty.until(/^ {2}\/new +start a new session with the same agent, in the same\n {20}directory$/m);
    say(pty, "/context");
    await pty.until(/demo\/script: \d+k of 128k tokens \(\d+%\)\n[\s\S]*identity/);
    say(pty, "/auth");
    await pty.until(/nomos +built in[\s\S]*claude +not installed: nomos driver install claude/, "history");
    await pty.until(/models of the agent nomos\n {2}demo +1 model, needs no key/);
    say(pty, "/compact keep names");
    await pty.until(/Compacted\. \/context shows what is left\./);
    say(pty, "/reload");
    await pty.until(/Read again: \d+ agents, 1 model, 0 commands of the agent\./);
    say(pty, "/export");
    await pty.until(new RegExp(`Wrote \\d+ events to .*${name}\\.md`, "s"));
    const markdown = await readFile(join(cwd, `${name}.md`), "utf8");
    expect(markdown).toMatch(
      /> say something\n> run echo out\n\nsomething\n\n\*\*Tool:\*\* `echo out`\n\n```\nout\n```/,
    );
    say(pty, `/export ${name}.md`);
    await pty.until(/The file cannot be written: EEXIST[\s\S]*\n> ?\n.* · \w+$/);
    say(pty, "/export all.jsonl");
    await pty.until(/all\.jsonl/);
    await eventually("the events", async () => /turn\.admitted@1/.test(await readFile(join(cwd, "all.jsonl"), "utf8")));
    say(pty, "/quit");
    expect(await pty.exited).toBe(0);
  },
);

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

proves(
  "CH-5",
  "a picture is attached by its name or by pasting its path; what is no picture is refused by name",
  async () => {
    const { pty, cwd, name } = await chat();
    await writeFile(join(cwd, "my pic.png"), PNG);
    await writeFile(join(cwd, "b.png"), PNG);
    await writeFile(join(cwd, "fake.png"), "#!/bin/sh\n");
    pty.paste(join(cwd, "my\\ pic.png"));
    await pty.until(/> \[picture my pic\.png\]$/m);
    pty.type(" say seen @b.png @none.png @fake.txt");
    pty.press("enter");
    await pty.until(/\(image my pic\.png, 70 B\)\n {2}\(image b\.png, 70 B\)/);
    const [attached] = await eventsOf(daemon, name, "types=turn.attached@1");
    expect(attached?.data["items"]).toMatchObject([
      { kind: "image", name: "my pic.png", mediaType: "image/png", bytes: PNG.length },
      { kind: "image", name: "b.png", mediaType: "image/png", bytes: PNG.length },
    ]);
    await pty.until(/✓ completed[\s\S]* · idle$/);
    say(pty, "say look @fake.png");
    await pty.until(/✗ fake\.png is no picture: its content is of another kind\.[\s\S]*\n> say look @fake\.png$/m);
    expect(await eventsOf(daemon, name, "types=turn.admitted@1")).toHaveLength(1);
  },
);

proves(
  "CH-6",
  "the daemon is killed in mid-turn: the chat says so, reconnects, and the turn ends on the same screen",
  async () => {
    const own = await startDaemon();
    const cwd = await newFolder();
    const pty = openPty({ home: own.home, cwd, args: ["chat"] });
    await pty.until(READY);
    say(pty, "run echo begun; sleep 30", "say went on");
    // A command that has not begun would be run after the restart.
    await pty.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] echo begun; sleep 30.*\n {2}│ begun/);
    await own.kill9();
    await pty.until(/Connection lost; trying again/);
    await startDaemon({ home: own.home });
    await pty.until(/went on\n✓ completed[\s\S]* · idle$/);
    say(pty, "say and again");
    await pty.until(/and again\n✓ completed/);
  },
);

proves("CH-6", "at every size the last line and the text fit; a signal gives the terminal back", async () => {
  const { pty } = await chat();
  say(pty, "say wide enough for nearly everything that is said here");
  await pty.until(/✓ completed[\s\S]* · idle$/);
  pty.type("one two three four five six seven eight nine ten");
  for (const [columns, rows] of [
    [40, 10],
    [20, 6],
    [120, 30],
  ] as const) {
    pty.resize(columns, rows);
    await pty.until(columns > 60 ? /> one .* ten\n.*nomos .* · idle$/ : /ten\n(nomos.*)?idle$/);
  }
  pty.kill("SIGTERM");
  await pty.until(/goes on\. Come back with/);
  expect(await pty.exited).toBe(0);
  expect(pty.raw().lastIndexOf("\u001b[?2004l")).toBeGreaterThan(pty.raw().lastIndexOf("\u001b[?2004h"));
  expect(pty.raw().lastIndexOf("\u001b[?25h")).toBeGreaterThan(pty.raw().lastIndexOf("\u001b[?25l"));
});

for (const [how, args, env] of [
  ["--plain", ["--plain"], {}],
  ["TERM=dumb", [], { TERM: "dumb" }],
] as const)
  proves(
    "CH-7",
    `${how}: one line for each fact, nothing is drawn twice, and every command has a spelling`,
    async () => {
      const cwd = await newFolder();
      const pty = openPty({ home: daemon.home, cwd, args: ["chat", ...args], env });
      await pty.until(/Type a prompt and Enter\. \/help lists the commands, \/quit leaves\./);
      say(pty, "say hello");
      await pty.until(/^hello\n── turn-end \(completed\) ──\nnomos demo\/script · .* · idle$/m);
      say(pty, "ask May I?");
      await pty.until(/\[awaiting input\] May I\?[\s\S]* y {2}yes/);
      say(pty, "y");
      await pty.until(/^Done\.\n── turn-end \(completed\)/m);
      say(pty, "/model");
      await pty.until(/Choose the model:\n {2}\* demo\/script: 128k\n\/model NAME chooses one\./);
      say(pty, "/tree");
      await pty.until(/turn 2: ask May I\?\n\/rewind TURN goes back/);
      say(pty, "/new");
      await pty.until(/Type a prompt and Enter[\s\S]*Type a prompt and Enter/, "history");
      say(pty, "say in the new one");
      await pty.until(/^in the new one\n── turn-end/m);
      say(pty, "/quit");
      expect(await pty.exited).toBe(0);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
      expect(pty.raw()).not.toMatch(/[\u001b\u0008]/);
    },
  );

proves(
  "CH-8",
  "a driver file is an agent; a chat with words or for a program is refused with the way to do it",
  async () => {
    const cwd = await newFolder();
    await writeFile(
      join(cwd, "my.ts"),
      `export default async (turn: { input: string; say: (text: string) => Promise<void> }) => turn.say("you said " + turn.input);\n`,
    );
    const { pty } = await chat(["-a", "./my.ts"], { cwd });
    say(pty, "hello file");
    await pty.until(/^you said hello file$/m);
    const words = openPty({ home: daemon.home, cwd, args: ["chat", "hello"] });
    await words.until(/Unexpected argument "hello"/);
    expect(await words.exited).toBe(2);
    const json = openPty({ home: daemon.home, cwd, args: ["chat", "--json"] });
    await json.until(/A chat is for people/);
    expect(await json.exited).toBe(2);
  },
);
