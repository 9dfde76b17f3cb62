import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import {
  ESCAPE,
  ESCAPE_UNMARKED,
  eventually,
  type Rehearsal,
  readAll,
  rehearse,
  runningOf,
} from "../../../test/support/rehearsal.ts";
import { HostError } from "../host-error.ts";
import { findBubblewrap } from "../sandbox/find-bubblewrap.ts";
import { allowedEnvironment } from "./allowed-environment.ts";
import { OUTPUT_BUFFER_MAX_BYTES } from "./output-queue.ts";
import { createProcessHost } from "./process-host.ts";
import type { ProcessSpec } from "./process-spec.ts";

const found = needs("bwrap") ? await findBubblewrap(process.env["PATH"] ?? "") : { missing: "bwrap" };
const MODES: readonly { mode: string; bwrapPath: string | null }[] = [
  { mode: "without a sandbox", bwrapPath: null },
  ...("path" in found ? [{ mode: "in bubblewrap", bwrapPath: found.path }] : []),
];

test.skipIf(!needs("bwrap"))("bubblewrap is found and runs", () => {
  expect(found).toEqual({ path: expect.stringMatching(/\/bwrap$/), strict: null });
});

describe.each(MODES)("processes: $mode", ({ bwrapPath }) => {
  test("the exit code is the program's own", async () => {
    await using stage = rehearse({ bwrapPath });
    const exit = await stage.shell("exit 7").exited;
    expect(exit).toEqual({ exitCode: 7, signal: null, outputDroppedBytes: 0 });
  });

  test("a program ended by a signal reports the signal", async () => {
    await using stage = rehearse({ bwrapPath });
    const { exitCode, signal } = await stage.shell("kill -SEGV $$").exited;
    expect(bwrapPath === null ? signal : exitCode).toBe(bwrapPath === null ? "SIGSEGV" : 128 + 11);
  });

  test("all output of both streams arrives before the exit is reported", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell("head -c 200000 /dev/zero; head -c 100000 /dev/zero >&2");
    let exitedFirst = false;
    const exited = child.exited.then(() => {
      exitedFirst = true;
    });
    const bytes = { stdout: 0, stderr: 0 };
    for await (const chunk of child.output) {
      bytes[chunk.stream] += chunk.bytes.length;
      // Slow enough that the process has ended long before.
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(exitedFirst).toBe(false);
    }
    await exited;
    expect(bytes).toEqual({ stdout: 200_000, stderr: 100_000 });
  });

  test("output that was not read before the exit can still be read after it", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell("echo late");
    await child.exited;
    expect((await readAll(child)).stdout).toBe("late\n");
  });

  test("the environment holds what was given, PWD and the marker, and nothing of the daemon's", async () => {
    await using stage = rehearse({ bwrapPath });
    process.env["NOMOS_TOKEN"] = stage.secret;
    const child = stage.host.spawn(stage.spec(["env"], { env: { PATH: "/usr/bin:/bin", GIVEN: "a b\nc" } }));
    const { stdout } = await readAll(child);
    delete process.env["NOMOS_TOKEN"];
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/^(NOMOS_PROCESS=unlabelled:).+/, "$1"));
    expect(lines.sort()).toEqual(
      ["GIVEN=a b", "NOMOS_PROCESS=unlabelled:", "PATH=/usr/bin:/bin", `PWD=${stage.workspace}`, "c"].sort(),
    );
  });

  test("no open file of the daemon is inherited", async () => {
    await using stage = rehearse({ bwrapPath });
    const { stdout } = await readAll(stage.shell("ls -l /proc/self/fd"));
    expect(stdout).not.toContain(stage.home);
    expect(stdout).not.toMatch(/\s3 -> socket/);
  });

  test("stdin: the program reads what is written, and sees the end", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell("cat; echo eof", { stdin: "pipe" });
    const reading = readAll(child);
    await child.stdin?.write("hällo ");
    await child.stdin?.write(Buffer.alloc(300_000, "x"));
    await child.closeStdin();
    expect((await reading).stdout).toBe(`hällo ${"x".repeat(300_000)}eof\n`);
  });

  test("stdin: without input the program sees the end at once, and there is nothing to write to", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell("cat; echo eof");
    expect(child.stdin).toBeUndefined();
    await child.closeStdin();
    expect((await readAll(child)).stdout).toBe("eof\n");
  });

  test("stdin: writing to a process that stopped reading is refused, also a write that already waits", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell("sleep 1000", { stdin: "pipe" });
    const waiting = expect(child.stdin?.write(Buffer.alloc(4_000_000))).rejects.toMatchObject({ code: "stdin_closed" });
    await child.stop({ graceMs: 0 });
    await waiting;
    await expect(child.stdin?.write("x")).rejects.toMatchObject({ code: "stdin_closed" });
    await child.closeStdin();
  });

  test("50 MB of a fast program and a slow consumer: nothing is lost, memory stays bounded", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell("head -c 50000000 /dev/zero | tr '\\0' 'a'");
    const beforeBytes = heldBytes();
    let totalBytes = 0;
    let pauses = 0;
    for await (const { bytes } of child.output) {
      totalBytes += bytes.length;
      if (totalBytes < pauses * 20_000_000) continue;
      pauses += 1;
      // Long enough for the program to write everything, if nothing stopped it.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(heldBytes() - beforeBytes).toBeLessThan(3 * OUTPUT_BUFFER_MAX_BYTES);
    }
    expect(totalBytes).toBe(50_000_000);
    expect(pauses).toBe(3);
    expect((await child.exited).exitCode).toBe(0);
  });

  test("a consumer that leaves the loop does not block the program", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell("head -c 5000000 /dev/zero; exit 3");
    for await (const _ of child.output) break;
    expect((await child.exited).exitCode).toBe(3);
  });

  test("a consumer that stops reading does not delay a stop, and delays the exit only briefly", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell("yes");
    await child.output[Symbol.asyncIterator]().next();
    const startMs = performance.now();
    await child.stop({ graceMs: 100 });
    expect(performance.now() - startMs).toBeLessThan(1_500);
    await child.exited;
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });

  test("output beyond the limit is dropped and counted", async () => {
    await using stage = rehearse({ bwrapPath });
    const { stdout, exit } = await readAll(
      stage.shell("head -c 500000 /dev/zero; exit 4", { outputLimitBytes: 1_000 }),
    );
    expect(stdout).toHaveLength(1_000);
    expect(exit).toEqual({ exitCode: 4, signal: null, outputDroppedBytes: 499_000 });
  });

  test("stop: a program that listens to the end of stdin ends by it", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell("trap 'echo term' TERM; cat; echo bye", { stdin: "pipe" });
    const reading = readAll(child);
    await child.stop({ graceMs: 20_000 });
    expect((await reading).stdout).toBe("bye\n");
  });

  test("stop: SIGTERM reaches the program and its children", async () => {
    await using stage = rehearse({ bwrapPath });
    const script = `
      sh -c 'trap "echo inner; exit" TERM; echo ready; while :; do sleep 0.05; done' &
      trap 'wait; echo outer; exit 5' TERM; while :; do sleep 0.05; done`;
    const child = stage.shell(script);
    let stdout = "";
    for await (const { stream, bytes } of child.output) {
      // The shells report their killed `sleep` on stderr.
      if (stream === "stderr") continue;
      if (stdout === "") child.stop({ graceMs: 20_000 }).catch((error: unknown) => expect.unreachable(String(error)));
      stdout += Buffer.from(bytes).toString();
    }
    expect(stdout).toBe("ready\ninner\nouter\n");
    expect((await child.exited).exitCode).toBe(5);
  });

  test("stop: a double fork with its own session that ignores SIGTERM is killed too", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell(`trap "" TERM; ${ESCAPE} while :; do sleep 1; done`);
    await eventually(() => existsSync(join(stage.workspace, "escaped")));
    expect(runningOf(stage.instance)).not.toEqual([]);
    await child.stop({ graceMs: 100 });
    expect(runningOf(stage.instance)).toEqual([]);
  });

  test("stop at any moment of the start: nothing stays alive", async () => {
    await using stage = rehearse({ bwrapPath });
    for (const delayMs of [0, 1, 2, 4, 6, 8, 12]) {
      const child = stage.shell("while :; do sleep 1; done");
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await child.stop({ graceMs: delayMs % 2 === 0 ? 0 : 5_000 });
      expect(runningOf(stage.instance)).toEqual([]);
      await child.exited;
    }
  });

  test("stop: an abort ends the grace period, not the stop", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell("trap '' TERM; echo on; while :; do sleep 1; done", { stdin: "pipe" });
    await child.output[Symbol.asyncIterator]().next();
    const patience = new AbortController();
    const stopping = child.stop({ graceMs: 3_600_000, signal: patience.signal });
    setTimeout(() => patience.abort(), 50);
    await stopping;
    expect(runningOf(stage.instance)).toEqual([]);
  });

  test("stop: a second stop with a shorter grace overtakes the first; after the end it does nothing", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell("trap '' TERM; echo on; while :; do sleep 1; done");
    await child.output[Symbol.asyncIterator]().next();
    const first = child.stop({ graceMs: 3_600_000 });
    await child.stop({ graceMs: 0 });
    await first;
    await child.stop();
  });

  test("processes that a program leaves behind end with it", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell(`${ESCAPE} while ! [ -e escaped ]; do sleep 0.01; done; exit 6`);
    expect((await child.exited).exitCode).toBe(6);
    expect(existsSync(join(stage.workspace, "escaped"))).toBe(true);
    expect(runningOf(stage.instance)).toEqual([]);
  });

  test("closing the host stops everything it started", async () => {
    await using stage = rehearse({ bwrapPath });
    const children = [1, 2, 3].map(() => stage.shell(`${ESCAPE} sleep 1000`));
    await eventually(() => existsSync(join(stage.workspace, "escaped")));
    await stage.host.stopAll({ graceMs: 50 });
    expect(runningOf(stage.instance)).toEqual([]);
    await Promise.all(children.map((child) => child.exited));
  });

  test("a cwd inside the home that is shown again is the real directory, and writable", async () => {
    await using stage = rehearse({ bwrapPath });
    const own = join(stage.home, "workspaces", "own");
    const { stdout } = await readAll(stage.shell("pwd; echo made > file", { cwd: own, readBack: [own] }));
    expect(stdout).toBe(`${own}\n`);
    expect(readFileSync(join(own, "file"), "utf8")).toBe("made\n");
  });

  const REFUSALS: readonly { code: string; of: string; more: (stage: Rehearsal) => Partial<ProcessSpec> }[] = [
    { code: "cwd_missing", of: "a missing cwd", more: () => ({ cwd: "/no/such/directory" }) },
    { code: "cwd_missing", of: "a cwd that is a file", more: () => ({ cwd: "/etc/passwd" }) },
    { code: "cwd_missing", of: "a relative cwd", more: () => ({ cwd: "src" }) },
    { code: "cwd_hidden", of: "a cwd in the home", more: ({ home }) => ({ cwd: join(home, "workspaces") }) },
    { code: "cwd_hidden", of: "a cwd that links into the home", more: (stage) => ({ cwd: link(stage, stage.home) }) },
    { code: "program_not_found", of: "a missing program", more: () => ({ argv: ["no-such-program"] }) },
    { code: "program_not_found", of: "a program that is a directory", more: () => ({ argv: ["/etc"] }) },
    { code: "program_not_found", of: "a program that is not on the given PATH", more: () => ({ env: {} }) },
    { code: "process_spec_invalid", of: "no program", more: () => ({ argv: [] }) },
    { code: "process_spec_invalid", of: "a NUL in an argument", more: () => ({ argv: ["env", "a\0b"] }) },
    { code: "process_spec_invalid", of: "a NUL in a variable", more: () => ({ env: { PATH: "/bin", A: "\0" } }) },
    { code: "process_spec_invalid", of: "a variable without a name", more: () => ({ env: { PATH: "/bin", "": "x" } }) },
    { code: "read_back_invalid", of: "showing the home itself again", more: ({ home }) => ({ readBack: [home] }) },
    {
      code: "read_back_invalid",
      of: "showing a parent of the home again",
      more: ({ directory }) => ({ readBack: [directory] }),
    },
    {
      code: "read_back_invalid",
      of: "showing a missing path again",
      more: ({ home }) => ({ readBack: [join(home, "x")] }),
    },
    {
      code: "read_back_invalid",
      of: "showing a link again that an agent may have made",
      more: ({ home }) => {
        symlinkSync("..", join(home, "workspaces", "laid"));
        return { readBack: [join(home, "workspaces", "laid")] };
      },
    },
    {
      code: "spawn_failed",
      of: "more arguments than the system takes",
      more: () => ({ argv: ["env", "x".repeat(5_000_000)] }),
    },
  ];

  test.each(REFUSALS)("refused with $code: $of", async ({ code, more }) => {
    await using stage = rehearse({ bwrapPath });
    const spec = stage.spec(["env"], more(stage));
    expect(() => stage.host.spawn(spec)).toThrow(expect.objectContaining({ code, remedy: expect.any(String) }));
  });

  test("one process too many is refused with process_limit, until another has ended", async () => {
    await using stage = rehearse({ bwrapPath, processesMax: 2 });
    const first = stage.shell("sleep 1000");
    stage.shell("sleep 1000");
    expect(() => stage.shell("true")).toThrow(expect.objectContaining({ code: "process_limit" }));
    await first.stop({ graceMs: 0 });
    expect((await stage.shell("exit 2").exited).exitCode).toBe(2);
  });
});

