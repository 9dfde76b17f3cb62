import type { RunTool } from "../../drivers/index.ts";
import { allowedEnvironment, type Clock, MARKER_VARIABLE, type ProcessHost } from "../../host/index.ts";

export interface ProgramRunner {
  /** Returns the output, whatever the exit code. */
  readonly ask: (argv: readonly string[], env: Readonly<Record<string, string>>, timeMaxMs: number) => Promise<string>;
  readonly run: RunTool;
}

const PRINTED_CHARS = 8000;
const STOP_GRACE_MS = 200;

/** Runs short programs for the daemon itself: a version check, an installation. */
export function createProgramRunner(parts: {
  readonly host: ProcessHost;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly instance: string;
  /** Working directory of `ask`. */
  readonly cwd: string;
}): ProgramRunner {
  const { host, clock, environment, instance } = parts;
  const marker = { [MARKER_VARIABLE]: `${instance}:program` };
  const run = async (
    order: {
      readonly argv: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly readBack?: readonly string[];
      readonly shown?: readonly string[];
    },
    timeMaxMs: number,
    report: (line: string) => void,
  ) => {
    const env = allowedEnvironment(environment, { ...order.env, ...marker });
    await using process = host.spawn({ ...order, env, stdin: "none" });
    const cancel = clock.after(timeMaxMs, () => void process.stop({ graceMs: STOP_GRACE_MS }));
    let tail = "";
    for await (const { bytes } of process.output) {
      const text = Buffer.from(bytes).toString("utf8");
      tail = (tail + text).slice(-PRINTED_CHARS);
      for (const line of text.split("\n").filter(Boolean)) report(line);
    }
    cancel();
    const { exitCode } = await process.exited;
    return { exitCode, tail: tail.trim() };
  };
  return {
    ask: async (argv, env, timeMaxMs) => (await run({ argv, cwd: parts.cwd, env }, timeMaxMs, () => undefined)).tail,
    run: (argv, cwd, timeMaxMs, report) => run({ argv, cwd, env: {}, readBack: [cwd] }, timeMaxMs, report),
  };
}
