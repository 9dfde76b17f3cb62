import * as z from "zod";

const Access = z.enum(["read", "write", "hidden"]);

export const SandboxExplained = z.object({
  id: z.string(),
  mode: z.enum(["off", "warn", "enforce", "strict"]),
  holds: z.boolean().describe("true: the operating system enforces it; false: only the agent's own questions do"),
  notices: z.array(z.string()).describe("where the sandbox is weaker than its name says"),
  files: z
    .array(z.object({ path: z.string(), access: Access, why: z.string() }))
    .describe("where two paths overlap, the innermost one applies"),
  network: z.object({
    open: z.boolean().describe("true: the session reaches every address that the machine reaches"),
    reachable: z.array(z.object({ host: z.string(), why: z.string() })),
    denied: z.array(
      z.object({ host: z.string(), port: z.number().int(), reason: z.string(), count: z.number().int() }),
    ),
  }),
  secrets: z
    .array(
      z.object({
        name: z.string().nullable().describe("null: it belongs to somebody else"),
        variable: z.string(),
        for: z.enum(["session", "driver"]).describe("all commands of the session, or the driver's process alone"),
        problem: z.string().nullable().describe("why the next process gets no value; null: it gets one"),
      }),
    )
    .describe(
      "secrets that its processes hold as environment variables; a process that is given a secret can send it on",
    ),
  limits: z.object({
    by: z
      .string()
      .nullable()
      .describe("what enforces the limits over all processes together; null: nothing on this machine can"),
    memoryMb: z.number().nullable(),
    pidsMax: z.number().nullable(),
    cpus: z.number().nullable(),
    absent: z.array(z.string()).describe("limits that this machine cannot enforce"),
  }),
});

export const RanInSandbox = z.object({
  exitCode: z.number().int().nullable().describe("null: a signal ended it, or the code is no longer known"),
  stdout: z.string(),
  stderr: z.string(),
  timedOut: z.boolean(),
  droppedBytes: z.number().int().describe("output bytes that were not kept"),
  denied: z.array(z.object({ host: z.string(), port: z.number().int(), reason: z.string() })),
});

export type SandboxExplained = z.input<typeof SandboxExplained>;
export type RanInSandbox = z.input<typeof RanInSandbox>;
