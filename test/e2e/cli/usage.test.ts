import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EVERYDAY } from "../../../src/cli/everyday.ts";
import { SHORT_NAMES, SYSCALL_NAMES } from "../../../src/client/index.ts";
import { BIN, newHome, runCli, startDaemon, type TestDaemon } from "../../support/daemon.ts";

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon();
});

afterAll(() => daemon[Symbol.asyncDispose]());

const nomos = (...args: readonly string[]) => daemon.cli(...args);

describe("help and version", () => {
  test("bare nomos prints status and help, with a daemon or without", async () => {
    const { exitCode, stdout } = await nomos();
    expect(exitCode).toBe(0);
    expect(stdout).toContain("is up\n");
    expect(stdout).toContain("nomos SUBJECT VERB");
    const without = await runCli([], { home: await newHome() });
    expect(without).toMatchObject({ exitCode: 0, stderr: "" });
    expect(without.stdout).toContain("No daemon runs on");
  });

  test.each([[["--help"]], [["-h"]], [["help"]]])(
    "%s lists every command and every subject on one screen",
    async (args) => {
      const { exitCode, stdout } = await nomos(...args);
      expect(exitCode).toBe(0);
      const lines = stdout.trimEnd().split("\n");
      expect(lines.length).toBeLessThan(24);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      const words = new Set(stdout.split(/\s+/));
      for (const name of [...Object.keys(EVERYDAY), ...SHORT_NAMES.keys()]) expect(words).toContain(name);
      for (const name of SYSCALL_NAMES) expect(words).toContain(name.split(".")[0]);
    },
  );

  test("of all subjects: each with its verbs", async () => {
    const { stdout } = await nomos("help", "subjects");
    expect(stdout).toMatch(/^audit +entries /m);
    const words = new Set(stdout.split(/\s+/));
    for (const name of SYSCALL_NAMES) expect(words).toContain(name.split(".")[1]);
  });

  test("help of a family, a syscall, a short form and an everyday command", async () => {
    const family = (await nomos("session", "--help")).stdout;
    for (const name of SYSCALL_NAMES.filter((one) => one.startsWith("session.")))
      expect(family).toContain(`nomos ${name.replace(".", " ")}`);
    for (const everyday of ["run", "ps", "prompt"]) expect(family).toContain(`  nomos ${everyday} `);
    expect((await nomos("help", "session")).stdout).toBe(family);
    expect((await nomos("help", "programs")).stdout).toContain("nomos completion");
    const syscall = (await nomos("session", "prompt", "--help")).stdout;
    expect(syscall).toMatch(
      /^nomos session prompt ID PROMPT\.\.\. \[--queue\] \[--interrupt\] \[--steer\]\n +\[--attachments JSON\]\n/,
    );
    expect(syscall).toContain("--idempotency-key KEY");
    expect(syscall).toContain("session_busy");
    expect((await nomos("help", "prompt")).stdout).toMatch(/^nomos prompt ID PROMPT\.\.\./);
    expect((await nomos("run", "--help")).stdout).toContain("-C, --cwd DIR");
    expect((await nomos("config", "set", "--help")).stdout).toContain("--config JSON");
    expect(await nomos("help", "nothing")).toMatchObject({ exitCode: 2 });
  });

  test("the version is printed in three spellings and as JSON", async () => {
    const { version } = JSON.parse(await readFile(join(dirname(BIN), "../package.json"), "utf8"));
    for (const spelling of ["version", "--version", "-v"])
      expect(await nomos(spelling)).toMatchObject({ exitCode: 0, stdout: `nomos ${version}\n`, stderr: "" });
    expect((await nomos("version", "--json")).json()).toEqual({ version });
  });
});

