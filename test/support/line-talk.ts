import type { startCli } from "./daemon.ts";

/** A program that reads and writes one JSON object per line. */
export interface LineTalk {
  readonly received: Record<string, unknown>[];
  readonly say: (message: unknown) => void;
  /** Resolves with the first matching message, also an earlier one. */
  readonly heard: (
    fits: (message: Record<string, unknown>) => boolean,
    maxMs?: number,
  ) => Promise<Record<string, unknown>>;
  readonly answer: (id: unknown) => Promise<Record<string, unknown>>;
  /** Ends the input. Resolves with the exit code. */
  readonly end: () => Promise<number | null>;
}

const HEARD_MAX_MS = 15_000;

export function lineTalk(child: ReturnType<typeof startCli>): LineTalk {
  const received: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) received.push(JSON.parse(line));
    for (const wake of waiting) wake();
  });
  const heard: LineTalk["heard"] = async (fits, maxMs = HEARD_MAX_MS) => {
    const untilMs = Date.now() + maxMs;
    while (Date.now() < untilMs) {
      const found = received.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        setTimeout(resolve, 100);
      });
    }
    throw new Error(`not heard in ${maxMs} ms; heard were ${JSON.stringify(received).slice(0, 2000)}`);
  };
  return {
    received,
    say: (message) => void child.stdin.write(typeof message === "string" ? message : `${JSON.stringify(message)}\n`),
    heard,
    answer: (id) => heard((message) => message["id"] === id),
    end: () => {
      child.stdin.end();
      return exited;
    },
  };
}
