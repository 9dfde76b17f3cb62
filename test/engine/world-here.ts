import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { createOutputTail } from "../../src/engine/host/output-tail.ts";
import type { FileRange, Looked, ToolContext, World } from "../../src/engine/tool.ts";
import { createPathLocks } from "../../src/engine/tools/index.ts";
import type { TodoItem } from "../../src/kernel/index.ts";
import type { EffectResult, Reply } from "../../src/turns/index.ts";

/**
 * A world over a real directory and real processes, without gate and log: what tools do to files and programs is real,
 * what people answer is scripted.
 */
export function worldHere(cwd: string, how: WorldHow = {}): WorldHere {
  const looks: (readonly string[])[] = [];
  const effects = new Map<string, Buffer>();
  const programs = new Map<string, Program>();
  const artifacts: WorldHere["artifacts"][number][] = [];
  const reads: number[] = [];
  let todo: readonly TodoItem[] = [];
  const settle = (output: Buffer, exitCode: number | null): EffectResult => {
    const effectId = `e${effects.size + 1}`;
    effects.set(effectId, output);
    return {
      effectId,
      outcome: exitCode === 0 ? "done" : "failed",
      exitCode,
      output: output.subarray(0, OUTPUT_SHOWN_BYTES).toString(),
      outputBytes: output.length,
      message: exitCode === 0 ? null : `exit code ${exitCode}`,
    };
  };
  const begin = (argv: readonly string[]): Program => {
    const program = startProgram(cwd, argv, how.env);
    onTestFinished(() => endProgram(program.child));
    return program;
  };
  const keep = (program: Program): string => {
    const processId = `p${programs.size + 1}`;
    programs.set(processId, program);
    return processId;
  };
  const known = (processId: string): Program => {
    const program = programs.get(processId);
    if (program === undefined) throw coded("process_not_found", `no process ${processId}`);
    return program;
  };

  const world: World = {
    read: async (path, range) => {
      const read = await readRange(await place(cwd, path), range);
      reads.push(read.bytes.length);
      return read;
    },
    write: async ({ path, text, ifHash }) => {
      if (how.refuses !== undefined) return refused(how.refuses);
      await how.beforeWrite?.(path);
      const file = await place(cwd, path, true);
      if (ifHash !== undefined && (await hashOf(file)) !== ifHash) throw coded("file_changed", `${path} has changed`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
      return settle(Buffer.alloc(0), 0);
    },
    remove: async ({ path, ifHash }) => {
      if (how.refuses !== undefined) return refused(how.refuses);
      const file = await place(cwd, path);
      if (ifHash !== undefined && (await hashOf(file)) !== ifHash) throw coded("file_changed", `${path} has changed`);
      await rm(file);
      return settle(Buffer.alloc(0), 0);
    },
    look: async (argv, limits) => {
      looks.push(argv);
      for (const path of limits.paths ?? []) await place(cwd, path, true);
      if (how.without?.includes(argv[0] ?? "")) return { exitCode: 127, stdout: "", stderr: "not found", isCut: false };
      return look(cwd, argv, limits, how.env);
    },
    run: async (command, { timeoutMs }) => {
      if (how.refuses !== undefined) return { ...refused(how.refuses), processId: null };
      const program = begin(["sh", "-c", command]);
      const isOver = await Promise.race([program.ended.then(() => true), program.after(timeoutMs)]);
      const effect = settle(Buffer.concat(program.output), isOver ? program.child.exitCode : 0);
      return { ...effect, exitCode: isOver ? effect.exitCode : null, processId: isOver ? null : keep(program) };
    },
    exec: async (_kind, argv) => {
      if (how.refuses !== undefined) return refused(how.refuses);
      const program = begin(argv);
      await program.ended;
      return settle(Buffer.concat(program.output), program.child.exitCode);
    },
    processes: {
      start: async (command) => ({ processId: keep(begin(["sh", "-c", command])) }),
      list: async () =>
        [...programs].map(([processId, { child, command }]) => {
          const isRunning = child.exitCode === null && child.signalCode === null;
          return { processId, command, exitCode: child.exitCode, isRunning };
        }),
      output: async (processId, from) => {
        const tail = createOutputTail();
        const text = Buffer.concat(known(processId).output).toString();
        for (const line of text.split(/(?<=\n)/)) tail.add(line);
        return tail.page(from);
      },
      write: async (processId, text) => {
        known(processId).child.stdin?.write(text);
      },
      stop: async (processId) => {
        const program = known(processId);
        endProgram(program.child);
        await program.ended;
        return settle(Buffer.concat(program.output), program.child.exitCode);
      },
      ports: async (processId) => {
        known(processId);
        return how.ports ?? [];
      },
    },
    outOfScope: async (names) => names.filter((name) => how.outOfScope?.includes(name) === true),
    output: async (effectId, from, bytes) => {
      const output = effects.get(effectId);
      if (output === undefined) throw coded("effect_not_found", `no effect ${effectId}`);
      return { text: output.subarray(from, from + bytes).toString(), total: output.length };
    },
    ask: async () => how.reply ?? { approved: true, option: null },
    todo: async (items) => {
      todo = items;
    },
    todoNow: async () => todo,
    serve: () => Promise.reject(new Error("no tools are served here")),
    artifact: async (path, bytes, mediaType) => {
      artifacts.push({ path, bytes: Buffer.from(bytes), mediaType });
      return { artifactId: `a-${path}`, version: artifacts.filter((one) => one.path === path).length };
    },
  };
  const context: ToolContext = {
    callId: "c1",
    cwd,
    signal: new AbortController().signal,
    world,
    locks: createPathLocks(),
  };
  return { world, context, looks, artifacts, reads };
}

export interface WorldHow {
  /** Programs that are not installed. */
  readonly without?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly reply?: Reply;
  /** Every change is refused, with this reason. */
  readonly refuses?: string;
  readonly ports?: readonly number[];
  /** Names that the session may not change. */
  readonly outOfScope?: readonly string[];
  /** Somebody else, between the reading and the writing. */
  readonly beforeWrite?: (path: string) => Promise<void>;
}

export interface WorldHere {
  readonly world: World;
  readonly context: ToolContext;
  /** Every program that only looked. */
  readonly looks: readonly (readonly string[])[];
  readonly artifacts: readonly { readonly path: string; readonly bytes: Buffer; readonly mediaType: string }[];
  /** Bytes of each read. */
  readonly reads: readonly number[];
}

const OUTPUT_SHOWN_BYTES = 16_384;

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function refused(message: string): EffectResult {
  return { effectId: "e0", outcome: "refused", exitCode: null, output: "", outputBytes: 0, message };
}

/** The real path of a name below the directory; of a new file that of its nearest directory. */
async function place(cwd: string, path: string, mayBeNew = false): Promise<string> {
  const named = isAbsolute(path) ? path : join(cwd, path);
  const real = await realpath(named).catch(() => null);
  if (real === null) {
    if (relative(cwd, named).startsWith("..")) throw coded("path_outside", `${path} is outside`);
    if (!mayBeNew) throw coded("file_missing", `${path} does not exist`);
    return named;
  }
  if (relative(cwd, real).startsWith("..")) throw coded("path_outside", `${path} is outside`);
  return real;
}

async function readRange(file: string, { from, bytes }: { from: number; bytes: number }): Promise<FileRange> {
  const { size, isFile } = await stat(file).then((found) => ({ size: found.size, isFile: found.isFile() }));
  if (!isFile) throw coded("path_invalid", "not a file");
  await using handle = await open(file);
  const buffer = Buffer.alloc(Math.min(bytes, Math.max(0, size - from)));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
  const read = buffer.subarray(0, bytesRead);
  return { bytes: read, size, hash: from === 0 && bytesRead === size ? sha256(read) : null };
}

async function hashOf(file: string): Promise<string | null> {
  return readFile(file).then(sha256, () => null);
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

interface Program {
  readonly child: ChildProcess;
  readonly command: string;
  readonly output: Buffer[];
  readonly ended: Promise<void>;
  readonly after: (ms: number) => Promise<false>;
}

function startProgram(cwd: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const [file = "", ...args] = argv;
  const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, stdio: "pipe", detached: true });
  const output: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk));
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  child.once("close", () => {
    clearTimeout(timer);
    resolve();
  });
  const after = (ms: number): Promise<false> =>
    new Promise((late) => {
      timer = setTimeout(() => late(false), ms);
    });
  return { child, command: argv.at(-1) ?? "", output, ended, after };
}

/** With everything it started: it leads a process group of its own. */
function endProgram({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
}

function look(
  cwd: string,
  [file = "", ...args]: readonly string[],
  limits: { readonly bytesMax: number; readonly timeoutMs: number },
  env: Readonly<Record<string, string>> = {},
): Promise<Looked> {
  const { promise, resolve } = Promise.withResolvers<Looked>();
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limits.timeoutMs,
  });
  let [stdout, stderr, isCut] = [Buffer.alloc(0), Buffer.alloc(0), false];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout = Buffer.concat([stdout, chunk]).subarray(0, limits.bytesMax);
    isCut ||= stdout.length === limits.bytesMax;
    if (isCut) child.kill();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(0, 65_536);
  });
  child.once("error", () => resolve({ exitCode: 127, stdout: "", stderr: `${file}: not found`, isCut: false }));
  child.once("close", (exitCode) =>
    resolve({ exitCode, stdout: stdout.toString(), stderr: stderr.toString(), isCut: isCut || child.killed }),
  );
  return promise;
}
