import { mkdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Approval, LogEvent, Session } from "../../../src/client/index.ts";
import { runCli, startCli, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { redeem, signedIn } from "../support/browser.ts";

let daemon: TestDaemon;
let work: string;

beforeAll(async () => {
  daemon = await startDaemon();
  work = join(dirname(daemon.home), "work");
  await mkdir(work);
  work = await realpath(work);
});

afterAll(() => daemon[Symbol.asyncDispose]());

const nomos = (...args: readonly string[]) => runCli(args, { home: daemon.home, cwd: work });
const json = async <T>(...args: readonly string[]): Promise<T> => (await nomos(...args, "--json")).json<T>();

describe("run", () => {
  test("run follows the session to the end of the turn, in this directory, with the default agent", async () => {
    const { exitCode, stdout, stderr } = await nomos("run", "say hello\nrun pwd\nwrite a.txt x");
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^[a-z]+-[a-z]+-[0-9a-f]{2} · demo · sandbox off · .*\n$/);
    expect(stdout.split("\n")).toEqual(
      expect.arrayContaining(["hello", "[tool] run: pwd", work, "[tool] write: a.txt", "── turn-end (completed) ──"]),
    );
  });

  test("run exits 1 when the turn fails, and says why on stderr", async () => {
    const { exitCode, stderr } = await nomos("run", "fail for a reason");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/\n\[error\] for a reason\n$/);
  });

  test("run --json prints one value at the end", async () => {
    const ran = await json<Record<string, unknown>>("run", "-a", "demo", "--label", "mine", "say x");
    expect(ran).toMatchObject({
      outcome: "completed",
      lines: ["x", "── turn-end (completed) ──"],
      session: { label: "mine", agent: "demo" },
    });
    expect(ran["id"]).toBe(ran["session"] && Reflect.get(Object(ran["session"]), "id"));
  });

  test("run: -C sets the directory, --detach does not wait, - reads the prompt from stdin", async () => {
    const started = await json<Session>("run", "-C", "..", "--detach", "sleep 60000");
    expect(started).toMatchObject({ cwd: dirname(work), busy: true });
    expect(await nomos("kill", started.id)).toMatchObject({ exitCode: 0 });
    const piped = await runCli(["run", "-"], { home: daemon.home, cwd: work, input: "say from a pipe\n" });
    expect(piped.stdout).toContain("from a pipe\n");
  });

  test("run --session continues a session, --queue puts the prompt into its queue", async () => {
    const { id } = await json<Session>("run", "--detach", "sleep 700\nsay first");
    expect(await nomos("run", "-s", id, "say x")).toMatchObject({ exitCode: 5 });
    const { exitCode, stdout } = await nomos("run", "-s", id, "--queue", "say second");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("second\n");
  });

  test("Ctrl-C interrupts the turn; the session stays", async () => {
    const child = startCli(["run", "--label", "cut", "say on\nsleep 60000"], { home: daemon.home, cwd: work });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGINT");
    expect(await exited).toBe(1);
    const { sessions } = await json<{ sessions: Session[] }>("ps");
    expect(sessions.find(({ label }) => label === "cut")).toMatchObject({ state: "idle" });
  });

  test("run with an unknown agent or directory is refused", async () => {
    expect(await nomos("run", "-a", "nobody", "x")).toMatchObject({ exitCode: 4 });
    expect(await nomos("run", "-C", "/nowhere", "x")).toMatchObject({ exitCode: 2 });
    expect(await nomos("run")).toMatchObject({ exitCode: 2 });
  });
});

