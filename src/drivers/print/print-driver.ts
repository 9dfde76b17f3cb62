import { setImmediate } from "node:timers/promises";
import { jsonExcess } from "../../contract/index.ts";
import type { Clock, HostProcess } from "../../host/index.ts";
import { fact } from "../../kernel/index.ts";
import { type Driver, DriverError, QuotaError, type TurnPort } from "../../turns/index.ts";
import { createLineReader } from "../line-reader.ts";
import { describedBy } from "../manifests/described-by.ts";
import { asHeld, type Manifest } from "../manifests/manifest.ts";
import type { Resolved } from "../manifests/resolve.ts";
import { createPrinted, type Printed } from "../printed.ts";
import { promptContent } from "../prompt-content.ts";
import { createTurnRecorder, type TurnRecorder } from "../turn-recorder.ts";
import { usageLimitIn } from "../usage-limit.ts";
import { modeEnvironment, printArgv } from "./print-argv.ts";
import type { PrintSign, ReadLine } from "./print-sign.ts";
import { readClaude } from "./read-claude.ts";
import { readCodex } from "./read-codex.ts";
import { readGemini } from "./read-gemini.ts";
import { readOpencode } from "./read-opencode.ts";
import { readPi } from "./read-pi.ts";

export interface PrintDriverParts {
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly resolve: () => Promise<Resolved>;
}

const READERS: { readonly [schema: string]: ReadLine } = {
  claude: readClaude,
  codex: readCodex,
  gemini: readGemini,
  opencode: readOpencode,
  pi: readPi,
};

const LINE_BYTES_MAX = 33_554_432;
const STOP_GRACE_MS = 1000;
const NOISE_MAX = 1000;
/** After this many lines that are not JSON the event loop gets a turn. */
const NOISE_AT_ONCE_MAX = 500;

/** A one-shot program: one process per turn, resumed by its native session id. It never asks; its mode decides. */
export function printDriver(parts: PrintDriverParts): Driver {
  const { manifest, resolve } = parts;
  return {
    ...describedBy(manifest, resolve),
    runTurn: async (port) => {
      const found = asHeld(manifest, port.spec, await resolve());
      const resumed = await runOnce(port, parts, found, port.past.nativeId, null);
      if (resumed.over) return;
      // It did not know that session and did nothing, so a second attempt does nothing twice.
      await runOnce(port, parts, found, null, resumed.why);
    },
  };
}

type Ran = { readonly over: true } | { readonly over: false; readonly why: string };

async function runOnce(
  port: TurnPort,
  { manifest, clock }: Pick<PrintDriverParts, "manifest" | "clock">,
  found: Resolved,
  nativeId: string | null,
  reason: string | null,
): Promise<Ran> {
  const { argv, env, shown } = found;
  const text = nativeId === null && !port.past.isEmpty ? (await port.past.digest()) + port.prompt : port.prompt;
  const can = { images: false, embeds: false, name: manifest.name };
  const blocks = await promptContent(text, port.attachments, can);
  const secrets = await port.secretVariables();
  port.signal.throwIfAborted();
  const order = printArgv(argv, manifest, nativeId, port.settings, port.spec.sandbox === "strict");
  const child = port.host(order, { ...env, ...secrets, ...modeEnvironment(manifest, port.settings) }, shown, argv);
  const printed = createPrinted(port.redactor);
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  const recorder = createTurnRecorder(port, () => false, broken.reject);
  if (port.past.isEmpty && port.spec.sandbox !== "off" && port.spec.sandbox !== "strict")
    recorder.push({ is: "notice", severity: "warning", title: `sandbox ${port.spec.sandbox} ${NOT_HELD}`, text: "" });
  const seen = createSeen(port, manifest, { nativeId, reason, version: found.version });
  const stop = () => void child.stop({ graceMs: STOP_GRACE_MS }).catch(broken.reject);
  const onAbort = (): void => {
    recorder.close();
    stop();
  };
  port.signal.addEventListener("abort", onAbort, { once: true });
  try {
    // Read at once: a program that prints before it has read its whole prompt would deadlock with us.
    const fed = feed(child, blocks.map(plain).join("\n\n"));
    const heard = read(child, READERS[manifest.print?.schema ?? ""], recorder, seen, printed);
    await Promise.race([Promise.all([fed, heard]), broken.promise]);
    const { exitCode } = await child.exited;
    await recorder.finish();
    const said = `${printed.tailText()} ${seen.failure() ?? ""}`;
    if (nativeId !== null && isForgotten(nativeId, exitCode, said) && seen.isSilent() && !port.signal.aborted)
      return { over: false, why: `it could not be resumed${said}`.trim().slice(0, 500) };
    await recordPrinted(port, printed);
    judge(manifest, exitCode, seen.failure(), printed, clock.nowMs());
    return { over: true };
  } finally {
    port.signal.removeEventListener("abort", onAbort);
    await child.stop({ graceMs: 0 });
  }
}

const NOT_HELD = "judges what an agent asks for, and this one asks for nothing: only strict holds it";
const BY_SIGNAL = 128;
/** For programs that do not name the session: opencode, and Gemini when it knows none at all. */
const FORGOTTEN = /session not found|no previous sessions found/i;

