import { createHash } from "node:crypto";
import type { Json } from "../../kernel/index.ts";
import type { EffectResult, TurnPort } from "../../turns/index.ts";
import type { EngineCall } from "../link/protocol.ts";
import type { OfferedTools } from "./offered-tools.ts";
import { createTurnPrograms, type TurnPrograms } from "./turn-programs.ts";

/** Answers what the engine's process asks for in one turn. Gate, ledger and walls are behind the port. */
export function serveCalls(port: TurnPort, { token, serve }: CallSources): (call: EngineCall) => Promise<Json> {
  const programs = createTurnPrograms(port);
  return async (call) => {
    if (call.do === "token") return token(call.model);
    if (call.do !== "served") return answer(port, programs, call);
    const { effect, ...served } = await serve(port, call.tool, call.input, { ...place(call), once: call.once });
    return json({ effect: result(effect), ...served });
  };
}

export interface CallSources {
  readonly token: (model: string) => Promise<string>;
  readonly serve: OfferedTools["serve"];
}

async function answer(
  port: TurnPort,
  programs: TurnPrograms,
  call: Exclude<EngineCall, { readonly do: "token" | "served" }>,
): Promise<Json> {
  switch (call.do) {
    case "history":
      return json(await port.past.history());
    case "branch":
      return json(await port.past.branch(call.from));
    case "record":
      return json(await port.record(call.facts));
    case "step":
      return json(await port.beginStep(call.step, call.before));
    case "steered":
      return port.isSteered();
    case "park":
      await port.park(call.waitMs, call.reason);
      return null;
    case "redact":
      return call.texts.map(port.redactor.text);
    case "keep":
      return json(await port.keep(call.text));
    case "keepBytes":
      return port.keepBytes(Buffer.from(call.base64, "base64"));
    case "known": {
      const known = await port.known(call.key);
      return known === null ? null : { ...known, result: known.result === null ? null : result(known.result) };
    }
    case "run":
      return programs.run(place(call), call.command, call.timeoutMs);
    case "exec":
      return programs.exec(place(call), call.argv, call.timeoutMs);
    case "start":
      return programs.start(place(call), call.command);
    case "processes":
      return programs.list();
    case "printed":
      return programs.printed(call.processId, call.from);
    case "input":
      return programs.input(call.processId, call.text);
    case "stop":
      return programs.stop(call.processId);
    case "ports":
      return programs.ports(call.processId);
    default:
      return world(port, call);
  }
}

type WorldCall = Extract<
  EngineCall,
  { readonly do: "read" | "write" | "remove" | "look" | "outOfScope" | "output" | "ask" | "todo" | "artifact" }
>;

async function world(port: TurnPort, call: WorldCall): Promise<Json> {
  switch (call.do) {
    case "read": {
      const { bytes, size } = await port.readRange(call.path, call.from, call.bytes, place(call));
      const isWhole = call.from === 0 && bytes.length === size;
      const hash = isWhole ? createHash("sha256").update(bytes).digest("hex") : null;
      return { base64: Buffer.from(bytes).toString("base64"), size, hash };
    }
    case "write":
      return result(await port.write(call.path, call.text, { ...place(call), kind: call.as, ...hashed(call) }));
    case "remove":
      return result(await port.remove(call.path, { ...place(call), ...hashed(call) }));
    case "look":
      return json(port.redactor.data(await port.look(call.argv, call, place(call))));
    case "outOfScope":
      return json(await port.outOfScope(call.names));
    case "output":
      return outputFrom(port, call.effectId, call.from, call.bytes);
    case "ask":
      return json(await port.ask(call.question, call.options, place(call)));
    case "todo":
      await port.todo(call.items);
      return null;
    case "artifact":
      return json(await port.artifact(call.path, Buffer.from(call.base64, "base64"), call.mediaType));
  }
}

function place({ key, callId }: { readonly key: string; readonly callId?: string }) {
  return { key, checkpoint: CHECKPOINT, ...(callId === undefined ? {} : { callId }) };
}

function hashed({ ifHash }: { readonly ifHash?: string | null }): { readonly ifHash?: string | null } {
  return ifHash === undefined ? {} : { ifHash };
}

/** Every call may wait for a person, and the turn goes on from the log after a restart. */
const CHECKPOINT: Json = { engine: 1 };

/** Bytes of an effect's output, which is recorded in pieces. A character that the range cuts is left out. */
async function outputFrom(port: TurnPort, effectId: string, from: number, bytes: number): Promise<Json> {
  const found: Buffer[] = [];
  let at = 0;
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<TurnPort["output"]>> = await port.output(effectId, { after });
    for (const piece of page.pieces) {
      const whole = Buffer.from(piece.text);
      found.push(whole.subarray(Math.max(0, from - at), Math.max(0, from + bytes - at)));
      at += whole.length;
    }
    after = page.next;
  }
  const text = new TextDecoder().decode(Buffer.concat(found)).replaceAll("\uFFFD", "");
  return { text, total: at };
}

function result({ effectId, outcome, exitCode, output, outputBytes, message }: EffectResult): Json {
  return { effectId, outcome, exitCode, output, outputBytes, message };
}

/** All of these are JSON already; the compiler cannot see it for interfaces. */
function json(value: object): Json {
  return value as unknown as Json;
}
