import { execFile, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Session } from "../../../src/client/index.ts";
import { BIN, newHome, runCli, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { needs } from "../../support/needs.ts";
import { whenTestEnds } from "../../support/test-end.ts";
import { eventually } from "../support/talk.ts";

let daemon: TestDaemon;
let folder: string;
let session: Session;

beforeAll(async () => {
  daemon = await startDaemon();
  const run = await daemon.cli("run", "say one", "--label", "the label\u001b[31m", "--json");
  session = run.json<Session>();
  await daemon.cli("run", "-s", session.name, "say two");
  // The shells call `nomos` by its name, in a folder with one file.
  folder = await mkdtemp(join(dirname(daemon.home), "shells-"));
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin/nomos"), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  await chmod(join(folder, "bin/nomos"), 0o755);
  await mkdir(join(folder, "here"));
  await writeFile(join(folder, "here/unique-file.txt"), "");
});

afterAll(() => daemon[Symbol.asyncDispose]());

const environment = () => ({
  PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
  HOME: folder,
  NOMOS_HOME: daemon.home,
  ...PATIENT,
  TERM: "dumb",
});

/** A test machine is busy; what is offered must not depend on it. */
const PATIENT = { NOMOS_COMPLETION_MS: "20000" };
const completed = (...words: readonly string[]) =>
  runCli(["__complete", "--", ...words], { home: daemon.home, env: PATIENT });

/** Words before the cursor, and a candidate that has to be offered. */
const CASES = (): readonly (readonly [words: readonly string[], offered: string])[] => [
  [["rew"], "rewind"],
  [["session", "pro"], "prompt"],
  [["session", "prompt", "--qu"], "--queue"],
  [["attach", session.name.slice(0, -1)], session.name],
  [["logs", "-n", "3", session.name.slice(0, -1)], session.name],
  [["run", "-a", "dem"], "demo"],
  [["driver", "install", "claude-p"], "claude-print"],
  [["rewind", session.name, "--turn", "2"], "2"],
  [["config", "get", "limits.home"], "limits.homeBytes"],
  [["config", "set", "turnT"], "turnTimeoutMs"],
  [["restore", "uniq"], "unique-file.txt"],
  [["run", "-C", "uniq"], "unique-file.txt"],
  [["completion", "fi"], "fish"],
];

describe("what a shell asks", () => {
  const asked = async (...words: readonly string[]) => {
    const { stdout } = await completed(...words);
    return stdout.split("\n").map((line) => line.split("\t")[0]);
  };

  test("questions are offered by the session that asks, and only then", async () => {
    expect(await asked("approve", "")).toEqual([""]);
    const { name } = (await daemon.cli("run", "--detach", "ask really?", "--json")).json<Session>();
    await eventually("it asks", async () => (await asked("approve", "")).includes(name));
    await daemon.cli("kill", name);
  });

  test("what an agent or a person wrote is harmless, and stays on its line", async () => {
    const { stdout } = await completed("attach", session.name);
    expect(stdout.split("\n")).toHaveLength(2);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("the label");
  });

  test("without a daemon nothing is offered, and none is started", async () => {
    const home = await newHome();
    const answer = await runCli(["__complete", "--", "attach", ""], { home });
    expect(answer).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    expect((await runCli(["status"], { home })).exitCode).toBe(6);
  });

  test("words after --help and --json are completed like any other", async () => {
    expect(await asked("ps", "--json", "--fil")).toContain("--filter");
    expect(await asked("session", "list", "--sort", "")).toEqual(["started", "activity", "name", "state", ""]);
  });
});

test("bash completes commands, options, sessions, agents, drivers, turns, settings and files", async () => {
  const calls = CASES().map(([words]) => `complete_words nomos ${words.map((word) => `'${word}'`).join(" ")}`);
  const script = [
    'eval "$(nomos completion bash)"',
    `complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _nomos; echo "\${COMPREPLY[*]}"; }`,
    ...calls,
    "complete -p nomos",
  ].join("\n");
  const options = { env: environment(), cwd: join(folder, "here") };
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script], options);
  expect(stderr).toBe("");
  const lines = stdout.trimEnd().split("\n");
  for (const [at, [words, offered]] of CASES().entries())
    expect({ words, offered: lines[at]?.split(" ") }).toMatchObject({ offered: expect.arrayContaining([offered]) });
  expect(lines.at(-1)).toContain("-F _nomos nomos");
}, 60_000);

test.skipIf(!needs("fish"))(
  "fish completes the same, with what each means",
  async () => {
    const calls = CASES().map(([words]) => `complete -C'nomos ${words.join(" ")}' | string join '  '`);
    const script = ["nomos completion fish | source", ...calls.flatMap((call) => [call, "echo ---"])].join("\n");
    const options = { env: environment(), cwd: join(folder, "here") };
    const { stdout, stderr } = await promisify(execFile)("fish", ["--no-config", "-c", script], options);
    expect(stderr).toBe("");
    const answers = stdout.split("---\n");
    for (const [at, [words, offered]] of CASES().entries()) {
      const values = (answers[at] ?? "").split("\n").map((line) => line.split("\t")[0]);
      expect({ words, values }).toMatchObject({ values: expect.arrayContaining([offered]) });
    }
    expect(answers[0]).toContain("\tMove a session back");
  },
  60_000,
);

test.skipIf(!needs("zsh", "tmux"))(
  "zsh completes the same in a real terminal",
  async () => {
    const socket = join(await mkdtemp(join(folder, "pane-")), "tmux");
    const tmux = (...args: readonly string[]): string =>
      spawnSync("tmux", ["-S", socket, ...args], { encoding: "utf8" }).stdout;
    const vars = Object.entries({ ...environment(), TERM: "screen", PS1: "$ " }).flatMap(([name, value]) => [
      "-e",
      `${name}=${value}`,
    ]);
    tmux(
      "-f",
      "/dev/null",
      "new-session",
      "-d",
      "-x",
      "100",
      "-y",
      "30",
      "-c",
      join(folder, "here"),
      ...vars,
      "zsh",
      "-f",
    );
    whenTestEnds(() => void tmux("kill-server"));
    const text = () => tmux("capture-pane", "-p");
    const type = (keys: string) => tmux("send-keys", "-l", keys);
    // tmux sets a PATH of its own.
    type(`PATH=${join(folder, "bin")}:$PATH; clear`);
    tmux("send-keys", "Enter");
    type('PS1="$ "; autoload -Uz compinit; compinit -u -D; eval "$(nomos completion zsh)"; echo ready');
    tmux("send-keys", "Enter");
    await eventually("zsh is ready", async () => /^ready$/m.test(text()), 20_000);
    for (const [words, offered] of CASES()) {
      tmux("send-keys", "C-u", "C-l");
      await eventually("the screen is clear", async () => text().trim() === "$", 10_000);
      type(`nomos ${words.join(" ")}`);
      tmux("send-keys", "Tab");
      const wanted = `nomos ${[...words.slice(0, -1), offered].join(" ")}`;
      await eventually(`${words.join(" ")} becomes ${offered}`, async () => text().includes(wanted), 20_000).catch(
        (thrown) => {
          throw new Error(`${thrown}\n${text()}`);
        },
      );
    }
  },
  120_000,
);
