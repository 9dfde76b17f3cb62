import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { BIN, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { needs } from "../../support/needs.ts";
import { whenTestEnds } from "../../support/test-end.ts";
import { eventually, PATIENCE, show, start } from "../support/talk.ts";

vi.setConfig(PATIENCE);

const onScreen = test.skipIf(!needs("tmux"));

function openPane(daemon: TestDaemon, columns: number) {
  const socket = join(mkdtempSync(join(dirname(daemon.home), "pane-")), "tmux");
  const tmux = (...args: readonly string[]): string =>
    spawnSync("tmux", ["-S", socket, ...args], { encoding: "utf8" }).stdout;
  const size = ["-x", String(columns), "-y", "12"];
  tmux("-f", "/dev/null", "new-session", "-d", ...size, "-e", `NOMOS_HOME=${daemon.home}`, "-e", "PS1=$ ", "sh");
  whenTestEnds(() => void tmux("kill-server"));
  const text = () => tmux("capture-pane", "-p");
  const until = (what: RegExp) =>
    eventually(`${what} on the screen`, async () => what.test(text()), 20_000).then(text, (thrown) => {
      throw new Error(`${thrown}\n${text()}`);
    });
  return { tmux, text, until, type: (...keys: readonly string[]) => void tmux("send-keys", ...keys) };
}

const nomos = (words: string): string => `${process.execPath} ${BIN} ${words}`;

onScreen.each([80, 60, 40])("ps on a screen of %i columns: every session on one line, no name cut", async (columns) => {
  const daemon = await startDaemon();
  const one = await start(daemon, { prompt: "ask really?", label: "a label of quite a few words" });
  const two = await start(daemon, { prompt: "sleep 60000" });
  await eventually("it asks", async () => (await show(daemon, one.id)).waitingFor === "approval");
  const pane = openPane(daemon, columns);
  pane.type("-l", `clear; ${nomos("ps")}; echo done`);
  pane.type("Enter");
  const lines = (await pane.until(/^done$/m)).split("\n");
  const head = lines.findIndex((line) => line.startsWith("NAME"));
  expect(lines[head + 1]).toMatch(new RegExp(`^${one.name} +busy \\(approval\\) +demo`));
  expect(lines[head + 2]).toMatch(new RegExp(`^${two.name} +busy +demo`));
  expect(lines[head + 3]).toBe("done");
});

onScreen("ps --watch draws in place without clearing, and gives the terminal back as it was", async () => {
  const daemon = await startDaemon();
  await start(daemon, { label: "first" });
  const pane = openPane(daemon, 80);
  const typed = join(dirname(daemon.home), "typed");
  pane.tmux("pipe-pane", "-o", `cat > ${typed}`);
  pane.type("echo before", "Enter");
  await pane.until(/^before$/m);
  pane.type("-l", nomos("ps --watch; echo left $?"));
  pane.type("Enter");
  await pane.until(/^NAME .*\n.*first/m);
  await start(daemon, { label: "second" });
  await pane.until(/second/);
  pane.tmux("resize-window", "-x", "60", "-y", "12");
  await pane.until(/^NAME/m);
  pane.type("C-c");
  const left = await pane.until(/left 0/);
  expect(left).toContain("before");
  expect(left).not.toContain("second");
  const written = spawnSync("cat", [typed], { encoding: "utf8" }).stdout;
  expect(written).toContain("\u001b[H");
  expect(written).not.toContain("\u001b[2J");
});