describe("session commands", () => {
  test("ps lists living sessions, --all also ended ones, as text and as JSON", async () => {
    const { id, name } = await json<Session>("run", "--detach", "--label", "here", "say x");
    expect((await nomos("ps")).stdout).toMatch(
      new RegExp(`^NAME +STATE +AGENT .*\\n(.*\\n)*${name} +\\w+ +demo +say x +here +off +.* ${work}\\n`),
    );
    await nomos("kill", name);
    const alive = await json<{ sessions: Session[] }>("ps");
    expect(alive.sessions.map((session) => session.id)).not.toContain(id);
    const all = await json<{ sessions: Session[]; next: string | null }>("ps", "--all");
    expect(all.sessions.find((session) => session.id === id)).toMatchObject({ status: "killed" });
    expect(all).toHaveProperty("next");
    const limited = await json<{ sessions: Session[]; next: string | null }>("ps", "--all", "--limit", "1");
    expect(limited.sessions).toHaveLength(1);
  });

  test("ps: names only, a format of one's own, and filters", async () => {
    const { name, id } = await json<Session>("run", "--detach", "ask really?", "--label", "the night shift");
    const other = await json<Session>("run", "say hi");
    await until(async () => (await json<Session>("session", "show", name)).waitingFor === "approval").catch(
      async (thrown) => {
        throw new Error(`${thrown}: ${(await nomos("session", "events", id, "--json")).stdout}`);
      },
    );
    const names = (await nomos("ps", "-q")).stdout.trimEnd().split("\n");
    expect(names[0]).toBe(name);
    expect(names).toContain(other.name);
    const listed = await nomos(
      "ps",
      "--filter",
      "state=pending,label=Night",
      "--format",
      "{name}\\t{waitingFor}|{nothing}",
    );
    expect(listed.stdout).toBe(`${name}\tapproval|\n`);
    expect((await nomos("ps", "-q", "-f", "agent=nobody")).stdout).toBe("");
    expect((await nomos("ps", "-f", "agent=nobody")).stdout).toBe("No session matches.\n");
    expect((await nomos("ps", "-q", "-f", `name=${name.slice(0, -1)}*`, "-f", "cwd=.")).stdout).toBe(`${name}\n`);
    await nomos("kill", name);
    expect((await nomos("ps", "-f", "state=ended", "--format", "{id}")).stdout).toContain(`${id}\n`);
    expect(await nomos("ps", "-f", "colour=red")).toMatchObject({ exitCode: 2 });
  });

  test("ps --watch shows each change, until Ctrl-C", async () => {
    const child = startCli(["ps", "--watch", "--json"], { home: daemon.home });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    await until(() => printed.includes("\n"));
    const { id } = await json<Session>("run", "--detach", "sleep 60000");
    await until(() => printed.includes(id));
    child.kill("SIGINT");
    expect(await exited).toBe(0);
    await nomos("kill", id);
  });

  test("prompt, wait, logs, interrupt and kill accept a name or the start of an id", async () => {
    const { id, name } = await json<Session>("run", "--detach", "say one");
    expect((await nomos("wait", name)).stdout).toBe(`${name} is idle.\nThe turn ended: completed.\n`);
    const prompted = await json<{ ok: boolean; id: string; turnId: string; queued: boolean }>(
      "prompt",
      name,
      "say",
      "two words",
    );
    expect(prompted).toMatchObject({ ok: true, id, queued: false });
    const waited = await json<object>("wait", id.slice(0, 30), "--turn-id", prompted.turnId);
    expect(waited).toMatchObject({ turn: { turnId: prompted.turnId, outcome: "completed" }, session: { id } });
    expect((await nomos("logs", name)).stdout).toBe(
      "one\n── turn-end (completed) ──\ntwo words\n── turn-end (completed) ──\n",
    );
    expect((await nomos("logs", "-n", "1", name)).stdout).toBe("── turn-end (completed) ──\n");
    expect(await json("logs", name)).toMatchObject({ id, lines: [{ line: "one", stream: "stdout" }, {}, {}, {}] });

    await nomos("prompt", name, "sleep 60000");
    expect(await nomos("prompt", name, "x")).toMatchObject({ exitCode: 5 });
    expect(await json("prompt", name, "say later", "--queue")).toMatchObject({ queued: true });
    expect(await json("interrupt", name)).toEqual({ ok: true, id, wasBusy: true });
    expect(await nomos("wait", name)).toMatchObject({ exitCode: 0 });
    expect(await json("interrupt", name)).toEqual({ ok: true, id, wasBusy: false });
    await nomos("prompt", name, "fail");
    expect(await nomos("wait", name)).toMatchObject({ exitCode: 1 });
    expect(await json("kill", name)).toEqual({ ok: true, id });
    expect(await nomos("kill", name, "--json")).toMatchObject({ exitCode: 1, stdout: `{"ok":false,"id":"${id}"}\n` });
    expect(await nomos("prompt", name, "x")).toMatchObject({ exitCode: 5 });
    expect(await nomos("wait", id, "--timeout-ms", "0")).toMatchObject({ exitCode: 1 });
  });

  test("logs -f goes on until the session ends", async () => {
    const { name } = await json<Session>("run", "--detach", "say early");
    const child = startCli(["logs", "-f", name], { home: daemon.home });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    await until(() => printed.includes("early"));
    await nomos("prompt", name, "say late");
    await until(() => printed.includes("late"));
    await nomos("kill", name);
    expect(await exited).toBe(0);
    expect(printed.match(/early/g)).toHaveLength(1);
  });

  test("fork and rewind take an event's id", async () => {
    const { id, name } = await json<Session>("run", "say one");
    await nomos("run", "-s", name, "say two");
    const { events } = await json<{ events: LogEvent[] }>("session", "events", name, "--types", "turn.ended");
    const [first] = events;
    expect(events).toHaveLength(2);
    const fork = await json<Session>("fork", name, "--at", String(first?.id), "--label", "side");
    expect(fork).toMatchObject({ forkedFrom: { sessionId: id, eventId: first?.id }, label: "side" });
    const rewound = await json<object>("rewind", name, String(first?.id));
    expect(rewound).toMatchObject({ id, irrevocable: [] });
    expect(await nomos("rewind", name, "no-such-event")).toMatchObject({ exitCode: 4 });
    expect(await nomos("rewind", name)).toMatchObject({ exitCode: 2 });
  });
});

