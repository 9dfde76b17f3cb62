import * as z from "zod";
import { isCustomType, type Json, LIMITS } from "../../kernel/index.ts";
import type { TurnPort } from "../driver.ts";
import { DriverError } from "../driver-error.ts";
import type { EffectResult, TurnProcess } from "../effects.ts";
import { SCRIPT_METHODS } from "./protocol.ts";

type Methods = { readonly [method: string]: (args: unknown) => Promise<Json> };
type Deliver = (process: string, stream: "stdout" | "stderr", text: string) => Promise<void>;

/** Answers what a driver file asks for. Its arguments come from foreign code: they are parsed, never trusted. */
export function serveCalls(
  port: TurnPort,
  /** Resolves when the driver's process has taken it: what it does not read holds up whoever prints. */
  deliver: Deliver,
) {
  const methods: Methods = { ...portMethods(port), ...processMethods(port, deliver) };

  return async (method: string, args: unknown): Promise<Json> => {
    const name = method.startsWith("tool:") ? method.slice("tool:".length) : method;
    const answer = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (answer === undefined)
      throw new DriverError("tool_unknown", `no tool is called ${name}`, { tools: [...SCRIPT_METHODS] });
    const given = method.startsWith("tool:") && Array.isArray(args) && Array.isArray(args[0]) ? args[0] : args;
    return answer(given);
  };
}

function portMethods(port: TurnPort): Methods {
  return {
    say: async (args) => {
      const [text, role] = z.tuple([z.string(), z.enum(["assistant", "thought"])]).parse(args);
      await port.say(text, role);
      return null;
    },
    stream: async (args) => {
      port.stream(z.tuple([z.string()]).parse(args)[0]);
      return null;
    },
    run: async (args) => result(await port.run(...z.tuple([z.string(), Place]).parse(args))),
    write: async (args) => result(await port.write(...z.tuple([z.string(), z.string(), Place]).parse(args))),
    output: async (args) => {
      const [effectId, page] = z.tuple([z.string(), OutputPage]).parse(args);
      const { pieces, next } = await port.output(effectId, page);
      return { pieces: pieces.map((piece) => ({ ...piece })), next };
    },
    reach: async (args) => {
      port.reach(z.tuple([z.json()]).parse(args)[0]);
      return null;
    },
    read: async (args) => port.read(z.tuple([z.string()]).parse(args)[0]),
    ask: async (args) => {
      const [question, options, place] = z.tuple([z.string(), z.array(z.string()), Place]).parse(args);
      return { ...(await port.ask(question, options, place)) };
    },
    artifact: async (args) => {
      const [path, text, mediaType] = z
        .tuple([z.string().min(1).max(LIMITS.artifactPathChars), z.string(), z.string().max(100)])
        .parse(args);
      return { ...(await port.artifact(path, Buffer.from(text), mediaType)) };
    },
    todo: async (args) => {
      const item = z.object({ text: z.string(), status: z.enum(["open", "active", "done"]) });
      await port.todo(z.tuple([z.array(item)]).parse(args)[0]);
      return null;
    },
    event: async (args) => {
      const [name, payload] = z.tuple([z.string(), z.json()]).parse(args);
      if (!isCustomType(`x.${name}@1`)) throw new DriverError("invalid_request", `no event may be called ${name}`);
      await port.event(name, payload);
      return null;
    },
  };
}

/** Processes outlive the call that starts them: the driver's file names them by their effect. */
function processMethods(port: TurnPort, deliver: Deliver): Methods {
  const processes = new Map<string, { readonly process: TurnProcess; readonly drained: Promise<void> }>();

  const started = (id: string) => {
    const found = processes.get(id);
    if (found === undefined) throw new DriverError("invalid_request", `no process ${id} in this turn`);
    return found;
  };
  const drain = async (process: TurnProcess): Promise<void> => {
    for await (const { stream, text } of process.output) await deliver(process.effectId, stream, text);
  };

  return {
    start: async (args) => {
      const process = await port.start(...z.tuple([z.array(z.string()).min(1), Place]).parse(args));
      processes.set(process.effectId, { process, drained: drain(process) });
      return process.effectId;
    },
    processWrite: async (args) => {
      const [id, text] = z.tuple([z.string(), z.string()]).parse(args);
      await started(id).process.write(text);
      return null;
    },
    processCloseInput: async (args) => {
      await started(z.tuple([z.string()]).parse(args)[0]).process.closeInput();
      return null;
    },
    processWait: async (args) => {
      const { process, drained } = started(z.tuple([z.string()]).parse(args)[0]);
      await drained;
      return result(await process.wait());
    },
    processCancel: async (args) => {
      await started(z.tuple([z.string()]).parse(args)[0]).process.cancel();
      return null;
    },
  };
}

/** The port enforces the limits of both. */
const Place = z.object({ key: z.string().optional(), checkpoint: z.json().optional() }).optional();
const OutputPage = z.object({ after: z.int().min(0).optional(), limit: z.int().min(1).optional() }).optional();

function result({ effectId, outcome, exitCode, output, outputBytes, message }: EffectResult): Json {
  return { effectId, outcome, exitCode, output, outputBytes, message };
}
