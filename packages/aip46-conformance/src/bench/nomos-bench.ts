import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, member } from "../expect.ts";
import { createTalk } from "../wire/talk.ts";
import { createAsk } from "./ask.ts";
import { type Bench, type BenchOptions, KEEP_ALIVE_MAX_MS, type OpenedBench } from "./bench.ts";

const SLUG = "aip46-bench";
const SESSION_CAPABILITIES = ["session.read", "session.spawn", "session.list", "session.prompt", "session.kill"];

/** A Nomos daemon. Its demo driver is the agent, and this process is reported as an external agent. */
export async function openNomosBench({ url, token, restart }: BenchOptions): Promise<OpenedBench> {
  const talk = createTalk(url, token);
  const ask = createAsk(talk);
  const aip46 = member(await ask("GET", "/api/conformance"), "aip46");
  const home = String(member(await ask("GET", "/api/status"), "home"));
  const active = member(await ask("GET", "/api/workspaces"), "active");
  const { delegationDepthMax = null, delegationChildrenMax = null } = limitsIn(await ask("GET", "/api/config"));
  const folder = await realpath(await mkdtemp(join(tmpdir(), "aip46-bench-")));
  await ask("POST", "/api/workspaces", { slug: SLUG, path: folder });
  const agents = new Set<string>();
  const drivers = new Set<string>();
  const tokens: string[] = [];

  /** Adds an ACP agent by a manifest; replaces an earlier one of that name. */
  const driver = async (name: string, ...args: readonly string[]): Promise<string> => {
    const id = `${SLUG}-${name}`;
    const file = fileURLToPath(new URL("../memory-agent.ts", import.meta.url));
    const about = { id, name: id, description: "for the cases of AIP-46", protocol: "acp" };
    const manifest = JSON.stringify({ ...about, bin: process.execPath, bin_args: [file, ...args] });
    await ask("POST", "/api/drivers", { manifest });
    drivers.add(id);
    return id;
  };
  const external = async (): Promise<string> =>
    String(member(await ask("POST", "/sessions/external", { pid: process.pid, cwd: folder }), "id"));
  const workspaces = workspacesBy(ask, talk.call);
  const bench: Bench = {
    ...talk,
    spawnBody: { adapter: "demo", ground: `ws://workspaces/${SLUG}` },
    prompts: {
      say: (text) => `say ${text}`,
      complain: (text) => `run echo ${text} >&2`,
      work: () => "sleep 600000",
      remember: (word) => `write .remembered ${word}`,
      recall: () => "run cat .remembered",
      breed: (mark) => `run (: ${mark}; sleep 600; :) & : ${mark}; sleep 600; :`,
    },
    memory: {
      body: { adapter: await driver("memory") },
      remember: (word) => `remember ${word}`,
      recall: () => "recall",
    },
    uninstalled: uninstalledIn(await ask("GET", "/api/drivers")),
    stillborn: async (word) => {
      const adapter = await driver("stillborn", "--last-words", word);
      const body = { adapter, ground: `ws://workspaces/${SLUG}`, prompt: "recall" };
      return String(member(await ask("POST", "/sessions/agent", body), "id"));
    },
    leaving: async (exitCode) => {
      const id = await external();
      await ask("POST", `/sessions/${id}/finish`, { exitCode });
      return id;
    },
    uncancellable: async () => {
      const id = await external();
      await ask("POST", `/sessions/${id}/turns`, { input: "somebody else works on this" });
      return id;
    },
    restart,
    machine: "same",
    legacyFile: join(home, "sessions.json"),
    workspaces,
    delegation: {
      adapter: "demo",
      agent: async (slug, delegatesTo) => {
        agents.add(slug);
        await talk.call("DELETE", `/api/agents/${slug}`);
        await ask("POST", "/api/agents", { slug, driver: "demo", delegatesTo });
      },
      tokenOf: async (sessionId) => {
        const issued = await ask("POST", "/api/tokens", { sessionId, capabilities: SESSION_CAPABILITIES });
        tokens.push(String(member(issued, "tokenId")));
        return String(member(issued, "secret"));
      },
      limit: async ({ depthMax, childrenMax }) => {
        const config = { delegationDepthMax: depthMax, delegationChildrenMax: childrenMax };
        await ask("PUT", "/api/config", { config });
      },
      outlook: async (sessionId) => {
        const judged = member(await ask("GET", `/sessions/${sessionId}/delegates`), "agents");
        expect(Array.isArray(judged), "no list of agents");
        return new Map(judged.map((one) => [String(member(one, "slug")), member(one, "allowed") === true]));
      },
    },
    deviations: casesIn(member(aip46, "deviations")),
    inapplicable: casesIn(member(aip46, "inapplicable")),
    keepAliveMaxMs: KEEP_ALIVE_MAX_MS,
    bucketSessions: [300, 8],
  };
  return {
    bench,
    close: async () => {
      for (const slug of drivers) await talk.call("DELETE", `/api/drivers/${slug}`);
      // A driver brings an agent of its own name, which remains when the driver is removed.
      for (const slug of [...agents, ...drivers]) await talk.call("DELETE", `/api/agents/${slug}`);
      for (const tokenId of tokens) await talk.call("DELETE", `/api/tokens/${tokenId}`);
      await talk.call("PUT", "/api/config", { body: { config: { delegationDepthMax, delegationChildrenMax } } });
      await workspaces.remove(SLUG);
      if (typeof active === "string") await workspaces.use(active);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function workspacesBy(
  ask: (method: string, path: string, body?: unknown) => Promise<unknown>,
  call: Bench["call"],
): NonNullable<Bench["workspaces"]> {
  return {
    add: async (slug, path) => void (await ask("POST", "/api/workspaces", { slug, path })),
    remove: async (slug) => void (await call("DELETE", `/api/workspaces/${slug}`)),
    use: async (slug) => {
      if (slug !== null) return void (await ask("POST", `/api/workspaces/${slug}/use`));
      const known = await ask("GET", "/api/workspaces");
      const now = member(known, "active");
      const list = member(known, "workspaces");
      const path = Array.isArray(list)
        ? member(
            list.find((one) => member(one, "slug") === now),
            "path",
          )
        : null;
      if (typeof now !== "string") return;
      await ask("DELETE", `/api/workspaces/${now}`);
      await ask("POST", "/api/workspaces", { slug: now, path });
    },
  };
}

function limitsIn(shown: unknown): Record<string, unknown> {
  const config = member(shown, "config");
  return typeof config === "object" && config !== null ? { ...config } : {};
}

function uninstalledIn(shown: unknown): string | null {
  const list = member(shown, "drivers");
  const found = Array.isArray(list) ? list.find((one) => member(one, "installed") === false) : undefined;
  return found === undefined ? null : String(member(found, "slug"));
}

function casesIn(list: unknown): readonly number[] {
  return Array.isArray(list) ? list.map((one) => Number(member(one, "case"))) : [];
}
