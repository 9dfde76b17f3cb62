import { listeningPorts } from "../../host/index.ts";
import type { Json } from "../../kernel/index.ts";
import {
  type CallPlace,
  commandResource,
  DriverError,
  type EffectResult,
  type TurnPort,
  type TurnProcess,
} from "../../turns/index.ts";
import { createOutputTail, type OutputTail } from "./output-tail.ts";

/** The programs that a turn's tools have started. They end with the turn at the latest. */
export interface TurnPrograms {
  /** A shell command; what still runs after the time goes on beside the turn. */
  readonly run: (place: CallPlace, command: string, timeoutMs: number) => Promise<Json>;
  readonly start: (place: CallPlace, command: string) => Promise<Json>;
  /** A program without a shell; ended when its time is over. */
  readonly exec: (place: CallPlace, argv: readonly string[], timeoutMs: number) => Promise<Json>;
  readonly list: () => Json;
  readonly printed: (processId: string, from: number) => Json;
  readonly input: (processId: string, text: string) => Promise<Json>;
  readonly stop: (processId: string) => Promise<Json>;
  readonly ports: (processId: string) => Promise<Json>;
}

interface Program {
  readonly command: string;
  readonly process: TurnProcess;
  readonly tail: OutputTail;
  result: EffectResult | null;
}

const PROGRAMS_MAX = 32;

export function createTurnPrograms(port: TurnPort): TurnPrograms {
  const programs = new Map<string, Program>();

  const follow = async (program: Program): Promise<void> => {
    for await (const { text } of program.process.output) program.tail.add(text);
    program.result = await program.process.wait();
  };
  const begin = async (
    place: CallPlace,
    argv: readonly string[],
    as: { readonly kind: "run" | "process" | "git"; readonly resource: string; readonly shown: string },
  ): Promise<{ readonly program: Program; readonly over: Promise<void> }> => {
    if ([...programs.values()].filter(({ result }) => result === null).length >= PROGRAMS_MAX)
      throw new DriverError("limit_reached", `a turn runs at most ${PROGRAMS_MAX} programs; stop one first`);
    const process = await port.start(argv, { ...place, as });
    const program: Program = { command: as.shown, process, tail: createOutputTail(), result: null };
    programs.set(process.effectId, program);
    const over = follow(program);
    over.catch(() => undefined);
    return { program, over };
  };
  const known = (processId: string): Program => {
    const found = programs.get(processId);
    if (found === undefined) throw new DriverError("invalid_request", `no process ${processId} runs in this turn`);
    return found;
  };
  const shell = (command: string): readonly string[] => ["sh", "-c", command];
  /** True when it ended within the time. */
  const within = async (over: Promise<void>, timeoutMs: number): Promise<boolean> => {
    // A timer that nobody needs any more would keep a stopped daemon alive.
    const unneeded = new AbortController();
    try {
      const isLate = port.sleep(timeoutMs, unneeded.signal).then(() => true);
      isLate.catch(() => undefined);
      return (await Promise.race([over, isLate])) !== true;
    } finally {
      unneeded.abort();
    }
  };

  return {
    run: async (place, command, timeoutMs) => {
      const as = { kind: "run", resource: commandResource(command), shown: command } as const;
      const { program, over } = await begin(place, shell(command), as);
      const isOver = await within(over, timeoutMs);
      return { ...shown(program), processId: isOver ? null : program.process.effectId };
    },
    start: async (place, command) => {
      const as = { kind: "process", resource: commandResource(command), shown: command } as const;
      const { program } = await begin(place, shell(command), as);
      return { processId: program.process.effectId };
    },
    exec: async (place, argv, timeoutMs) => {
      const as = { kind: "git", resource: `command/${argv[0] ?? ""}`, shown: argv.join(" ") } as const;
      const { program, over } = await begin(place, argv, as);
      if (!(await within(over, timeoutMs))) await program.process.cancel();
      await over;
      return shown(program);
    },
    list: () =>
      [...programs].map(([processId, { command, result }]) => ({
        processId,
        command,
        exitCode: result?.exitCode ?? null,
        isRunning: result === null,
      })),
    printed: (processId, from) => ({ ...known(processId).tail.page(from) }),
    input: async (processId, text) => {
      await known(processId).process.write(text);
      return null;
    },
    stop: async (processId) => {
      const program = known(processId);
      await program.process.cancel();
      return shown(program);
    },
    ports: async (processId) => listeningPorts(known(processId).process.pids()),
  };
}

function shown({ process, tail, result }: Program): { readonly [name: string]: Json } {
  const { outcome = "done", exitCode = null, outputBytes, message = null } = result ?? {};
  return {
    effectId: process.effectId,
    outcome,
    exitCode,
    output: tail.text(),
    outputBytes: outputBytes ?? tail.total(),
    message,
  };
}
