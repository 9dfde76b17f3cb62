import { expect, member } from "../expect.ts";
import { createTalk } from "../wire/talk.ts";
import { createAsk } from "./ask.ts";
import { type Bench, type BenchOptions, KEEP_ALIVE_MAX_MS, type OpenedBench } from "./bench.ts";

/**
 * Any server that is not Nomos. Its adapter understands `say`, `err`, `sleep`, `remember`, `recall`, `breed` and `exit`.
 * What AIP-46 leaves open it provides under /conformance, as the README describes. Cases that need more are not run.
 */
export async function openPlainBench(options: BenchOptions): Promise<OpenedBench> {
  const talk = createTalk(options.url, options.token);
  const offer = (await talk.call("GET", "/conformance")).body;
  const offers = (what: string): boolean => member(offer, what) === true;
  const ask = createAsk(talk);
  const body = { adapter: options.adapter, ...(options.ground === null ? {} : { ground: options.ground }) };
  const spawn = async (more: object): Promise<string> =>
    String(member(await ask("POST", "/sessions/agent", { ...body, ...more }), "id"));
  const keepAlive = member(offer, "keepAliveMaxMs");
  const legacy = member(offer, "legacyFile");
  const bench: Bench = {
    ...talk,
    spawnBody: body,
    prompts: {
      say: (text) => `say ${text}`,
      complain: (text) => `err ${text}`,
      work: () => "sleep 600000",
      remember: (word) => `remember ${word}`,
      recall: () => "recall",
      breed: (mark) => `breed ${mark}`,
    },
    memory: { body: {}, remember: (word) => `remember ${word}`, recall: () => "recall" },
    uninstalled: null,
    stillborn: offers("stillborn") ? (word) => spawn({ adapter: `${options.adapter}-stillborn`, label: word }) : null,
    leaving: offers("leaving") ? (exitCode) => spawn({ prompt: `exit ${exitCode}` }) : null,
    uncancellable: offers("uncancellable")
      ? () => spawn({ adapter: `${options.adapter}-uncancellable`, prompt: "sleep 600000" })
      : null,
    restart: options.restart,
    machine: options.isRemote ? null : "same",
    legacyFile: typeof legacy === "string" ? legacy : null,
    workspaces: offers("workspaces")
      ? {
          add: async (slug, path) => void (await ask("POST", "/workspaces", { slug, path })),
          use: async (slug) => void (await ask("PUT", "/workspaces/active", { slug })),
          remove: async (slug) => void (await talk.call("DELETE", `/workspaces/${slug}`)),
        }
      : null,
    delegation: offers("delegation")
      ? {
          adapter: options.adapter,
          agent: async (slug, delegatesTo) =>
            void (await ask("POST", "/conformance/agents", { slug, delegates_to: delegatesTo })),
          tokenOf: async (sessionId) =>
            String(member(await ask("POST", "/conformance/tokens", { sessionId }), "token")),
          limit: async (limits) => void (await ask("POST", "/conformance/limits", limits)),
          outlook: async (sessionId) => {
            const judged = member(await ask("GET", `/sessions/${sessionId}/delegates`), "agents");
            expect(Array.isArray(judged), "no list of agents");
            return new Map(judged.map((one) => [String(member(one, "slug")), member(one, "allowed") === true]));
          },
        }
      : null,
    deviations: numbersIn(member(offer, "deviations")),
    inapplicable: numbersIn(member(offer, "inapplicable")),
    keepAliveMaxMs: typeof keepAlive === "number" ? keepAlive : KEEP_ALIVE_MAX_MS,
    bucketSessions: [300, 8],
  };
  return { bench, close: async () => undefined };
}

function numbersIn(list: unknown): readonly number[] {
  return Array.isArray(list) ? list.map(Number) : [];
}
