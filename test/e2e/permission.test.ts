import { afterAll, beforeAll, expect, vi } from "vitest";
import type { Answer, TestDaemon } from "../support/daemon.ts";
import { mcpClient } from "../support/mcp-client.ts";
import { proves } from "../support/proves.ts";
import { CALLER, callAs } from "./support/caller.ts";
import { plantDriver } from "./support/driver-file.ts";
import { startWithAgents } from "./support/fake-agents.ts";
import { eventsOf, expectOk, expectRefusal, linesOf, newFolder, PATIENCE, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

interface Explained {
  readonly verdict: string;
  readonly rules: readonly string[];
}

let daemon: TestDaemon;
beforeAll(async () => {
  const rules = [{ id: "no law", effect: "deny", verb: "agent.edit", resource: "session/*/path/law/**" }];
  daemon = await startWithAgents({ fake: [] }, { policy: { rules } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const path = (principal: string, verb: string, resource: string) =>
  `/api/permissions/${encodeURIComponent(principal)}/explain?verb=${verb}&resource=${encodeURIComponent(resource)}`;
const ask = (principal: string, verb: string, resource: string, token?: string): Promise<Answer<Explained>> =>
  daemon.call(
    "GET",
    path(principal, verb, resource),
    undefined,
    token === undefined ? {} : { authorization: `Bearer ${token}` },
  );
const explain = async (...asked: Parameters<typeof ask>): Promise<Explained> => expectOk(await ask(...asked));
const issue = async (capabilities: readonly string[]) =>
  expectOk(await daemon.call<{ secret: string; tokenId: string }>("POST", "/api/tokens", { capabilities }), 201);

proves(
  "GATE-6",
  "the operator, a role, a token and a session's own token are explained as the gate would decide",
  async () => {
    const { id } = await start(daemon, { adapter: "fake" });
    const other = await start(daemon, { adapter: "fake" });
    expect(await explain("operator", "system.admin", "system")).toEqual({ verdict: "allow", rules: ["default"] });
    expect(await explain("role:viewer", "session.kill", `session/${id}`)).toEqual({
      verdict: "deny",
      rules: ["capability:session.kill"],
    });
    expect(await explain("viewer", "session.read", `session/${id}`)).toMatchObject({ verdict: "allow" });
    const { tokenId } = await issue(["session.read"]);
    expect(await explain(`token:${tokenId}`, "session.read", `session/${id}`)).toMatchObject({ verdict: "allow" });
    expect(await explain(`token:${tokenId}`, "audit.read", "system")).toMatchObject({ verdict: "deny" });
    expect(await explain(`session:${id}`, "session.read", `session/${id}`)).toMatchObject({ verdict: "allow" });
    expect(await explain(`session:${id}`, "session.read", `session/${other.id}`)).toEqual({
      verdict: "deny",
      rules: ["own_session_only"],
    });
    expect(await explain(`session:${id}`, "agent.read", "system")).toMatchObject({ rules: ["capability:agent.read"] });
    expect(await explain("operator", "no.such", "system")).toEqual({ verdict: "deny", rules: ["unknown_verb"] });
  },
);

proves(
  "GATE-6",
  "the tools of a session and of an agent are explained with rules, tool policy and places",
  async () => {
    const tools = { execute: "never", write: "always_ask" };
    expectOk(await daemon.call("POST", "/api/agents", { slug: "held", driver: "fake", tools }), 201);
    const { id } = await start(daemon, { adapter: "fake", agent: "held", cwd: await newFolder() });
    for (const principal of [`session:${id}`, "agent:held", "held"]) {
      expect(await explain(principal, "agent.execute", "command/ls")).toMatchObject({ verdict: "deny" });
      expect(await explain(principal, "agent.edit", "path/law/a")).toEqual({ verdict: "deny", rules: ["no law"] });
      expect(await explain(principal, "agent.edit", "path/src/a")).toMatchObject({ verdict: "ask" });
      expect(await explain(principal, "tool.write", "path/a")).toMatchObject({ verdict: "ask" });
      expect(await explain(principal, "tool.run", "command/ls")).toMatchObject({ verdict: "allow" });
    }
    expect(await explain(`session:${id}`, "agent.edit", "path/x/../law/a")).toMatchObject({ rules: ["no law"] });
    expect(await explain(`session:${id}`, "agent.edit", `session/${id}/path/law/a`)).toMatchObject({
      rules: ["no law"],
    });
    expect(await explain(`session:${id}`, "agent.read", `outside${daemon.home}/token`)).toMatchObject({
      verdict: "deny",
    });
    expect(await explain(`session:${id}`, "tool.write", "path/../x")).toEqual({
      verdict: "deny",
      rules: ["path_outside"],
    });
  },
);

proves("GATE-6", "what is explained is what happens: the agent's request gets the verdict that was told", async () => {
  const { id } = await start(daemon, { adapter: "fake" });
  expect(await explain(`session:${id}`, "agent.edit", "path/law/a")).toMatchObject({ verdict: "deny" });
  await turn(daemon, id, 'permit {"kind":"edit","locations":[{"path":"law/a"}]}');
  expect((await linesOf(daemon, id)).join("\n")).toContain('"optionId":"n"');
  const [denied] = await eventsOf(daemon, id, "types=gate.denied");
  expect(denied?.data).toMatchObject({ verb: "agent.edit", resource: "path/law/a", rules: ["no law"] });
});

proves("GATE-6", "anybody may ask about themselves, and nobody but the operator about others", async () => {
  const { secret, tokenId } = await issue(["session.list"]);
  expect(await explain("self", "session.list", "system", secret)).toMatchObject({ verdict: "allow" });
  expect(await explain(`token:${tokenId}`, "audit.read", "system", secret)).toMatchObject({ verdict: "deny" });
  const viewer = await issue(["session.read", "audit.read"]);
  for (const other of ["operator", "role:viewer", `token:${tokenId}`, "agent:fake", "token:nobody"])
    expectRefusal(await ask(other, "session.list", "system", viewer.secret), 403, "denied");
  const { id } = await start(daemon, { adapter: "script", file: await plantDriver(CALLER) });
  const neighbour = await start(daemon, { adapter: "fake" });
  const answers = await callAs(daemon, id, [
    ["GET", path("self", "session.kill", "session/self")],
    ["GET", path(`session:${id}`, "session.label", `session/${id}`)],
    ["GET", path(`session:${neighbour.id}`, "session.read", `session/${neighbour.id}`)],
    ["GET", path("operator", "system.admin", "system")],
  ]);
  expect(answers.map(([status]) => status)).toEqual([200, 200, 403, 403]);
});

proves("GATE-6", "an unknown principal is refused with where to look, the same on every surface", async () => {
  for (const principal of [
    "nobody",
    "token:x",
    "session:x",
    "role:king",
    "role:below",
    "agent:",
    "constructor",
    "role:__proto__",
  ])
    expectRefusal(await ask(principal, "session.list", "system"), 404, "principal_not_found");
  const told = await daemon.cli("permission", "explain", "agent:fake", "agent.edit", "path/law/a", "--json");
  expect(JSON.parse(told.stdout)).toEqual({ verdict: "deny", rules: ["no law"] });
  expect(await daemon.cli("permission", "explain", "nobody", "a.b", "system")).toMatchObject({ exitCode: 4 });
  const client = await mcpClient({ url: daemon.url, token: daemon.token }, "2025-11-25");
  const { structuredContent } = await client.callTool({
    name: "permission_explain",
    arguments: { principal: "agent:fake", verb: "agent.edit", resource: "path/law/a" },
  });
  expect(structuredContent).toEqual({ verdict: "deny", rules: ["no law"] });
});
