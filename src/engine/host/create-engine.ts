import { fileURLToPath } from "node:url";
import type { Clock } from "../../host/index.ts";
import {
  type AgentHost,
  CutError,
  type Driver,
  DriverError,
  type ServedTools,
  type ToolSession,
  type TurnPort,
} from "../../turns/index.ts";
import type { BreakerReport, Engine, ModelTest } from "../engine.ts";
import { type ComposeSources, composeSystem } from "./compose.ts";
import { type EngineProcess, openEngineProcess } from "./engine-process.ts";
import { offerTools, specOf } from "./offered-tools.ts";
import { createReplays } from "./replay-host.ts";
import {
  chosenModel,
  keySourceOf,
  listedModels,
  type ModelSources,
  requireModel,
  resolveModel,
  resolveModels,
  tokenOf,
} from "./resolve-models.ts";
import { serveCalls } from "./serve-call.ts";
import { type EngineSettings, limitsOf } from "./turn-limits.ts";

export interface EngineParts extends ModelSources {
  readonly host: AgentHost;
  readonly clock: Clock;
  /** `engine` of the configuration. */
  readonly settings: () => EngineSettings;
  readonly compose: ComposeSources;
  /** Tools that the daemon runs for a session, beside those of the engine. */
  readonly tools: (session: ToolSession) => Promise<ServedTools>;
  /** The directory of the engine's process. It works in none of the sessions' directories. */
  readonly cwd: string;
  readonly log: (message: string, details: object) => void;
}

const SLUG = "nomos";
const TOKEN_MAX_MS = 30_000;

/** The own engine: a driver whose loop runs in one process for all sessions, apart from the daemon. */
export function createEngine(parts: EngineParts): Engine {
  const { clock, log } = parts;
  const known = new Map<string, { readonly pathKey: string; readonly upTo: number }>();
  const sessions = new Set<string>();
  let breakers: readonly BreakerReport[] = [];
  let current: EngineProcess | null = null;
  let crashes = 0;
  let isStopping = false;

  const begin = (): EngineProcess => {
    const argv = [process.execPath, fileURLToPath(new URL("../process/main.ts", import.meta.url))];
    const order = { slug: SLUG, label: "engine", cwd: parts.cwd, argv, env: {}, shown: [], walledFor: null };
    const started = openEngineProcess(parts.host.spawn(order), {
      clock,
      log,
      onBreakers: (all) => {
        breakers = all;
      },
    });
    void started.ended.then(() => {
      if (current !== started) return;
      current = null;
      breakers = [];
      known.clear();
      if (!isStopping) crashes += 1;
    });
    return started;
  };
  const running = (): EngineProcess => {
    if (isStopping) throw new CutError("the daemon stops");
    current ??= begin();
    return current;
  };

  const runTurn = async (port: TurnPort): Promise<void> => {
    const { sessionId, turnId, signal, past } = port;
    const name = chosenModel(parts, port.settings.model);
    const engine = running();
    sessions.add(sessionId);
    const { fallbacks = [] } = parts.configured();
    const summary = parts.settings().compaction?.model;
    const cached = known.get(sessionId);
    const after = cached?.pathKey === past.pathKey ? cached.upTo : null;
    const [models, summaryModel, system, events, offered] = await Promise.all([
      resolveModels(parts, name, fallbacks, sessionId),
      // Without its own model, a summary is written by the one that answers.
      summary === undefined ? null : resolveModel(parts, summary, sessionId).catch(() => null),
      composeSystem(port, parts.compose),
      past.history(after ?? undefined),
      offerTools(parts.tools, port),
    ]);
    await tellProblems(port, offered.problems);
    known.set(sessionId, { pathKey: past.pathKey, upTo: events.at(-1)?.seq ?? after ?? 0 });
    const token = (model: string) => tokenOf(parts, model, signal);
    const answer = serveCalls(port, { token, serve: offered.serve });
    const order = {
      ...{ sessionId, turnId, models, summaryModel, system, events, after },
      cwd: port.spec.cwd,
      prompt: port.prompt,
      limits: limitsOf(parts.settings(), port.settings.options),
      isResumed: port.isResumed,
      pathKey: past.pathKey,
      served: offered.specs,
    };
    await engine.run(order, { call: answer, stream: port.stream, signal });
  };

  const driver: Driver = {
    slug: SLUG,
    summary: "the own engine: any model, on the log",
    continuity: "native",
    actsByEffects: true,
    continues: true,
    check: async () => undefined,
    checkSettings: ({ mode, model }) => {
      if (mode != null) throw new DriverError("unknown_mode", "the engine has no modes", { mode });
      if (model != null) requireModel(parts, model);
    },
    runTurn,
    keeps: {
      release: async (sessionId) => {
        sessions.delete(sessionId);
        known.delete(sessionId);
        current?.forget(sessionId);
      },
      // Starting the process takes longer than everything else before the first request.
      expect: () => {
        if (!isStopping) running();
      },
    },
  };

  return {
    driver,
    context: async (history, { chosen, ...session }) => {
      const model = await resolveModel(parts, chosenModel(parts, chosen));
      // Tools and providers are not loaded into the daemon before somebody asks.
      const { contextOf } = await import("../context.ts");
      const { tools } = await parts.tools({ ...session, ask: null });
      return contextOf(history, model, tools.map(specOf));
    },
    testModel: (name) => testModel(parts, running, name),
    replay: createReplays({ sources: parts, running, limits: (options) => limitsOf(parts.settings(), options) }),
    models: () => listedModels(parts),
    warm: async () => {
      const name = parts.configured().default;
      if (name === undefined) return;
      const model = await resolveModel(parts, name);
      running().warm(model);
    },
    breakers: () => breakers,
    state: () => ({ pid: current?.pid ?? null, sessions: sessions.size, turns: current?.turns() ?? 0, crashes }),
    stop: async () => {
      isStopping = true;
      await current?.stop();
    },
  };
}

async function testModel(parts: EngineParts, running: () => EngineProcess, name: string): Promise<ModelTest> {
  const [model, keyFrom] = [await resolveModel(parts, name), keySourceOf(parts, name)];
  const token = model.hasToken === true ? await tokenOf(parts, name, AbortSignal.timeout(TOKEN_MAX_MS)) : null;
  return { ...(await running().test({ model, token, keyFrom })), model: name };
}

const TITLE_CHARS = 500;

/** A tool that cannot be offered is no reason to fail the turn, but a person and the model's keeper should know. */
async function tellProblems({ turnId, record }: TurnPort, problems: readonly string[]): Promise<void> {
  if (problems.length === 0) return;
  const lines = problems.map((problem) => problem.split("\n", 1)[0] ?? "");
  const title = `not all tools can be offered: ${lines.join("; ")}`.slice(0, TITLE_CHARS);
  const text = problems.join("\n");
  const body = { text, blob: null, bytes: Buffer.byteLength(text) };
  await record([{ type: "driver.noticed@1", data: { turnId, severity: "warning", title, body } }]);
}
