import * as z from "zod";

export const ServerWire = z.object({
  name: z.string(),
  state: z
    .enum(["connected", "starting", "idle", "failed", "disabled"])
    .describe("`idle`: no session uses it, so it does not run"),
  transport: z.enum(["stdio", "http"]),
  target: z.string().describe("the program or the address, without what may be a secret"),
  tools: z.number().int().nullable().describe("null: it was not asked yet"),
  sessions: z.number().int().describe("sessions that use it"),
  processes: z.number().int(),
  shared: z.boolean(),
  login: z.enum(["ok", "over"]).nullable().describe("null: nobody has logged in, or a program needs no login"),
  agents: z.array(z.string()).nullable().describe("null: sessions of all agents have it"),
  secrets: z.array(z.string()).describe("names of variables and headers, and where their values come from"),
  problem: z.string().nullable(),
});

export const TestWire = z.object({
  ok: z.boolean(),
  name: z.string(),
  says: z.string(),
  ms: z.number(),
  server: z.string().nullable().describe("what the server calls itself"),
  protocol: z.string().nullable().describe("the version of MCP that it speaks"),
  tools: z.array(z.object({ name: z.string(), title: z.string() })),
});
