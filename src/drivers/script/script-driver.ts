import { randomBytes } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { jsonExcess } from "../../contract/index.ts";
import { isInside } from "../../host/index.ts";
import type { SessionSpec } from "../../kernel/index.ts";
import { type Driver, DriverError, type TurnPort } from "../driver.ts";
import { refuseAttachments, refuseSettings } from "../text-only.ts";
import { type FromScript, LINE_BYTES_MAX, type ToScript } from "./protocol.ts";
import { createScriptCalls } from "./script-calls.ts";

/** A user's TypeScript file as a driver: one exported function over a turn, in a process of its own. */
export function scriptDriver(slug = "script", file: string | null = null): Driver {
  return {
    slug,
    summary: file === null ? "a TypeScript file of yours drives the turns" : `drives the turns by ${file}`,
    continuity: "digest",
    check: checkFile,
    checkSettings: refuseSettings(slug),
    runTurn,
  };
}

async function checkFile(spec: SessionSpec): Promise<void> {
  if (spec.file === null) throw new DriverError("invalid_request", "the script driver needs a `file`");
  const found = await stat(spec.file).catch(() => null);
  if (found === null || !found.isFile())
    throw new DriverError("driver_file_invalid", `there is no file ${spec.file}`, { file: spec.file });
}

/** A file in the session's own directory can be made a link by the session: then what it leads to is not shown. */
async function isAsNamed(file: string, cwd: string): Promise<boolean> {
  return !isInside(cwd, file) || isInside(cwd, await realpath(file).catch(() => "/"));
}

async function runTurn(port: TurnPort): Promise<void> {
  refuseAttachments(port.spec.adapter, port.attachments);
  const mark = randomBytes(12).toString("hex");
  const argv = [process.execPath, fileURLToPath(new URL("./host-process.ts", import.meta.url))];
  const { file, parentSessionId, cwd } = port.spec;
  // What a session names for one that it starts is shown only where it could be read anyway.
  const isShown = file !== null && parentSessionId === null && (await isAsNamed(file, cwd));
  const programs = [...argv, ...(isShown ? [file] : [])];
  const child = port.host(argv, {}, [], programs);
  const send = async (message: ToScript): Promise<void> => {
    await child.stdin?.write(`${JSON.stringify(message)}\n`).catch(() => undefined);
  };
  const answer = createScriptCalls(port, (effect, stream, text) =>
    send({ kind: "output", process: effect, stream, text }),
  );
  const onAbort = () => void send({ kind: "abort" });
  port.signal.addEventListener("abort", onAbort, { once: true });

  const { prompt: input, sessionId, turnId } = port;
  void send({ kind: "turn", mark, file: file ?? "", input, sessionId, turnId, cwd: port.spec.cwd });
  let end: FromScript | null = null;
  const open = new Set<Promise<void>>();
  const serve = ({ id, method, args }: Extract<FromScript, { kind: "call" }>): void => {
    const served = answer(method, args).then(
      (value) => send({ kind: "answer", id, value }),
      (thrown: unknown) => {
        const message = String(thrown instanceof Error ? thrown.message : thrown);
        return send({ kind: "refusal", id, code: codeOf(thrown), message });
      },
    );
    open.add(served);
    void served.finally(() => open.delete(served));
  };

  try {
    for await (const line of linesOf(child.output, mark)) {
      if ("plain" in line) port.stream(line.plain);
      else if (line.message.kind === "call") serve(line.message);
      else end = line.message;
      if (open.size >= CALLS_OPEN_MAX) await Promise.race(open);
    }
    const { exitCode } = await child.exited;
    // What it asked for last and did not wait for; a call that takes longer ends with the turn.
    await Promise.race([Promise.allSettled(open), port.sleep(LATE_CALLS_MS)]);
    judge(end, exitCode, port.signal);
  } finally {
    port.signal.removeEventListener("abort", onAbort);
    await child.stop({ graceMs: 0 });
  }
}

const CALLS_OPEN_MAX = 1000;
const LATE_CALLS_MS = 1000;

function judge(end: FromScript | null, exitCode: number | null, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (end?.kind === "end") return;
  if (end?.kind === "fail") throw new DriverError(end.code, end.message);
  throw new DriverError(
    "driver_failed",
    `the driver's process ended (${exitCode ?? "by a signal"}) before its turn did`,
  );
}

type Line = { readonly plain: string } | { readonly message: FromScript };

/** What stands between the mark and the end of its line is a message; all else on stdout, and stderr, is plain output. */
async function* linesOf(
  output: AsyncIterable<{ readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }>,
  mark: string,
): AsyncGenerator<Line> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let rest = "";
  for await (const { stream, bytes } of output) {
    const text = decoders[stream].decode(bytes, { stream: true });
    if (stream === "stderr") {
      yield { plain: text };
      continue;
    }
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    let plain = "";
    for (const line of lines) {
      // What the file printed last may have had no end of line of its own.
      const at = line.indexOf(mark);
      plain += at < 0 ? `${line}\n` : line.slice(0, at);
      if (at < 0) continue;
      if (plain !== "") yield { plain };
      plain = "";
      yield { message: parseMessage(line.slice(at + mark.length)) };
    }
    if (!rest.includes(mark)) {
      const kept = Math.min(rest.length, mark.length - 1);
      plain += rest.slice(0, rest.length - kept);
      rest = rest.slice(rest.length - kept);
    }
    if (plain !== "") yield { plain };
    if (rest.length > LINE_BYTES_MAX) throw new DriverError("driver_failed", "the driver wrote a line without end");
  }
  if (rest !== "") yield { plain: rest };
}

const Message = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("call"), id: z.number(), method: z.string(), args: z.array(z.json()) }),
  z.object({ kind: z.literal("end") }),
  z.object({ kind: z.literal("fail"), code: z.enum(["driver_failed", "driver_file_invalid"]), message: z.string() }),
]);

/** The file's code runs in that process: it can find the mark and write what it likes. */
function parseMessage(text: string): FromScript {
  const excess = jsonExcess(text);
  if (excess !== null) throw new DriverError("driver_failed", `the driver wrote a message that is too much: ${excess}`);
  try {
    return Message.parse(JSON.parse(text));
  } catch (cause) {
    throw new DriverError("driver_failed", "the driver's process wrote what is no message", { reason: String(cause) });
  }
}

function codeOf(thrown: unknown): string {
  if (thrown instanceof Error && thrown.name === "ZodError") return "invalid_request";
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "driver_failed";
}
