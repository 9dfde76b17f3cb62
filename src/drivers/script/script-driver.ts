import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { SessionSpec } from "../../kernel/index.ts";
import { type Driver, DriverError, type TurnPort } from "../driver.ts";
import { type FromScript, LINE_BYTES_MAX, type ToScript } from "./protocol.ts";
import { createScriptCalls } from "./script-calls.ts";

/** A user's TypeScript file as a driver: one exported function over a turn, in a process of its own. */
export function scriptDriver(slug = "script", file: string | null = null): Driver {
  return {
    slug,
    summary: file === null ? "a TypeScript file of yours drives the turns" : `drives the turns by ${file}`,
    continuity: "digest",
    check: checkFile,
    runTurn,
  };
}

async function checkFile(spec: SessionSpec): Promise<void> {
  if (spec.file === null) throw new DriverError("invalid_request", "the script driver needs a `file`");
  const found = await stat(spec.file).catch(() => null);
  if (found === null || !found.isFile())
    throw new DriverError("driver_file_invalid", `there is no file ${spec.file}`, { file: spec.file });
}

async function runTurn(port: TurnPort): Promise<void> {
  const mark = randomBytes(12).toString("hex");
  const child = port.host([process.execPath, fileURLToPath(new URL("./host-process.ts", import.meta.url))], {});
  const send = (message: ToScript) => child.stdin?.write(`${JSON.stringify(message)}\n`).catch(() => undefined);
  const answer = createScriptCalls(
    port,
    (effect, stream, text) => void send({ kind: "output", process: effect, stream, text }),
  );
  const onAbort = () => void send({ kind: "abort" });
  port.signal.addEventListener("abort", onAbort, { once: true });

  const file = port.spec.file ?? "";
  const { prompt: input, sessionId, turnId } = port;
  void send({ kind: "turn", mark, file, input, sessionId, turnId, cwd: port.spec.cwd });
  let end: FromScript | null = null;
  const serve = async (line: string): Promise<void> => {
    if (!line.startsWith(mark)) return port.stream(`${line}\n`);
    const message: FromScript = JSON.parse(line.slice(mark.length));
    if (message.kind !== "call") end = message;
    else
      await answer(message.method, message.args).then(
        (value) => send({ kind: "answer", id: message.id, value }),
        (thrown: unknown) =>
          send({
            kind: "refusal",
            id: message.id,
            code: codeOf(thrown),
            message: String(thrown instanceof Error ? thrown.message : thrown),
          }),
      );
  };

  const served: Promise<void>[] = [];
  try {
    for await (const line of linesOf(child.output, (text) => port.stream(text))) served.push(serve(line));
    const { exitCode } = await child.exited;
    await Promise.allSettled(served);
    judge(end, exitCode, port.signal);
  } finally {
    port.signal.removeEventListener("abort", onAbort);
    await child.stop({ graceMs: 0 });
  }
}

function judge(end: FromScript | null, exitCode: number | null, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (end?.kind === "end") return;
  if (end?.kind === "fail") throw new DriverError(end.code, end.message);
  throw new DriverError(
    "driver_failed",
    `the driver's process ended (${exitCode ?? "by a signal"}) before its turn did`,
  );
}

/** stdout as lines, stderr as plain output. A line without end is cut off at the limit. */
async function* linesOf(
  output: AsyncIterable<{ readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }>,
  plain: (text: string) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const { stream, bytes } of output) {
    if (stream === "stderr") plain(Buffer.from(bytes).toString("utf8"));
    else {
      const pieces = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = pieces.pop() ?? "";
      if (rest.length > LINE_BYTES_MAX) throw new DriverError("driver_failed", "the driver wrote a line without end");
      yield* pieces;
    }
  }
  if (rest !== "") yield rest;
}

function codeOf(thrown: unknown): string {
  if (thrown instanceof Error && thrown.name === "ZodError") return "invalid_request";
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "driver_failed";
}
