import { randomBytes } from "node:crypto";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as z from "zod";
import { jsonExcess } from "../../contract/index.ts";
import type { Clock, HostProcess, OutputChunk } from "../../host/index.ts";
import type { Json, SessionSpec } from "../../kernel/index.ts";
import type { ServedResult } from "../../turns/index.ts";
import type { DescribedTool, ToolOrder, ToolReply } from "./process/protocol.ts";
import type { ToolFile } from "./tool-files.ts";

/** Where a tool's process runs: behind the walls of the session that uses it, in its directory. */
export interface ToolPlace {
  readonly sessionId: string;
  readonly spec: SessionSpec;
  readonly signal: AbortSignal | null;
}

export interface ToolProcesses {
  /** Loads the file and asks what it is. Throws a `ToolFailure` with a sentence for whoever wrote it. */
  readonly describe: (file: ToolFile, place: ToolPlace) => Promise<DescribedTool>;
  readonly run: (file: ToolFile, input: Json, place: ToolPlace) => Promise<ServedResult>;
}

export interface ToolProcessDeps {
  readonly spawn: (
    place: Pick<ToolPlace, "sessionId" | "spec">,
    argv: readonly string[],
    order: { readonly shown: readonly string[]; readonly memoryMb: number },
  ) => HostProcess;
  readonly clock: Clock;
  readonly limits: () => ToolLimits;
  readonly log: (message: string, details: object) => void;
}

export interface ToolLimits {
  readonly loadMs: number;
  readonly callMs: number;
  readonly memoryMb: number;
}

/** The tool did not do what it should: the file is broken, or the call failed. */
export class ToolFailure extends Error {
  /** How long the same is to be expected of the same bytes. */
  readonly holdsMs: number;
  /** It did not answer in time. */
  readonly isLate: boolean;
  constructor(message: string, holdsMs = Number.POSITIVE_INFINITY, isLate = false) {
    super(message);
    this.holdsMs = holdsMs;
    this.isLate = isLate;
  }
}

/** Everything that one process may print, its answer included. */
const OUTPUT_BYTES_MAX = 16_777_216;
/** Address space that Node takes for compiled code; the system counts it as memory. */
const NODE_RESERVES_MB = 640;
const HEAP_SHARE = 0.5;
const GRACE_MS = 1000;
const TAIL_CHARS = 2000;
const LOG_LINES_MAX = 100;
const LOG_CHARS = 2000;
/** The machine may have been busy: it is tried again. */
const LATE_HOLDS_MS = 60_000;

export function createToolProcesses(deps: ToolProcessDeps): ToolProcesses {
  const ask = async (
    file: ToolFile,
    call: ToolOrder["call"],
    place: ToolPlace,
    limitMs: number,
  ): Promise<Exclude<ToolReply, { readonly kind: "log" | "failed" }>> => {
    const mark = randomBytes(12).toString("hex");
    const { memoryMb } = deps.limits();
    const child = deps.spawn(place, argvFor(memoryMb), {
      shown: file.shown,
      memoryMb: memoryMb + NODE_RESERVES_MB,
    });
    let cut: ToolFailure | null = null;
    const stop = (why: ToolFailure): void => {
      cut ??= why;
      child.stop({ graceMs: GRACE_MS }).catch((thrown: unknown) => {
        deps.log("a tool could not be ended", { file: file.shownPath, reason: String(thrown) });
      });
    };
    const onAbort = () => stop(new ToolFailure("the call was interrupted", 0));
    const late = `it did not answer within ${limitMs / 1000} s`;
    const stopTimer = deps.clock.after(limitMs, () => stop(new ToolFailure(late, LATE_HOLDS_MS, true)));
    place.signal?.addEventListener("abort", onAbort, { once: true });
    if (place.signal?.aborted === true) onAbort();
    const { path, source, isAlone } = file;
    const isTypeScript = /\.m?ts$/.test(path);
    const order: ToolOrder = { mark, url: pathToFileURL(path).href, source, isTypeScript, isAlone, call };
    // Its input stays open: closing it tells the tool that the call is given up.
    child.stdin?.write(`${JSON.stringify(order)}\n`).catch(() => undefined);
    try {
      const heard = await hear(child.output, mark, stop);
      for (const text of heard.logged) deps.log("a tool said", { file: file.shownPath, text });
      if (heard.reply?.kind === "described" || heard.reply?.kind === "result") return heard.reply;
      throw cut ?? (heard.reply?.kind === "failed" ? failureOf(heard.reply.message, heard) : await endOf(child, heard));
    } finally {
      stopTimer();
      place.signal?.removeEventListener("abort", onAbort);
      await child.stop({ graceMs: 0 });
    }
  };

  return {
    describe: async (file, place) => {
      const reply = await ask(file, null, place, deps.limits().loadMs);
      if (reply.kind !== "described") throw new ToolFailure("its process answered something else");
      return reply.tool;
    },
    run: async (file, input, place) => {
      const reply = await ask(file, { input, cwd: place.spec.cwd }, place, deps.limits().callMs);
      if (reply.kind !== "result") throw new ToolFailure("its process answered something else");
      return reply.result;
    },
  };
}

