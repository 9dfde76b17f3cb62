import { z } from "zod";

const Access = z.enum(["read", "write", "hidden"]);

export const SandboxExplained = z.object({
  id: z.string(),
  mode: z.enum(["off", "warn", "enforce", "strict"]),
  holds: z.boolean().describe("whether the operating system holds it, and not only what the agent asks for"),
  notices: z.array(z.string()).describe("what is weaker than it sounds, in plain words"),
  files: z.array(z.object({ path: z.string(), access: Access, why: z.string() })).describe("the innermost counts"),
  network: z.object({
    open: z.boolean().describe("true: everything the machine reaches"),
    reachable: z.array(z.object({ host: z.string(), why: z.string() })),
    denied: z.array(
      z.object({ host: z.string(), port: z.number().int(), reason: z.string(), count: z.number().int() }),
    ),
  }),
  limits: z.object({
    by: z
      .string()
      .nullable()
      .describe("what holds them for all processes together; null: nothing on this machine does"),
    memoryMb: z.number().nullable(),
    pidsMax: z.number().nullable(),
    cpus: z.number().nullable(),
    absent: z.array(z.string()).describe("those that this machine cannot hold"),
  }),
});

export const RanInSandbox = z.object({
  exitCode: z.number().int().nullable().describe("null: a signal ended it, or it is not known any more"),
  stdout: z.string(),
  stderr: z.string(),
  timedOut: z.boolean(),
  droppedBytes: z.number().int().describe("what it printed beyond what is kept"),
  denied: z.array(z.object({ host: z.string(), port: z.number().int(), reason: z.string() })),
});

export type SandboxExplained = z.input<typeof SandboxExplained>;
export type RanInSandbox = z.input<typeof RanInSandbox>;
