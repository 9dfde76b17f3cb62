import { isAbsolute } from "node:path";
import { McpServerName, McpServerSettings, NomosError } from "../../contract/index.ts";
import { jsonFault } from "../../domains/index.ts";
import { refuseKeys } from "../models/key-like.ts";
import type { McpServer } from "./server.ts";

/** A server as a person adds it: a program, an address, or settings as JSON. */
export interface GivenServer {
  readonly name?: string | undefined;
  readonly argv?: readonly string[] | undefined;
  readonly url?: string | undefined;
  /** `NAME=env:VARIABLE`, `NAME=file:PATH` or `NAME=VALUE`. */
  readonly env?: readonly string[] | undefined;
  readonly header?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
  readonly private?: boolean | undefined;
  readonly outsideWalls?: boolean | undefined;
  /** One server's settings, or a file of another program with `mcpServers`. */
  readonly settings?: string | undefined;
}

/** Checks what was given, and says what is wrong with it by name. */
export function givenServers(given: GivenServer): readonly McpServer[] {
  const ways = [given.argv, given.url, given.settings].filter((way) => way !== undefined);
  if (ways.length !== 1) throw invalid("give one of: a program, `url`, `settings`", "argv");
  if (given.settings !== undefined) return pasted(given.settings, given.name);
  if (given.name === undefined) throw invalid("which name shall it have?", "name");
  // A path may have long names of any letters.
  const words = (given.argv ?? []).filter((word) => !word.includes("/"));
  refuseKeys(Object.fromEntries(words.map((word, at) => [`argv.${at}`, word])));
  const { url, cwd, agents, allow, deny, timeoutMs, outsideWalls } = given;
  if (cwd !== undefined && !isAbsolute(cwd)) throw invalid("`cwd` is an absolute path", "cwd");
  const [command, ...args] = given.argv ?? [];
  const tools = { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
  const settings = {
    ...(url === undefined ? { command, args } : { url }),
    ...(given.env === undefined ? {} : { env: pairs(given.env, "env") }),
    ...(given.header === undefined ? {} : { headers: pairs(given.header, "header") }),
    ...(given.private === true ? { shared: false } : {}),
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    ...Object.fromEntries(
      Object.entries({ cwd, agents, timeoutMs, outsideWalls }).filter(([, value]) => value !== undefined),
    ),
  };
  return [checked(given.name, settings)];
}

/** Text of another program: `{"mcpServers": {...}}`, `{"servers": {...}}`, servers by name, or one server's settings. */
function pasted(text: string, name: string | undefined): readonly McpServer[] {
  const given = parsed(text);
  if (!isJsonObject(given)) throw invalid("it is no JSON object", "settings");
  const inner = given["mcpServers"] ?? given["servers"] ?? given;
  if (!isJsonObject(inner)) throw invalid("`mcpServers` is no JSON object", "settings");
  if ("command" in inner || "url" in inner) {
    if (name === undefined) throw invalid("which name shall it have?", "name");
    return [checked(name, inner)];
  }
  const servers = Object.entries(inner).map(([key, one]) => checked(key, one));
  const chosen = name === undefined ? servers : servers.filter((one) => one.name === name);
  if (chosen.length === 0)
    throw invalid(name === undefined ? "it names no server" : `it has no server ${name}`, "settings");
  return chosen;
}

function checked(name: string, settings: unknown): McpServer {
  if (!McpServerName.safeParse(name).success)
    throw invalid(
      `${JSON.stringify(name.slice(0, 64))}: a name has letters, digits, \`.\`, \`_\` and \`-\`, 32 at most`,
      "name",
    );
  if (isJsonObject(settings) && settings["type"] === "sse")
    throw invalid(`${name}: the transport \`sse\` is not spoken here; its address for \`http\` is needed`, "type");
  const read = McpServerSettings.safeParse(withReferences(settings));
  if (read.success) return { name, settings: read.data };
  // Of a union only the branch that was meant says something useful.
  const isAddress = isJsonObject(settings) && "url" in settings;
  const issues = read.error.issues.flatMap((issue) =>
    issue.code === "invalid_union" ? (issue.errors[isAddress ? 1 : 0] ?? [issue]) : [issue],
  );
  const [issue] = issues;
  throw invalid(
    `${name}: \`${issue?.path.join(".") ?? ""}\`: ${issue?.message ?? "not valid"}`,
    String(issue?.path[0] ?? ""),
  );
}

/** `${NAME}` and `${env:NAME}`, as other programs write references, become ours. */
function withReferences(settings: unknown): unknown {
  if (!isJsonObject(settings)) return settings;
  const values = (member: unknown): unknown =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).map(([name, value]) => [name, reference(value)]))
      : member;
  return {
    ...settings,
    ...("env" in settings ? { env: values(settings["env"]) } : {}),
    ...("headers" in settings ? { headers: values(settings["headers"]) } : {}),
  };
}

function reference(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const [, prefix = "", name] = /^([^$]{0,100})\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value) ?? [];
  if (name === undefined) return value;
  return { env: name, ...(prefix === "" ? {} : { prefix }) };
}

function pairs(given: readonly string[], member: string): Record<string, unknown> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw invalid(`\`${member}\` is written NAME=env:VARIABLE, NAME=file:PATH or NAME=VALUE`, member);
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      const [, prefix = "", kind, source = ""] = /^([A-Za-z]+ )?(env|file):(.+)$/s.exec(value) ?? [];
      if (kind === undefined) {
        refuseKeys({ [`${member}.${name}`]: value });
        return [name, value];
      }
      if (kind === "file" && !isAbsolute(source)) throw invalid("`file:` needs an absolute path", member);
      return [name, { [kind]: source, ...(prefix === "" ? {} : { prefix }) }];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { line, column } = jsonFault(text) ?? { line: 1, column: 1 };
    const message = `\`config\`, line ${line}, column ${column}: this is not JSON.`;
    throw new NomosError("mcp_server_invalid", { field: "settings", line, column }, { message, cause });
  }
}

function invalid(reason: string, field: string): NomosError {
  return new NomosError(
    "mcp_server_invalid",
    { field, reason },
    { message: `This MCP server is not valid: ${reason}.` },
  );
}

function isJsonObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
