/**
 * The pool of MCP servers as the client under test of the official suite: connects to the address it is given, logs in
 * where it must, and calls every tool once. `conformance client --scenario NAME --command "node test/conformance/mcp-client.ts"`
 * runs it; what needs elicitation, a client registered beforehand, or more scopes than the login had is not offered.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { mcpServersHere } from "../support/mcp-servers-here.ts";

const LOGIN_MAX_MS = 10_000;
const url = process.argv.at(-1) ?? "";
await using here = await mcpServersHere({ suite: { url, timeoutMs: 10_000 } });
let offered = await here.tools();
if (offered.problems.some((problem) => problem.includes("login"))) {
  const { page } = await here.servers.login("suite");
  await (await fetch(page)).text();
  const untilMs = performance.now() + LOGIN_MAX_MS;
  while (here.logged.length === 0 && performance.now() < untilMs) await sleep(20);
  offered = await here.tools();
}
for (const { name, input } of offered.tools)
  await here.call(name, sampleOf(input)).catch((thrown: unknown) => console.error(name, String(thrown)));
for (const problem of [...offered.problems, ...here.logged]) console.error(problem);
process.exitCode = offered.problems.length === 0 ? 0 : 1;

/** Something that fits the types of the members. */
function sampleOf(schema: { readonly [key: string]: unknown }): { readonly [key: string]: string | number | boolean } {
  const members = Object.entries(
    (schema["properties"] ?? {}) as { readonly [name: string]: { readonly type?: string } },
  );
  return Object.fromEntries(
    members.map(([name, { type }]) => [
      name,
      type === "number" || type === "integer" ? 5 : type === "boolean" ? true : "x",
    ]),
  );
}