describe("mistyped commands", () => {
  test.each([
    [["pss"], "`nomos ps`"],
    [["statsu"], "`nomos status`"],
    [["sesion", "list"], "`nomos session`"],
    [["session", "lsit"], "`nomos session list`"],
    [["zzzzzzzz"], "`nomos help`"],
    [["session"], "nomos session VERB"],
    [["stop"], "`nomos kill SESSION`"],
    [["session", "ls"], "`nomos session list`"],
    [["run", "--worktre", "x"], "Did you mean --worktree?"],
    [["session", "list", "--only-alve"], "Did you mean --only-alive?"],
  ])("%j exits 2 and suggests the nearest command", async (args, suggestion) => {
    const { exitCode, stdout, stderr } = await nomos(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(suggestion);
  });

  test.each([
    [["run", "-a", "dmeo", "hi"], 4, "There is no agent `dmeo`. Did you mean `demo`?"],
    [["driver", "install", "claud"], 6, "There is no driver `claud`. Did you mean `claude`?"],
    [["session", "start", "demo", "--agent", "dmo"], 2, "There is no agent `dmo`. Did you mean `demo`?"],
  ])("%j exits %i and names the nearest", async (args, exitCode, said) => {
    const refused = await nomos(...args);
    expect(refused).toMatchObject({ exitCode, stdout: "" });
    expect(refused.stderr).toContain(`error: ${said} (`);
  });

  test.each([
    [["session", "show"], "id is missing"],
    [["session", "show", "a", "b"], '"b"'],
    [["ps", "--nonsense"], "--nonsense"],
    [["session", "list", "--limit", "many"], "--limit is not a number"],
    [["session", "events", "x", "--view", "sideways"], "raw, path"],
    [["todo", "replace", "x", "--items", "{"], "--items is not JSON"],
    [["prompt", "x", "run", "ls", "-la"], "quotes"],
    [["completion", "tcsh"], "bash, zsh, fish"],
    [["attach"], "SESSION is missing"],
  ])("%j exits 2 and says what is wrong, as text and as JSON", async (args, what) => {
    const plain = await nomos(...args);
    expect(plain).toMatchObject({ exitCode: 2, stdout: "" });
    expect(plain.stderr).toContain(what);
    expect(plain.stderr).toMatch(/^remedy: /m);
    const json = await nomos(...args, "--json");
    expect(json).toMatchObject({ exitCode: 2, stderr: "" });
    expect(json.json()).toMatchObject({
      error: { code: "usage", message: expect.any(String), remedy: expect.any(String), details: {} },
    });
  });
});

describe("refusals in the words of the command line", () => {
  test.each([
    [["run", "-C", "/no/such/place", "hi"], "There is no directory `/no/such/place`.", "`-C`"],
    [["session", "start", "demo", "-C", "/etc/hostname"], "There is no directory `/etc/hostname`.", "`-C`"],
    [["approve", "nothing"], "There is no question and no session `nothing`.", "nomos approval list"],
    [["driver", "check", "demo"], "`demo` is part of Nomos", "nomos run -a demo"],
  ])("%j", async (args, message, remedy) => {
    const { stderr } = await nomos(...args);
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).toMatch(/^remedy: /m);
    expect(stderr).toContain(remedy);
  });

  test("a session without a question, a rewind to nowhere, a prompt to a busy session", async () => {
    const { name } = (await nomos("run", "--detach", "sleep 60000", "--json")).json<{ name: string }>();
    expect((await nomos("approve", name)).stderr).toContain(
      `error: ${name} has no open question. (approval_not_found)`,
    );
    expect((await nomos("rewind", name)).stderr).toContain("error: Name an event or a turn. (invalid_request)");
    expect((await nomos("prompt", name, "x")).stderr).toContain("`--queue` or `--interrupt`");
    await nomos("kill", name);
  });

  test("status says in words what a start recovered", async () => {
    expect((await nomos("status")).stdout).toMatch(/^recovered: +nothing was at work \(\d+ ms\)$/m);
  });
});

