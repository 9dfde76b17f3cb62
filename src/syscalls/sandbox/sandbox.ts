import * as z from "zod";
import { NomosError, RanInSandbox, SandboxExplained, SessionId } from "../../contract/index.ts";
import { read, type Syscall, write } from "../define.ts";

/** The answer to a repeated key after the output was dropped: the command is not run again. */
const FORGOTTEN: RanInSandbox = {
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
    summary: "Show the files and network a session can reach, its limits, and what it was refused",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["sandbox"],
    heavy: true,
    about: "session",
    input: z.object({ id: SessionId }),
    output: SandboxExplained,
    errors: ["overloaded", "session_not_found", "sandbox_unavailable"],
    http: { method: "GET", path: "/sessions/:id/sandbox" },
    cli: { positional: ["id"] },
    answer: ({ services, actor }, { id }) => services.sandbox.explain(id, actor.principal),
  }),
  write({
    name: "sandbox.run",
    summary: "Run a command in a `strict` sandbox that can write to one directory, to try the sandbox out",
    permission: "system.admin",
    roles: [],
    needs: ["sandbox"],
    rights: "person",
    about: "system",
    input: z.object({
      argv: z.array(z.string().max(131_072)).min(1).max(1000).describe("the program and its arguments"),
      cwd: z.string().min(1).max(4096).describe("the one directory that the command may write to"),
      network: z.object({ allow: z.array(z.string().max(255)).max(100) }).optional(),
      timeoutMs: z
        .number()
        .int()
        .min(100)
        .max(600_000)
        .optional()
        .describe("the command is ended after this time; default 60000"),
    }),
    output: RanInSandbox,
    errors: [
      "sandbox_floor",
      "cwd_missing",
      "cwd_hidden",
      "program_not_found",
      "program_hidden",
      "sandbox_unavailable",
      "sandbox_failed",
      "invalid_request",
      "call_outcome_unknown",
      "quota_exceeded",
      "disk_low",
    ],
    http: { method: "POST", path: "/api/sandbox/run" },
    cli: { positional: ["argv"], paths: ["cwd"], here: { member: "cwd", unless: [] } },
    commit: (context, order) => context.services.sandbox.run(order, context),
    answer: async ({ services }, _order, [begun]) => {
      const outcome = begun === undefined ? "unknown" : await services.sandbox.ran(begun);
      if (outcome === "unknown") throw new NomosError("call_outcome_unknown", { eventId: begun?.id ?? null });
      return outcome === "forgotten" ? FORGOTTEN : outcome;
    },
  }),
];
