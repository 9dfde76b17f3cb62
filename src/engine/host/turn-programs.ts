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
  /** The last bytes that it printed. */
  tail: string;
  /** Characters that are no longer in `tail`. */
  dropped: number;
  result: EffectResult | null;
}

const TAIL_CHARS = 1_048_576;
const PAGE_CHARS = 65_536;
const PROGRAMS_MAX = 32;

export function createTurnPrograms(port: TurnPort): TurnPrograms {
  const programs = new Map<string, Program>();

  const follow = async (program: Program): Promise<void> => {
    for await (const { text } of program.process.output) {
      const tail = program.tail + text;
      program.tail = tail.slice(-TAIL_CHARS);
      program.dropped += tail.length - program.tail.length;
    }
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
    const program: Program = { command: as.shown, process, tail: "", dropped: 0, result: null };
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
    printed: (processId, from) => {
      const { tail, dropped } = known(processId);
      const start = Math.max(0, from - dropped);
      const text = tail.slice(start, start + PAGE_CHARS);
      return { text, next: dropped + start + text.length };
    },
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

function shown({ process, tail, result, dropped }: Program): { readonly [name: string]: Json } {
  const { outcome = "done", exitCode = null, outputBytes, message = null } = result ?? {};
  return {
    effectId: process.effectId,
    outcome,
    exitCode,
    output: tail,
    outputBytes: outputBytes ?? dropped + Buffer.byteLength(tail),
    message,
  };
}
