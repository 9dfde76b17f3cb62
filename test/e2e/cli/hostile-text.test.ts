import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import { whenTestEnds } from "../../support/test-end.ts";
import { eventually, PATIENCE } from "../support/talk.ts";

vi.setConfig(PATIENCE);

/** Everything that controls a terminal, hides text, or fakes a line of ours. */
const SIGNS: readonly string[] = [
  ...[
    "\u001b[31mRED",
    "\u001b]0;title\u0007",
    "\u001b]52;c;ZXZpbA==\u001b\\",
    "\u001bP0;1|q\u001b\\",
    "\u001b_apc\u001b\\",
  ],
  ...["\u009b2J", "\u009d52;c;ZXZpbA==\u009c", "\u0085", "\u007f", "\b\b\b", "\rFORGED", "\u000b\u000c"],
  ...["\u202eevil\u202c", "\u2066x\u2069", "\u200e\u200f\u061c", "\u200b\u200c\u2060\ufeff", "\u{e0041}\u{e007f}"],
  ...["\u2028FORGED", "\u2029FORGED", "\nFORGED", "\r\nFORGED", "\u034f\u115f\u3164\u00ad", `o${"\u0301".repeat(60)}`],
];
const HOSTILE = SIGNS.join("");
/** Labels and file names are short: one of each kind. */
const SHORT = SIGNS.filter((sign) => sign.length < 16 && !sign.includes("/"))
  .join("")
  .slice(0, 120);
const NAME = SHORT.replaceAll("\\", "").slice(0, 80);

const ESC = String.fromCodePoint(0x1b);
const STYLES = ["1", "2", "22", "31", "32", "33", "36", "39"].map((code) => `${ESC}[${code}m`);
const OURS = [...STYLES, `\r${ESC}[K`, `${ESC}[H${ESC}[2J${ESC}[3J`];
const FORBIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

type Commands = readonly (readonly string[])[];

/** In these commands an agent's own lines are printed as lines. */
const TRANSCRIPTS: readonly string[] = ["logs", "output"];

/** The parts that would control a terminal, hide text or fake a line; empty when the output is safe. */
function harmIn(words: readonly string[], printed: string, ours: readonly string[]): readonly string[] {
  const lineEnds = ours.length === 0 ? printed : printed.replaceAll("\r\n", "\n");
  const plain = ours.reduce((rest, sequence) => rest.replaceAll(sequence, ""), lineEnds).replaceAll("\t", " ");
  const bytes = [...plain.matchAll(FORBIDDEN)].map(([sign]) => `U+${sign.codePointAt(0)?.toString(16)}`);
  const isTranscript = words.some((word) => TRANSCRIPTS.includes(word));
  const [own = ""] = isTranscript ? [] : plain.split("## Last words");
  const forged = own.split("\n").filter((line) => /^(?:FORGED|RED)/.test(line));
  const coloured = printed.includes(`${ESC}[31mRED`) ? ["a colour of theirs"] : [];
  const piled = /[\p{Mn}\p{Me}]{5}/u.test(printed) ? ["a pile of marks"] : [];
  return [...new Set([...bytes, ...forged, ...coloured, ...piled])];
}

const MANY = join(import.meta.dirname, "../../support/many-commands.ts");
const MARK = "--- next ---";

const piped = (daemon: TestDaemon, cwd: string, commands: Commands) =>
  seen(process.execPath, [MANY, JSON.stringify(commands), MARK], daemon, cwd);

/** Python's pty passes on every byte that a terminal would get, of stdout and stderr. */
const PTY = `
import fcntl, os, pty, struct, sys, subprocess, termios
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
child = subprocess.Popen(sys.argv[1:], stdin=slave, stdout=slave, stderr=slave)
os.close(slave)
while True:
    try: data = os.read(master, 65536)
    except OSError: break
    if not data: break
    sys.stdout.buffer.write(data)
sys.exit(child.wait())
`;
const onScreen = (daemon: TestDaemon, cwd: string, commands: Commands) =>
  seen("python3", ["-c", PTY, process.execPath, MANY, JSON.stringify(commands), MARK], daemon, cwd);