test.each([
  ["silent", ESCAPE_UNMARKED],
  ["babbling", ESCAPE_UNMARKED.replace("sleep 1;", "echo babble;")],
])(
  "without a sandbox a process can escape; while it holds the pipes, %s, the exit is still reported",
  async (_, script) => {
    await using stage = rehearse({ bwrapPath: null });
    const { stdout, exit } = await readAll(
      stage.shell(`${script} while ! [ -e escaped ]; do sleep 0.01; done; echo end; exit 8`),
    );
    expect(stdout).toContain("end\n");
    expect(exit.exitCode).toBe(8);
  },
);

test("a home that does not exist, or is the root directory, is refused", () => {
  for (const home of ["/no/such/home", "/"]) {
    expect(() => createProcessHost({ home, bwrapPath: null })).toThrow(HostError);
  }
});

test("the allowed environment holds no secret of the daemon, and puts this Node first on the PATH", () => {
  const source = {
    ...{ PATH: "/usr/bin:/bin", HOME: "/h", LC_ALL: "C", XDG_CONFIG_HOME: "/c", https_proxy: "p", NO_PROXY: "n" },
    ...{ NOMOS_TOKEN: "t", NOMOS_HOME: "/n", AWS_SECRET_ACCESS_KEY: "s", NODE_OPTIONS: "--require x", LD_PRELOAD: "y" },
    TZ: undefined,
  };
  expect(allowedEnvironment(source, { EXTRA: "1", HOME: "/other" })).toEqual({
    ...{ PATH: `${join(process.execPath, "..")}:/usr/bin:/bin`, HOME: "/other", LC_ALL: "C", XDG_CONFIG_HOME: "/c" },
    ...{ https_proxy: "p", NO_PROXY: "n", EXTRA: "1" },
  });
});

/** Memory in use outside the JavaScript heap. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  // The second collection frees what the first one releases in the background.
  runInNewContext("gc(); gc()");
  return process.memoryUsage().arrayBuffers;
}

function link({ directory }: Rehearsal, target: string): string {
  const path = join(directory, "link");
  symlinkSync(target, path);
  return path;
}
