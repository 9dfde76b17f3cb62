import { randomBytes } from "node:crypto";
import { realpath } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isInside } from "../../host/index.ts";
import type { TurnPort } from "../driver.ts";
import { DriverError } from "../driver-error.ts";
import { markedLines } from "./marked-lines.ts";
import type { FromScript, ToScript } from "./protocol.ts";
import { serveCalls } from "./serve-calls.ts";

/** Runs a turn by a driver file in its own process, which calls the port over lines. */
export async function runLineTurn(port: TurnPort, file: string): Promise<void> {
  const mark = randomBytes(12).toString("hex");
  const argv = [process.execPath, fileURLToPath(new URL("./host-process.ts", import.meta.url))];
  const { parentSessionId, cwd } = port.spec;
  // A file that a parent session names is not mounted: the child sees it only if it could read it anyway.
  const isShown = parentSessionId === null && (await isAsNamed(file, cwd));
  const programs = [...argv, ...(isShown ? [file] : [])];
  const child = port.host(argv, await port.secretVariables(), [], programs);
  const send = async (message: ToScript): Promise<void> => {
    await child.stdin?.write(`${JSON.stringify(message)}\n`).catch(() => undefined);
  };
  const answer = serveCalls(port, (effect, stream, text) => send({ kind: "output", process: effect, stream, text }));
  const onAbort = () => void send({ kind: "abort" });
  port.signal.addEventListener("abort", onAbort, { once: true });

  const { prompt: input, sessionId, turnId, checkpoint, resumed } = port;
  void send({ kind: "turn", mark, file, input, sessionId, turnId, cwd, checkpoint, resumed });
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
    for await (const line of markedLines(child.output, mark)) {
      if ("plain" in line) port.stream(line.plain);
      else if (line.message.kind === "call") serve(line.message);
      else end = line.message;
      if (open.size >= CALLS_OPEN_MAX) await Promise.race(open);
    }
    const { exitCode } = await child.exited;
    // Last calls that the file did not wait for; one that takes longer ends with the turn.
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

/** The session could replace a file in its own directory by a link: the link's target is not mounted. */
async function isAsNamed(file: string, cwd: string): Promise<boolean> {
  return !isInside(cwd, file) || isInside(cwd, await realpath(file).catch(() => "/"));
}

function codeOf(thrown: unknown): string {
  if (thrown instanceof Error && thrown.name === "ZodError") return "invalid_request";
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "driver_failed";
}
