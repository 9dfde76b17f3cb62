import { eventually, expect, member } from "../expect.ts";
import type { Case } from "./case.ts";

const CURRENT = ["agent_start", "agent_prompt", "agent_sessions_list", "agent_output", "agent_kill"];
const OLDER = [
  "start_agent_session",
  "prompt_agent_session",
  "list_agent_sessions",
  "get_agent_session_output",
  "kill_agent_session",
];

/** Sessions over MCP. */
export const mcpCases: readonly Case[] = [
  {
    number: 27,
    title: "the five tools are there, under their present and their older names",
    run: async ({ mcp }) => {
      const tools = await (await mcp()).tools();
      const missing = [...CURRENT, ...OLDER].filter((name) => !tools.includes(name));
      expect(missing.length === 0, `missing: ${missing.join(", ")}`);
    },
  },
  {
    number: 28,
    title: "HTTP and MCP act on the same sessions",
    run: async ({ mcp, bench, adopt, list, prompt, show, status, unique }) => {
      const tools = await mcp();
      const started = await tools.tool("agent_start", { ...bench.spawnBody });
      expect(!started.isError, `agent_start: ${started.text.slice(0, 200)}`);
      const id = adopt(String(member(started.value, "id")));
      expect(
        (await list()).some((session) => session.id === id),
        "it is not in GET /sessions",
      );
      await status(id, "running");
      const word = unique("both");
      expect((await prompt(id, bench.prompts.say(word))).status === 200, "the prompt over HTTP is refused");
      await eventually("agent_output has what was said", async () =>
        (await tools.tool("agent_output", { sessionId: id })).text.includes(word),
      );
      const killed = await tools.tool("agent_kill", { sessionId: id });
      expect(!killed.isError && member(killed.value, "ok") === true, "agent_kill is not ok");
      expect((await show(id)).status === "killed", "over HTTP it is not killed");
    },
  },
  {
    number: 29,
    title: "onlyAlive and lastN do what they say",
    run: async ({ mcp, spawn, post, turn, bench, output, unique }) => {
      const tools = await mcp();
      const [dead, alive] = [await spawn(), await spawn()];
      await post(`/sessions/${dead.id}/kill`);
      const listed = await tools.tool("agent_sessions_list", { onlyAlive: true });
      const sessions = member(listed.value, "sessions");
      expect(Array.isArray(sessions), "no list of sessions");
      const ids = sessions.map((session) => member(session, "id"));
      expect(ids.includes(alive.id) && !ids.includes(dead.id), "onlyAlive lists the wrong ones");
      for (const word of [unique("a"), unique("b"), unique("c")]) await turn(alive.id, bench.prompts.say(word), word);
      const all = await output(alive.id);
      const three = await output(alive.id, 3);
      expect(
        JSON.stringify(three) === JSON.stringify(all.slice(-3)),
        `lastN: 3 brings ${three.length} lines, or others`,
      );
    },
  },
  {
    number: 30,
    title: "agent_prompt to a busy session is an error",
    run: async ({ mcp, spawn, prompt, bench }) => {
      const tools = await mcp();
      const { id } = await spawn();
      await prompt(id, bench.prompts.work());
      const answer = await tools.tool("agent_prompt", { sessionId: id, prompt: bench.prompts.say("no") });
      expect(answer.isError, "it is taken");
    },
  },
];
