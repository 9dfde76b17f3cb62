import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createJsonClient, type JsonClient } from "../api-client.ts";
import { type RunningDaemon, startDaemon } from "../daemon.ts";
import { FAKE_AGENT, homeWithFakeAgent } from "../fake-agents.ts";
import { type Bench, type Figure, timedMs } from "../harness.ts";
import { folderMaker, peerEnvironment } from "./environment.ts";
import { type Launch, nomosLaunch, startFigures, startPeer } from "./server.ts";
import { versus } from "./turns.ts";

const PROMPTS = { warmUp: 5, measured: 50 };
const PROMPTS_QUICK = { warmUp: 1, measured: 5 };
const FIRST_TURNS = { warmUp: 1, measured: 7 };
const FIRST_TURNS_QUICK = { warmUp: 1, measured: 2 };
const PROMPT = "say hello";

/** sandbox-agent's server: agents over ACP behind HTTP, with nothing stored. The same agent runs behind both. */
export async function measureSandboxAgent(bench: Bench, modules: string): Promise<readonly Figure[]> {
  const folder = folderMaker(bench.scratch, "sandbox-agent");
  const [home, work] = [folder("home"), folder("work")];
  layFakeAgent(home);
  const ours = homeWithFakeAgent(bench.scratch, "peers-sandbox-agent");
  const product = await bench.product();
  const peer = sandboxAgentLaunch(modules, home);
  const launches = { nomos: nomosLaunch(product, ours), peer };
  const starts = await startFigures(bench, "sandbox-agent", "sandbox-agent server", launches);
  await using daemon = await startDaemon(product, ours);
  await using server = await startPeer(peer);
  const client = createJsonClient(server.port, {});
  try {
    const mine = createNomosTurns(daemon, work);
    const theirs = createTheirTurns(client, work);
    const [id, session] = [await mine.first(), await theirs.first()];
    const figure = (name: string, what: string) => ({
      name: `peers.sandbox-agent.${name}`,
      what: `${what}, over HTTP; ours is in the log, flushed, theirs is kept nowhere`,
      peer: "sandbox-agent, the same agent",
    });
    return [
      ...starts,
      await versus(
        figure("prompt", "a prompt to a session whose agent runs, until its turn has ended"),
        bench.quick ? PROMPTS_QUICK : PROMPTS,
        { nomos: () => timedMs(() => mine.prompt(id)), peer: () => timedMs(() => theirs.prompt(session)) },
      ),
      await versus(
        figure("first-turn", "a new session, its agent started, its first turn until the end"),
        bench.quick ? FIRST_TURNS_QUICK : FIRST_TURNS,
        { nomos: () => timedMs(mine.first), peer: () => timedMs(theirs.first) },
      ),
    ];
  } finally {
    client.close();
  }
}

function sandboxAgentLaunch(modules: string, home: string): Launch {
  // The binary itself: the package's own command is a Node that starts it.
  const binary = join(modules, "@sandbox-agent", `cli-${process.platform}-${process.arch}`, "bin", "sandbox-agent");
  return {
    argv: (port) => [binary, "server", "--no-telemetry", "--no-token", "--host", "127.0.0.1", "--port", String(port)],
    env: peerEnvironment(home),
    cwd: home,
    health: "/v1/health",
  };
}

/** In the place of its own mock agent, so that both drive the same one. */
function layFakeAgent(home: string): void {
  const folder = join(home, ".local", "share", "sandbox-agent", "bin", "agent_processes");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "mock-acp"), `#!/bin/sh\nexec '${process.execPath}' '${FAKE_AGENT}'\n`, { mode: 0o755 });
}

function createNomosTurns({ api }: RunningDaemon, cwd: string) {
  return {
    first: async (): Promise<string> => {
      const { id } = await api.call("POST", "/sessions/agent", { adapter: "fake", cwd, prompt: PROMPT });
      await api.call("GET", `/sessions/${String(id)}/wait`);
      return String(id);
    },
    prompt: async (id: string): Promise<void> => {
      const { turnId } = await api.call("POST", `/sessions/${id}/prompt`, { prompt: PROMPT });
      await api.call("GET", `/sessions/${id}/wait?turnId=${String(turnId)}`);
    },
  };
}

const Answer = z.object({ result: z.looseObject({ sessionId: z.string().optional() }) });

/** One ACP request is one POST, answered when the agent has answered; the first one to a new id starts the agent. */
function createTheirTurns({ call }: JsonClient, cwd: string) {
  let asked = 0;
  const ask = async (path: string, method: string, params: object) => {
    asked += 1;
    const answer = await call("POST", `/v1/acp/${path}`, { jsonrpc: "2.0", id: asked, method, params });
    return Answer.parse(answer).result;
  };
  const prompt = async ({ agent, sessionId }: TheirSession): Promise<void> => {
    await ask(agent, "session/prompt", { sessionId, prompt: [{ type: "text", text: PROMPT }] });
  };
  return {
    prompt,
    first: async (): Promise<TheirSession> => {
      const agent = `bench-${asked}`;
      await ask(`${agent}?agent=mock`, "initialize", { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId = "" } = await ask(agent, "session/new", { cwd, mcpServers: [] });
      await prompt({ agent, sessionId });
      return { agent, sessionId };
    },
  };
}

interface TheirSession {
  readonly agent: string;
  readonly sessionId: string;
}
