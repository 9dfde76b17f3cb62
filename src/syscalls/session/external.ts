import * as z from "zod";
import { NomosError, SessionWire } from "../../contract/index.ts";
import { LIMITS } from "../../kernel/index.ts";
import { type Syscall, write } from "../define.ts";
import { byOf, sessionIdIn, showSession } from "./answer.ts";
import { reachOf } from "./reach.ts";

/** For an agent that somebody else started: opens its session and reports its end. Its turns: `turn.*`. */
export const externalSessions: readonly Syscall[] = [
  write({
    name: "session.open",
    summary: "Open a session for an agent that already runs; it ends by `finish` or with the agent's process",
    permission: "session.spawn",
    roles: ["session"],
    needs: ["bounds", "identify", "store", "supervisor"],
    rights: "opening",
    about: "system",
    input: z.object({
      pid: z.number().int().positive().describe("the agent's process id"),
      startTime: z.string().max(64).optional().describe("the start time of the process; default: read from the system"),
      agent: z.string().max(64).optional(),
      cwd: z.string().min(1).max(4096).optional(),
      label: z.string().max(LIMITS.labelChars).optional(),
    }),
    output: SessionWire,
    errors: ["cwd_missing", "sandbox_floor", "invalid_request", "quota_exceeded", "disk_low", "limit_reached"],
    http: { method: "POST", path: "/sessions/external", status: 201 },
    cli: {
      positional: ["pid"],
      paths: ["cwd"],
      here: { member: "cwd", unless: [] },
      says: ["{name} records the process {input.pid}.", "Next: nomos logs -f {name}"],
    },
    commit: (context, { pid, startTime, ...rest }) => {
      const external = context.services.identify(pid);
      if (external === null || (startTime !== undefined && startTime !== external.startTime))
        throw new NomosError("invalid_request", { pid, reason: "no such process runs" });
      return context.services.supervisor.open(
        { ...rest, ...reachOf(context.actor), adapter: "external", agent: rest.agent ?? "external", external },
        byOf(context),
      );
    },
    answer: (context, _input, events) => showSession(context, sessionIdIn(events)),
  }),
];