/** What each command printed, on stdout and stderr. */
async function seen(program: string, args: readonly string[], daemon: TestDaemon, cwd: string) {
  const env = { ...process.env, NOMOS_HOME: daemon.home, TERM: "xterm-256color", NO_COLOR: "" };
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env, cwd });
  whenTestEnds(() => void child.kill("SIGKILL"));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  const [out, errors] = [stdout, stderr].map((printed) => printed.split(new RegExp(`${MARK}\r?\n`)));
  return (out ?? []).slice(0, -1).map((printed, at) => printed + (errors?.[at] ?? ""));
}

/** A session, an agent, a driver, a workspace and their files, with hostile text in every field. */
async function plant(daemon: TestDaemon, cwd: string) {
  const send = async (method: string, path: string, body: object): Promise<Record<string, unknown>> => {
    const { status, body: answer } = await daemon.call(method, path, body);
    expect({ path, status, answer: status < 300 ? "" : answer }).toEqual({ path, status, answer: "" });
    return answer;
  };
  const post = (path: string, body: object) => send("POST", path, body);
  const ground = join(cwd, NAME);
  await mkdir(ground);
  await writeFile(join(ground, "names"), NAME);
  await post("/api/workspaces", { slug: "odd", path: ground, label: SHORT });
  await post("/api/agents", { slug: "odd", driver: "demo", name: NAME });
  await send("PUT", "/api/config", { config: { drivers: { odd: { kind: "script", file: join(ground, "names") } } } });
  await post("/api/tokens", { capabilities: ["session.read"], label: SHORT });
  const prompt = `say ${HOSTILE.replaceAll("FORGED", "x").replaceAll("\n", " ")}\nrun cp names "$(cat names)"; cat names\nfail ${NAME}`;
  const demo = await post("/sessions/agent", { adapter: "demo", agent: "odd", cwd: ground, label: SHORT, prompt });
  const { id } = await post("/sessions/external", { pid: process.pid, label: SHORT, cwd: ground });
  const { turnId } = await post(`/sessions/${id}/turns`, { input: HOSTILE.replaceAll("FORGED", "x") });
  await post(`/sessions/${id}/ask`, { question: HOSTILE, options: [NAME, "yes"], wait: false });
  await post(`/sessions/${id}/note`, { text: HOSTILE });
  await send("PUT", `/sessions/${id}/todo`, { items: [{ text: HOSTILE, status: "open" }] });
  await post(`/sessions/${id}/artifacts`, {
    path: NAME.replaceAll(/\p{Cc}/gu, ""),
    content: HOSTILE.replaceAll("FORGED", "x"),
  });
  await post(`/sessions/${id}/events`, { turnId, events: [{ type: "note", payload: { [NAME]: HOSTILE } }] });
  const ended = () => daemon.call("GET", `/sessions/${demo["id"]}/wait?timeoutMs=20000`);
  await eventually("the demo's turn is over", async () => (await ended()).status === 200);
  await post(`/sessions/${demo["id"]}/kill`, { reason: NAME });
  return { id: String(id), demo: String(demo["id"]) };
}

const COMMANDS: readonly string[] = [
  ...["ps", "ps --all", "session list", "session show $id", "session show $demo", "session siblings $id", "agent list"],
  ...["approval list", "approval list --status pending", "session handoff $id", "session handoff $demo", "logs $demo"],
  ...[
    "logs $id",
    "session events $id",
    "session events $demo",
    "session diff $demo",
    "session search names",
    "token list",
  ],
  ...[
    "workspace list",
    "agent show odd",
    "artifact list $id",
    "todo show $id",
    "audit entries",
    "session output $demo",
  ],
  ...[
    "sandbox explain $demo",
    "config show",
    "config get drivers",
    "driver list",
    "driver show odd",
    "status",
    "doctor",
  ],
  ...["daemon logs", "logs -f $demo", "session show $nasty", "agent show $nasty", "$nasty", "config get $nasty"],
  ...[
    "run --session $demo $nasty",
    "approve $nasty",
    "session delegates $id",
    "worktree list",
    "audit agent odd",
    "help",
  ],
];