describe("answering questions", () => {
  test("approve takes the question's id, its start, or the session; a second answer is a conflict", async () => {
    const { name } = await json<Session>("run", "--detach", "ask one?\nask two?\nask three?");
    const first = await pending(name);
    expect(await json("approve", first.id, "yes")).toMatchObject({ id: first.id, status: "approved" });
    expect(await nomos("approve", first.id)).toMatchObject({ exitCode: 5 });
    const second = await pending(name);
    expect(await json("approve", name)).toMatchObject({ id: second.id, status: "approved" });
    const third = await pending(name);
    expect(await json("reject", third.id.slice(0, 28), "not", "today")).toMatchObject({ status: "rejected" });
    await nomos("wait", name);
    expect((await nomos("logs", name)).stdout).toContain("rejected: not today\n");
    expect(await nomos("approve", "nothing")).toMatchObject({ exitCode: 4 });
  });

  test("an option that was not offered is a usage error", async () => {
    const { name } = await json<Session>("run", "--detach", "ask one?");
    const question = await pending(name);
    expect((await nomos("approval", "list")).stdout).toContain("one?");
    expect(await nomos("approve", question.id, "perhaps")).toMatchObject({ exitCode: 2 });
    await nomos("kill", name);
  });

  async function pending(name: string): Promise<Approval> {
    const { id } = await json<Session>("session", "show", name);
    for (let tries = 0; tries < 100; tries += 1) {
      const { approvals } = await json<{ approvals: Approval[] }>(
        "approval",
        "list",
        "--status",
        "pending",
        "--session-id",
        id,
      );
      if (approvals[0] !== undefined) return approvals[0];
      await sleep(50);
    }
    throw new Error("no question came");
  }
});