/**
 * Only if it says that it does not know the session. A program that was killed, or failed silently, may have worked
 * already: some print nothing before their model has answered.
 */
function isForgotten(nativeId: string, exitCode: number | null, said: string): boolean {
  if (exitCode === null || exitCode === 0 || exitCode > BY_SIGNAL) return false;
  return said.includes(nativeId) || FORGOTTEN.test(said);
}

/** A program that ends before it has read its prompt reports the reason elsewhere. */
async function feed(child: HostProcess, text: string): Promise<void> {
  await child.stdin?.write(text).catch(() => undefined);
  await child.closeStdin();
}

function plain(block: object): string {
  const text: unknown = Reflect.get(block, "text");
  return typeof text === "string"
    ? text
    : `${String(Reflect.get(block, "name"))}: ${String(Reflect.get(block, "uri"))}`;
}

interface Seen {
  readonly take: (sign: Exclude<PrintSign, { sign: "update" }>) => Promise<void>;
  readonly note: () => void;
  readonly isSilent: () => boolean;
  readonly failure: () => string | null;
}

function createSeen(
  port: TurnPort,
  manifest: Manifest,
  { nativeId, reason, version }: { nativeId: string | null; reason: string | null; version: string | null },
): Seen {
  let known: string | null = null;
  let silent = true;
  let failure: string | null = null;
  return {
    note: () => {
      silent = false;
    },
    take: async (sign) => {
      if (sign.sign === "failed") {
        failure ??= sign.message;
        return;
      }
      silent = false;
      if (sign.nativeId === known || port.signal.aborted) return;
      known = sign.nativeId;
      const continuity = nativeId !== null ? "native" : port.past.isEmpty ? "fresh" : "digest";
      const program = `${manifest.name}${version === null ? "" : ` ${version}`}`;
      const data = { turnId: port.turnId, nativeId: known, continuity, reason, program } as const;
      await port.record([fact("driver.attached@1", { ...data, protocol: "print", tools: false })]);
    },
    isSilent: () => silent,
    failure: () => failure,
  };
}

/** Always read to the end: a program whose output is not read blocks. */
async function read(
  child: HostProcess,
  readLine: ReadLine | undefined,
  recorder: TurnRecorder,
  seen: Seen,
  printed: Printed,
): Promise<void> {
  const lines = createLineReader(LINE_BYTES_MAX);
  const stderr = new TextDecoder();
  let noise = 0;
  const takeLine = async (line: string | null): Promise<void> => {
    const value = line === null ? undefined : jsonOf(line);
    if (value === undefined || readLine === undefined) {
      noise += 1;
      if (noise % NOISE_AT_ONCE_MAX === 0) await setImmediate();
      if (noise <= NOISE_MAX && line?.trim() !== "") printed.add("noise", line ?? "[a line beyond all bounds]");
      return;
    }
    for (const sign of readLine(value)) {
      if (sign.sign !== "update") await seen.take(sign);
      else {
        // A program that does not know the session still reports its usage.
        if (sign.update.is !== "tokens") seen.note();
        recorder.push(sign.update);
      }
    }
  };
  for await (const { stream, bytes } of child.output) {
    if (stream === "stderr") printed.add("stderr", stderr.decode(bytes, { stream: true }));
    else for (const line of lines.push(bytes)) await takeLine(line);
    await recorder.ready();
    // A program that prints without end must not block the event loop.
    await setImmediate();
  }
  const rest = lines.rest();
  if (rest !== null) await takeLine(rest);
}

function jsonOf(line: string): unknown {
  // Tested first, because a failed parse costs a thousand times as much.
  if (!/^\s*[[{]/.test(line) || jsonExcess(line) !== null) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // Not JSON: output for people.
    return undefined;
  }
}

async function recordPrinted(port: TurnPort, printed: Printed): Promise<void> {
  const text = port.signal.aborted ? null : printed.take();
  if (text === null) return;
  const title = "the agent printed beside its stream";
  const body = await port.keep(text);
  await port.record([fact("driver.noticed@1", { turnId: port.turnId, severity: "info", title, body })]);
}

function judge(
  { name }: Manifest,
  exitCode: number | null,
  failure: string | null,
  printed: Printed,
  nowMs: number,
): void {
  if (failure === null && exitCode === 0) return;
  // What it printed counts only when it failed without a reason: a retry that worked is told there too.
  const limit = usageLimitIn(failure ?? printed.tail(), nowMs);
  if (limit !== null) throw new QuotaError(`${name} reached a usage limit: ${limit.reason}`, limit.untilMs);
  if (failure !== null) throw new DriverError("driver_failed", `${name} failed: ${failure}`);
  if (exitCode === null || exitCode > BY_SIGNAL)
    throw new DriverError("agent_crashed", `${name} was ended in the middle of its turn${printed.tailText()}`);
  throw new DriverError("driver_failed", `${name} ended with ${exitCode}${printed.tailText()}`, { exitCode });
}
