import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, vi } from "vitest";
import { BIN, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import { whenTestEnds } from "../../support/test-end.ts";
import { eventually, PATIENCE, show, start } from "../support/talk.ts";

vi.setConfig(PATIENCE);

const provesOnScreen = proves.skipIf(!needs("tmux"));

interface Pane {
  readonly type: (...keys: readonly string[]) => void;
  readonly text: () => string;
  readonly styled: () => string;
  readonly until: (what: RegExp) => Promise<string>;
}

/** A real terminal of 80 columns with a shell. */
function openPane(daemon: TestDaemon, env: Readonly<Record<string, string>> = {}): Pane {
  const socket = join(dirname(daemon.home), "tmux");
  const tmux = (...args: readonly string[]): string =>
    spawnSync("tmux", ["-S", socket, ...args], { encoding: "utf8" }).stdout;
  const given = { NOMOS_HOME: daemon.home, PS1: "$ ", ...env };
  const vars = Object.entries(given).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const ground = mkdtempSync(join(dirname(daemon.home), "ground-"));
  tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "40", "-c", ground, ...vars, "sh");
  whenTestEnds(() => void tmux("kill-server"));
  const text = () => tmux("capture-pane", "-p").replace(/\n+$/, "\n");
  return {
    type: (...keys) => void tmux("send-keys", ...keys),
    text,
    styled: () => tmux("capture-pane", "-p", "-e"),
    until: async (what) => {
      await eventually(`${what} on the screen:\n${text()}`, async () => what.test(text()), 20_000).catch((thrown) => {
        throw new Error(`${thrown}\n${text()}`);
      });
      return text();
    },
  };
}

const nomos = (words: string): string => `${process.execPath} ${BIN} ${words}`;

provesOnScreen(
  "T1",
  "run prints the full text wrapped between words, folded tools, who is working, and the result",
  async () => {
    const daemon = await startDaemon();
    const pane = openPane(daemon);
    const prompt =
      "say A line of more than eighty columns has to be broken somewhere, and that should be between two words.\nrun seq 1 20\nsleep 2000\nrun exit 3";
    pane.type("-l", nomos(`run '${prompt}'; echo exit $?`));
    pane.type("Enter");
    await pane.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] working 1 s/);
    const screen = await pane.until(/exit 0/);
    expect(screen).toContain(
      "\nA line of more than eighty columns has to be broken somewhere, and that should\nbe between two words.\n● run seq 1 20\n  │ … 16 more lines\n  │ 17\n",
    );
    expect(screen).toMatch(
      /● run exit 3\n {2}✗ failed, exit 3\n✓ completed · (?:[2-9]|\d\d+)\.\d s · 2 tool calls(?: · first text after [\d.]+ s)?\nexit 0/,
    );
    expect(screen).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    expect(pane.styled()).toContain("\u001b[36m●");
  },
);

provesOnScreen(
  "T2",
  "attach: text is a prompt or an answer, also during a turn; Ctrl-C clears, then interrupts; Ctrl-D leaves",
  async () => {
    const daemon = await startDaemon();
    const { id, name } = await start(daemon, { prompt: "say before" });
    const pane = openPane(daemon);
    pane.type(nomos(`attach ${name}; echo left $?`), "Enter");
    await pane.until(/> say before\nbefore\n✓ completed/);
    pane.type("say typed", "Enter");
    await pane.until(/> say typed\ntyped\n✓ completed/);
    pane.type("sleep 60000", "Enter");
    await pane.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] working/);
    pane.type("say half");
    await pane.until(/working [12] s\n> say half$/m);
    pane.type("C-c");
    await pane.until(/working \d+ s\n>$/m);
    pane.type("C-c");
    await pane.until(/> sleep 60000\n✗ interrupted · [\d.]+ s\n/m);
    pane.type("say a line", "Enter");
    await pane.until(/> say a line\na line\n✓ completed/);
    pane.type("ask May I?", "Enter");
    await pane.until(/\? May I\?/);
    pane.type("perhaps", "Enter");
    await pane.until(/Not an answer, so nothing was sent.*\n\? perhaps$/m);
    pane.type("C-u", "no, not today", "Enter");
    await pane.until(/rejected: not today\nrejected: not today\n✓ completed/);
    pane.type("C-d");
    await pane.until(new RegExp(`${name} goes on. Come back with: nomos attach ${name}\\nleft 0`));
    expect(await show(daemon, id)).toMatchObject({ status: "running", state: "idle" });
  },
);

provesOnScreen("T3", "NO_COLOR turns colours off, a dumb terminal cursor movement, and a pipe both", async () => {
  const daemon = await startDaemon();
  const plain = openPane(daemon, { NO_COLOR: "1" });
  plain.type(nomos("run 'run echo hi'"), "Enter");
  await plain.until(/● run echo hi\n {2}│ hi\n✓ completed/);
  expect(plain.styled()).not.toContain("\u001b[");
  plain.type("clear; export TERM=dumb", "Enter");
  plain.type(nomos("run 'run echo hi'"), "Enter");
  await plain.until(/\[tool\] run: echo hi\nhi\n── turn-end \(completed\) ──/);
  plain.type("clear; unset NO_COLOR; export TERM=screen", "Enter");
  plain.type(nomos("run 'run echo hi' | od -c | head -4"), "Enter");
  const piped = await plain.until(/0000000/);
  expect(piped).not.toMatch(/033/);
});

provesOnScreen("CH-6", "a chat in tmux: cards, steering and the status line, as in any other terminal", async () => {
  const daemon = await startDaemon();
  const pane = openPane(daemon);
  pane.type(nomos("chat; echo left $?"), "Enter");
  await pane.until(/\n> ?\nnomos demo\/script · idle$/m);
  pane.type("run sleep 2; echo slept", "Enter");
  await pane.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] sleep 2; echo slept/);
  pane.type("say steered", "Enter");
  await pane.until(/● sleep 2; echo slept · \d s\n {2}│ slept\nsteered\n✓ completed[\s\S]* · idle$/m);
  pane.type("/quit", "Enter");
  await pane.until(/Come back with: nomos chat -s \S+\nleft 0/);
});
