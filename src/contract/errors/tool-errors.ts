import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of tools that the daemon runs, and of MCP servers. */
export const TOOL_ERRORS = {
  mcp_server_not_found: entry(
    404,
    4,
    "There is no such MCP server.",
    "Run `nomos mcp-server list` to see the servers, or `nomos mcp-server add` to add one.",
  ),
  mcp_server_exists: entry(
    409,
    5,
    "An MCP server with this name exists already.",
    "Choose another name, or add it with `--replace`.",
  ),
  mcp_server_invalid: entry(
    400,
    2,
    "This setting of an MCP server is not valid.",
    "Give a program (`nomos mcp-server add NAME -- PROGRAM ARGS`), an address (`--url URL`), or `--settings FILE` with `mcpServers`.",
  ),
  mcp_server_failed: entry(
    502,
    6,
    "The MCP server cannot be used.",
    "Run `nomos mcp-server test NAME` to see what is wrong.",
  ),
  mcp_login_needed: entry(401, 3, "The MCP server wants a login.", "Run `nomos mcp-server login NAME`."),
  mcp_login_failed: entry(502, 1, "The login to the MCP server failed.", "Try again: `nomos mcp-server login NAME`."),
  mcp_login_unsupported: entry(
    409,
    5,
    "This MCP server has no login.",
    "Only servers with an address log in. A program takes its secrets from `env`.",
  ),
  tool_not_found: entry(
    404,
    4,
    "This session has no such tool.",
    "Run `nomos tool list ID` to see its tools, and why others are missing.",
  ),
  no_running_turn: entry(
    409,
    5,
    "The session runs no turn, so it cannot call a tool.",
    "Call it while a turn runs: each call is an effect of a turn, judged by the gate and recorded.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