proves.skipIf(!needs("python3"))(
  "T10",
  "hostile text in every field that a session fills: no command lets it control a terminal or a pipe",
  async () => {
    const daemon = await startDaemon();
    const cwd = join(dirname(daemon.home), "hostile");
    await mkdir(cwd);
    const { id, demo } = await plant(daemon, cwd);
    const filled = COMMANDS.flatMap((command) => {
      const words = command.split(" ").map((word) => ({ $id: id, $demo: demo, $nasty: NAME })[word] ?? word);
      return [words, [...words, "--json"]];
    });
    const [pipe, screen] = await Promise.all([piped(daemon, cwd, filled), onScreen(daemon, cwd, filled)]);
    const harm = filled.flatMap((words, at) => [
      ...harmIn(words, pipe[at] ?? "nothing \u0000", []).map((what) => `${words.join(" ")} into a pipe: ${what}`),
      ...harmIn(words, screen[at] ?? "nothing \u0000", OURS).map((what) => `${words.join(" ")} on a screen: ${what}`),
    ]);
    expect(pipe.filter((printed) => printed === "")).toEqual([]);
    expect(harm).toEqual([]);
  },
);

/** Without line breaks, marks and indents, so that wrapping does not matter. */
const unwrapped = (printed: string): string => printed.replaceAll(/[│╰\s]/g, "");

proves.skipIf(!needs("python3"))(
  "T11",
  "an approval is shown to its last character, and padding hides nothing",
  async () => {
    const daemon = await startDaemon();
    const cwd = join(dirname(daemon.home), "asked");
    await mkdir(cwd);
    const post = async (path: string, body: object) => (await daemon.call("POST", path, body)).body;
    await post("/api/agents", { slug: "asks", driver: "demo", name: "Asks", tools: { run: "always_ask" } });
    const start = (prompt: string) => post("/sessions/agent", { adapter: "demo", agent: "asks", cwd, prompt });
    const command = `echo ${"word ".repeat(700)}; rm -rf "$HOME"`;
    const questions = [`Delete a.txt?${" ".repeat(1000)}and all of b`, `Tidy up?${"\u2003".repeat(500)}and push c`];
    for (const prompt of [`run ${command}`, ...questions.map((question) => `ask ${question}`)]) await start(prompt);
    const { id } = await post("/sessions/external", { pid: process.pid, cwd });
    await post(`/sessions/${id}/turns`, { input: "x" });
    const blank = `Format d?${"\n \t".repeat(400)}and e${"-".repeat(2000)}f`;
    await post(`/sessions/${id}/ask`, { question: blank, options: ["yes, and never ask again / no"], wait: false });
    const pending = async () =>
      (await daemon.call<{ approvals: object[] }>("GET", "/api/approvals?status=pending")).body;
    await eventually("all have asked", async () => (await pending()).approvals.length === 4);
    const long = await start(`run ${"x".repeat(20_000)}`);
    const gone = () => daemon.call("GET", `/sessions/${long["id"]}/wait?timeoutMs=20000`);
    await eventually("what nobody could read is refused", async () => (await gone()).status === 200);
    expect((await pending()).approvals).toHaveLength(4);

    const [list = ""] = await onScreen(daemon, cwd, [["approval", "list"]]);
    const lines = list.split("\r\n").map((line) => OURS.reduce((rest, style) => rest.replaceAll(style, ""), line));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.filter((line) => line === "").length).toBeLessThan(2);
    const shown = unwrapped(lines.join("\n"));
    for (const whole of [command, "Delete a.txt? [1000 spaces] and all of b", "Tidy up? [500 spaces] and push c"])
      expect(shown).toContain(unwrapped(whole));
    expect(shown).toContain(
      unwrapped('Format d? [399 blank lines] and e-[2000 times]f ["yes, and never ask again / no"]'),
    );
  },
);
