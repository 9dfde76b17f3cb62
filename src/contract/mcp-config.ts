import * as z from "zod";

/** Its tools are called `mcp__NAME__TOOL`. */
export const McpServerName = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,31}$/, "letters, digits, `.`, `_` and `-`, 32 at most");

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable");
const prefix = z.string().max(200).optional().describe("text before it, such as `Bearer `");
const FromEnvironment = z.object({ env: variable, prefix }).strict();
const FromVault = z.object({ secret: z.string().min(1).max(200), prefix }).strict();
const FromFile = z.object({ file: z.string().min(1).max(4096), prefix }).strict();
/** Where a secret comes from: it is read when the server is started and stored nowhere else. */
const SecretSource = z.union([FromVault, FromEnvironment, FromFile]);

const common = {
  agents: z.array(z.string().min(1).max(64)).max(64).optional().describe("only sessions of these agents have it"),
  timeoutMs: z.number().int().min(100).max(3_600_000).optional().describe("a call that takes longer is given up"),
  tools: z
    .object({
      allow: z
        .array(z.string().min(1).max(200))
        .max(500)
        .optional()
        .describe("only these tools; `*` stands for any text"),
      deny: z.array(z.string().min(1).max(200)).max(500).optional().describe("not these tools"),
    })
    .optional(),
  outsideWalls: z.boolean().optional().describe("strict sessions have it too, although it runs outside of their walls"),
  disabled: z.boolean().optional(),
};

const Program = z.looseObject({
  ...common,
  type: z.literal("stdio").optional(),
  command: z.string().min(1).max(4096).describe("the program; no shell reads it"),
  args: z.array(z.string().max(16_384)).max(256).optional(),
  env: z
    .record(variable, z.union([z.string().max(16_384), SecretSource]))
    .optional()
    .describe(
      "its variables: text, `{secret: NAME}` of the vault, `{env: NAME}` of the daemon's environment, or `{file: PATH}`",
    ),
  cwd: z.string().min(1).max(4096).optional(),
  shared: z.boolean().optional().describe("false: one process for each session; default: one for all"),
});

const Address = z.looseObject({
  ...common,
  type: z.enum(["http", "streamable-http", "streamableHttp"]).optional(),
  url: z.url({ protocol: /^https?$/ }).max(2048),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,200}$/), z.union([z.string().max(16_384), SecretSource]))
    .optional()
    .describe("headers of each request: text, `{secret: NAME}`, `{env: NAME}` or `{file: PATH}`"),
});

export const McpServerSettings = z.union([Program, Address]);
export type McpServerSettings = z.infer<typeof McpServerSettings>;
export type McpProgram = z.infer<typeof Program>;
export type McpAddress = z.infer<typeof Address>;

/** The member has the name and shape that other programs use, so that their files can be pasted. */
export const McpServers = z
  .record(McpServerName, McpServerSettings)
  .refine((servers) => Object.keys(servers).length <= MCP_SERVERS_MAX, "64 servers at most")
  .optional()
  .describe("MCP servers whose tools sessions have, by name");

const MCP_SERVERS_MAX = 64;