describe("exit codes", () => {
  test("exit codes: 3 denied, 4 not found, 5 conflict, with all four fields of the error", async () => {
    const { secret } = (await nomos("token", "issue", "session.read", "--json")).json<{ secret: string }>();
    const env = { NOMOS_URL: daemon.url, NOMOS_TOKEN: secret };
    const denied = await runCli(["ps", "--json"], { home: daemon.home, env });
    expect(denied.exitCode).toBe(3);
    expect(denied.json()).toMatchObject({ error: { code: "denied", details: { capability: "session.list" } } });
    const lost = await nomos("session", "show", "nobody", "--json");
    expect(lost.exitCode).toBe(4);
    expect(lost.json()).toEqual({
      error: {
        code: "session_not_found",
        message: "There is no such session.",
        remedy: "Run `nomos ps` to see all sessions.",
        details: { id: "nobody" },
      },
    });
    const taken = await nomos("agent", "create", "demo", "demo");
    expect(taken.exitCode).toBe(5);
    expect(taken.stderr).toMatch(/^error: An agent .*\(agent_exists\)\n {2}slug: demo\nremedy: /);
  });
});

describe("command-line options", () => {
  test("options: kebab-case and camelCase, lists by comma and by repetition, objects as JSON, text from stdin", async () => {
    const camel = (await nomos("session", "list", "--onlyAlive", "--json")).json();
    expect((await nomos("session", "list", "--only-alive", "--json")).json()).toEqual(camel);
    expect((await nomos("session", "list", "--only-alive=false", "--json")).exitCode).toBe(0);
    const byComma = await nomos("token", "issue", "session.read,session.list", "--json");
    expect(byComma.json()).toMatchObject({ capabilities: ["session.read", "session.list"] });
    const byOption = await nomos(
      "token",
      "issue",
      "--capabilities",
      "session.read",
      "--capabilities=audit.read",
      "--json",
    );
    expect(byOption.json()).toMatchObject({ capabilities: ["session.read", "audit.read"] });
    const tools = await nomos("agent", "create", "careful", "demo", "--tools", '{"run":"always_ask"}', "--json");
    expect(tools.json()).toMatchObject({ slug: "careful", tools: { run: "always_ask" } });
    const { id } = (await nomos("run", "say x", "--json")).json<{ id: string }>();
    const options = { home: daemon.home, input: "say from\nsay stdin\n" };
    expect(await runCli(["prompt", id, "-"], options)).toMatchObject({ exitCode: 0 });
    await nomos("wait", id);
    expect((await nomos("logs", id)).stdout).toContain("from\nstdin\n");
    expect(await nomos("prompt", id, "--", "--json")).toMatchObject({ exitCode: 0 });
    await nomos("wait", id);
    expect((await nomos("logs", id)).stdout).toContain("--json\n");
  });

  test("--idempotency-key: the same call twice is done once", async () => {
    const ask = () => nomos("session", "start", "demo", "--label", "once", "--idempotency-key", "k1", "--json");
    const first = (await ask()).json<{ id: string }>();
    expect((await ask()).json()).toMatchObject({ id: first.id });
    const other = await nomos("session", "start", "demo", "--label", "twice", "--idempotency-key", "k1", "--json");
    expect(other.exitCode).toBe(5);
    expect(other.json()).toMatchObject({ error: { code: "idempotency_key_reused" } });
  });

  test("a relative directory is resolved from the caller's directory", async () => {
    const cwd = join(dirname(daemon.home), "here");
    await mkdir(join(cwd, "below"), { recursive: true });
    const started = (args: readonly string[]) =>
      runCli(["session", "start", "demo", ...args, "--json"], { home: daemon.home, cwd }).then((answer) =>
        answer.json(),
      );
    expect(await started([])).toMatchObject({ cwd });
    expect(await started(["--cwd", "below"])).toMatchObject({ cwd: join(cwd, "below") });
  });
});

describe("the shell", () => {
  test("a closed pipe is not an error", async () => {
    const { id } = (await nomos("run", "run seq 20000", "--json")).json<{ id: string }>();
    const script = `set -o pipefail; "${process.execPath}" "${BIN}" logs -n 2000 ${id} | head -1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await bash(script);
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n").at(-1)).toBe("0");
    const listed = await bash(`"${process.execPath}" "${BIN}" ps --all | head -0; echo "\${PIPESTATUS[0]}"`);
    expect(listed).toMatchObject({ stderr: "", stdout: "0\n" });
  });

  function bash(script: string): Promise<{ stdout: string; stderr: string }> {
    return promisify(execFile)("bash", ["-c", script], { env: { ...process.env, NOMOS_HOME: daemon.home } });
  }
});
