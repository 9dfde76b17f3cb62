/** `mcp-server.add` is `mcpServer.add` in programs. */
export function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}