function argvFor(memoryMb: number): readonly string[] {
  const heapMb = Math.max(32, Math.floor(memoryMb * HEAP_SHARE));
  const program = fileURLToPath(new URL("./process/main.ts", import.meta.url));
  return [process.execPath, `--max-old-space-size=${heapMb}`, "--disable-warning=ExperimentalWarning", program];
}

interface Heard {
  readonly reply: ToolReply | null;
  readonly logged: readonly string[];
  /** The end of what it printed beside. */
  readonly tail: string;
}

/** Reads until the answer or the end of the process. */
async function hear(
  output: AsyncIterable<OutputChunk>,
  mark: string,
  stop: (why: ToolFailure) => void,
): Promise<Heard> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const logged: string[] = [];
  /** Pieces of a line whose end has not come: joined once, because an answer may be megabytes. */
  let rest: string[] = [];
  let bytes = 0;
  let tail = "";
  for await (const chunk of output) {
    bytes += chunk.bytes.length;
    if (bytes > OUTPUT_BYTES_MAX) {
      stop(new ToolFailure(`it printed more than ${OUTPUT_BYTES_MAX / 1_048_576} MB`));
      break;
    }
    const text = decoders[chunk.stream].decode(chunk.bytes, { stream: true });
    if (chunk.stream === "stderr") {
      tail = `${tail}${text}`.slice(-TAIL_CHARS);
      continue;
    }
    const [first = "", ...more] = text.split("\n");
    rest.push(first);
    const next = more.pop();
    if (next === undefined) continue;
    const lines = [rest.join(""), ...more];
    rest = [next];
    for (const line of lines) {
      if (!line.startsWith(mark)) {
        tail = `${tail}${line}\n`.slice(-TAIL_CHARS);
        continue;
      }
      const reply = replyIn(line.slice(mark.length));
      if (reply.kind !== "log") return { reply, logged, tail: tail.trim() };
      if (logged.length < LOG_LINES_MAX) logged.push(reply.text.slice(0, LOG_CHARS));
    }
  }
  return { reply: null, logged, tail: `${tail}${rest.join("")}`.slice(-TAIL_CHARS).trim() };
}

const Reply = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("described"),
    tool: z.object({
      name: z.string().max(64).nullable(),
      description: z.string().max(20_000),
      input: z.record(z.string(), z.json()),
      redo: z.enum(["safe", "ask", "failed"]),
    }),
  }),
  z.object({
    kind: z.literal("result"),
    result: z.object({
      content: z.array(
        z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("text"), text: z.string() }),
          z.object({ kind: z.literal("image"), mediaType: z.string().max(100), base64: z.base64() }),
        ]),
      ),
      isError: z.boolean(),
    }),
  }),
  z.object({ kind: z.literal("failed"), message: z.string() }),
  z.object({ kind: z.literal("log"), text: z.string() }),
]);

/** The file's code runs in that process: it can find the mark and write anything. */
function replyIn(text: string): ToolReply {
  const excess = jsonExcess(text);
  if (excess !== null) throw new ToolFailure(`its answer is too much: ${excess}`);
  try {
    return Reply.parse(JSON.parse(text));
  } catch {
    throw new ToolFailure("its process wrote what is no answer");
  }
}

async function endOf(child: HostProcess, heard: Heard): Promise<ToolFailure> {
  const { exitCode, signal, failure } = await child.exited;
  if (failure !== undefined) throw failure;
  if (/heap out of memory/.test(heard.tail)) return new ToolFailure("it used more memory than a tool may have");
  const how = exitCode === null ? `by ${signal ?? "a signal"}` : `with exit code ${exitCode}`;
  // A signal may have been meant for the session: its turn was interrupted.
  const isKilled = exitCode === null || exitCode > SIGNALLED;
  const holdsMs = isKilled ? LATE_HOLDS_MS : Number.POSITIVE_INFINITY;
  return failureOf(`its process ended ${how} before it answered`, heard, holdsMs);
}

/** A sandbox tells a signal as 128 and its number. */
const SIGNALLED = 128;

function failureOf(said: string, { logged, tail }: Heard, holdsMs?: number): ToolFailure {
  const beside = [...logged, ...(tail === "" ? [] : [tail])].join("\n").slice(-TAIL_CHARS);
  return new ToolFailure(beside === "" ? said : `${said}\n${beside}`, holdsMs);
}