describe("attach", () => {
  test("attach: each typed line is a prompt; at the end of input it leaves when the turns are done", async () => {
    const { name } = await json<Session>("run", "--detach", "say before");
    await nomos("wait", name);
    const { exitCode, stdout } = await runCli(["attach", name], {
      home: daemon.home,
      input: "say one\n\nsleep 300\nsay two\n",
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("> say before\nbefore\n");
    expect(stdout).toContain("> say one\n");
    expect(stdout).toMatch(/\none\n(.*\n)*two\n── turn-end \(completed\) ──\n$/);
  });

  test("attach: Ctrl-C interrupts the turn and stays; the end of the session ends it", async () => {
    const { name } = await json<Session>("run", "--detach", "sleep 60000");
    const child = startCli(["attach", name], { home: daemon.home });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    await until(() => printed.includes("> sleep 60000"));
    child.kill("SIGINT");
    await until(() => printed.includes("turn-end (interrupted)"));
    child.stdin.write("say still here\n");
    await until(() => printed.includes("\nstill here\n"));
    await nomos("kill", name);
    expect(await exited).toBe(0);
  });
});

describe("daemon commands", () => {
  test("open prints a link that signs in once, and for scripts the address", async () => {
    const link = new RegExp(`^${daemon.url}/#link=nml_[0-9a-f]{48}$`);
    const { stdout, stderr } = await nomos("open", "--label", "a test");
    expect([stdout.trim(), stderr]).toEqual([expect.stringMatching(link), ""]);
    expect(signedIn(await redeem(daemon, stdout.trim().split("#link=")[1] ?? "")).page).toMatch(/^nmp_/);
    expect((await nomos("token", "list")).stdout).toContain("browser: a test");
    expect(await json("open")).toEqual({ url: expect.stringMatching(link), expiresAt: expect.any(String) });
    expect((await nomos("open", "--address")).stdout).toBe(`${daemon.url}\n`);
    expect(await json("open", "--address")).toEqual({ url: daemon.url });
    expect(await nomos("open", "sesame")).toMatchObject({ exitCode: 2 });
  });

  test("config show, get and set work; an invalid value is refused and the setting named", async () => {
    expect(await nomos("config", "set", "turnTimeoutMs", "90000")).toMatchObject({ exitCode: 0 });
    expect((await nomos("config", "get", "turnTimeoutMs")).stdout).toBe("90000\n");
    expect(await json("config", "show")).toMatchObject({ config: { turnTimeoutMs: 90000 } });
    expect((await nomos("config")).stdout).toContain("turnTimeoutMs: 90000\n");
    expect(await json("config", "set", "drivers.mine.file", "/nowhere/mine.ts")).toMatchObject({ restart: [] });
    expect((await nomos("config", "get", "drivers.mine.file")).stdout).toBe("/nowhere/mine.ts\n");
    expect(await json("config", "set", "drivers", "null")).toMatchObject({ config: { turnTimeoutMs: 90000 } });
    expect(await json("config", "set", "processesMax", "100")).toMatchObject({ restart: ["processesMax"] });
    const wrong = await nomos("config", "set", "turnTimeoutMs", "soon", "--json");
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stdout).toContain("turnTimeoutMs");
    expect(await nomos("config", "get", "nothing")).toMatchObject({ exitCode: 2 });
    expect(await nomos("config", "burn")).toMatchObject({ exitCode: 2 });
    const misspelt = await nomos("config", "set", "turnTimoutMs", "90000");
    expect(misspelt).toMatchObject({ exitCode: 2, stdout: "" });
    expect(misspelt.stderr).toContain("There is no setting `turnTimoutMs`. Did you mean `turnTimeoutMs`?");
    expect((await nomos("config", "get", "idleHibernateMs")).stdout).toBe("600000\n");
    expect((await nomos("config", "get", "limits.homeBytes")).stdout).toBe("107374182400\n");
    expect((await nomos("config", "get", "approvalWaitMs")).stdout).toBe("\n");
    const explained = await json<{ settings: object[] }>("config", "explain", "turnTimeoutMs");
    expect(explained).toMatchObject({ settings: [{ value: 90000, from: "config.json", default: 3_600_000 }] });
    expect(await json("config", "explain", "port")).toMatchObject({
      settings: [{ value: expect.any(Number), from: "option" }],
    });
    expect((await nomos("config", "explain")).stdout).toMatch(/^limits\.homeBytes +107374182400 +default /m);
    expect(await json("config", "set", "--config", '{"turnTimeoutMs":null}')).not.toHaveProperty(
      "config.turnTimeoutMs",
    );
  });

  test("daemon logs reads the log file", async () => {
    expect((await nomos("daemon", "logs")).stdout).toMatch(/^\S+Z up port=\d+ /m);
    const [line = ""] = (await nomos("daemon", "logs", "-n", "1", "--json")).stdout.split("\n");
    expect(JSON.parse(line)).toHaveProperty("message");
    expect(await nomos("daemon")).toMatchObject({ exitCode: 2 });
    const child = startCli(["daemon", "logs", "-f"], { home: daemon.home });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGINT");
    expect(await exited).toBe(0);
  });
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await holds()) return;
    await sleep(50);
  }
  throw new Error("it did not happen");
}
