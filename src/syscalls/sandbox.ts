import { z } from "zod";
import { SessionId } from "../contract/index.ts";
import { read, type Syscall, write } from "./define.ts";

const Access = z.enum(["read", "write", "hidden"]);

const Explained = z.object({
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

const Ran = z.object({
  exitCode: z.number().int().nullable().describe("null: a signal ended it, or it is not known any more"),
  stdout: z.string(),
  stderr: z.string(),
  timedOut: z.boolean(),
  droppedBytes: z.number().int().describe("what it printed beyond what is kept"),
  denied: z.array(z.object({ host: z.string(), port: z.number().int(), reason: z.string() })),
});

/** Asked for again with the same key: it has run, and is not run again; what it printed is kept for a while. */
const FORGOTTEN: z.infer<typeof Ran> = {
  exitCode: null,
  stdout: "",
  stderr: "",
  timedOut: false,
  droppedBytes: 0,
  denied: [],
};

export const sandbox: readonly Syscall[] = [
  read({
    name: "sandbox.explain",
    summary: "What a session can reach, and why: files, network, limits, and what it was refused",
    permission: "session.read",
    about: "session",
    input: z.object({ id: SessionId }),
    output: Explained,
    errors: ["session_not_found", "sandbox_unavailable"],
    http: { method: "GET", path: "/sessions/:id/sandbox" },
    cli: { positional: ["id"] },
    answer: ({ services }, { id }) => services.sandbox.explain(id),
  }),
  write({
    name: "sandbox.run",
    summary: "Run a command behind the walls of `strict`, with one directory to write, to try them out",
    permission: "system.admin",
    about: "system",
    input: z.object({
      argv: z.array(z.string().max(131_072)).min(1).max(1000).describe("the program and its arguments"),
      cwd: z.string().min(1).max(4096).describe("the directory that it may write to"),
      network: z.object({ allow: z.array(z.string().max(255)).max(100) }).optional(),
      timeoutMs: z
        .number()
        .int()
        .min(100)
        .max(600_000)
        .optional()
        .describe("after this long it is ended; default 60000"),
    }),
    output: Ran,
    errors: [
      "cwd_missing",
      "cwd_hidden",
      "program_not_found",
      "program_hidden",
      "sandbox_unavailable",
      "sandbox_failed",
      "invalid_request",
    ],
    http: { method: "POST", path: "/api/sandbox/run" },
    cli: { positional: ["argv"] },
    commit: (context, order) => context.services.sandbox.run(order, context),
    answer: async ({ services }, _order, events) => services.sandbox.ran(events[0]?.id ?? "") ?? FORGOTTEN,
  }),
];

export type SandboxExplained = z.input<typeof Explained>;
export type RanInSandbox = z.input<typeof Ran>;
