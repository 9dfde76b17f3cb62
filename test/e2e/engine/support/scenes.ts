import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import {
  type Behaviour,
  type ModelServer,
  type SeenRequest,
  startModelServer,
} from "../../../engine/model-server/index.ts";
import { type DaemonStart, newHome, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { ended, eventsOf, prompt, type Session, start } from "../../support/talk.ts";
import { divergedSessions } from "./replay-all.ts";

/** A daemon with the own engine, and a scripted model server that every provider of its configuration leads to. */
export interface Stage extends AsyncDisposable {
  readonly daemon: () => TestDaemon;
  readonly server: ModelServer;
  readonly home: string;
  /** A provider of its own, so that cases share neither answers nor a circuit breaker. */
  readonly scene: () => Scene;
  /** Kills the daemon like a power cut and starts the next one on the same home. */
  readonly restart: (how?: "kill9" | "stop") => Promise<TestDaemon>;
}

export interface Scene {
  /** NAME/MODEL with a large window, over OpenAI's chat format. */
  readonly model: string;
  /** The same endpoint with a window of `SMALL_WINDOW` tokens. */
  readonly small: string;
  /** The same endpoint in Anthropic's format. */
  readonly anthropic: string;
  /** Answers for the next requests. Without one, the request's `@script` is followed. */
  readonly queue: (...behaviours: readonly Behaviour[]) => void;
  /** Decides for requests that the queue has no answer for. */
  readonly decide: (choose: (request: SeenRequest) => Behaviour | null) => void;
  readonly requests: () => readonly SeenRequest[];
}

export const SMALL_WINDOW = 20_000;
const SCENES_MAX = 40;

export async function openStage(
  config: Readonly<Record<string, unknown>> = {},
  start: Omit<DaemonStart, "home"> = {},
): Promise<Stage> {
  const server = await startModelServer();
  const home = await newHome();
  await mkdir(home, { recursive: true, mode: 0o700 });
  const providers = Object.fromEntries(
    Array.from({ length: SCENES_MAX }, (_, n) => n).flatMap((n) => [
      [`p${n}`, providerAt(`${server.url}/p${n}/v1`, "openai-chat")],
      [`a${n}`, { ...providerAt(`${server.url}/p${n}/v1`, "anthropic"), key: { env: "TEST_MODEL_KEY" } }],
    ]),
  );
  const { models = {}, ...rest } = config as { readonly models?: { readonly providers?: object } };
  const all = { ...models, providers: { ...providers, ...models.providers } };
  await writeFile(join(home, "config.json"), JSON.stringify({ models: all, ...rest }));
  const scenes = new Map<
    string,
    { readonly orders: Behaviour[]; choose: (request: SeenRequest) => Behaviour | null }
  >();
  server.decide((request) => {
    const scene = scenes.get(sceneOf(request));
    return scene?.orders.shift() ?? scene?.choose(request) ?? null;
  });
  const begin = (): Promise<TestDaemon> =>
    startDaemon({ ...start, home, env: { TEST_MODEL_KEY: "sk-test-0123456789", ...start.env }, outlivesTest: true });
  let daemon = await begin();
  return {
    daemon: () => daemon,
    server,
    home,
    scene: () => {
      const name = `p${scenes.size}`;
      if (scenes.size >= SCENES_MAX) throw new Error("more scenes than providers");
      const scene = { orders: [] as Behaviour[], choose: (): Behaviour | null => null };
      scenes.set(name, scene);
      return {
        model: `${name}/large`,
        small: `${name}/small`,
        anthropic: `a${name.slice(1)}/large`,
        queue: (...behaviours) => void scene.orders.push(...behaviours),
        decide: (choose) => {
          scene.choose = choose as () => Behaviour | null;
        },
        requests: () => server.requests().filter((request) => sceneOf(request) === name),
      };
    },
    restart: async (how = "kill9") => {
      await daemon[how]();
      daemon = await begin();
      return daemon;
    },
    [Symbol.asyncDispose]: async () => {
      // Whatever the cases of a file did, their records lead the loop to the same decisions.
      expect(await divergedSessions(daemon)).toEqual([]);
      await daemon[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function providerAt(baseUrl: string, api: string) {
  const price = { input: 3, output: 15 };
  const models = { large: { window: 200_000, images: true, price }, small: { window: SMALL_WINDOW } };
  return { api, baseUrl, models };
}

function sceneOf({ path }: SeenRequest): string {
  return path.split("/")[1] ?? "";
}

/** A session of the own engine. */
export function begin(
  daemon: TestDaemon,
  model: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Session> {
  return start(daemon, { adapter: "nomos", model, ...body });
}

export interface TurnResult {
  readonly turnId: string;
  readonly outcome: string;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Sends a prompt, and waits for the turn's end with its reason. */
export async function play(
  daemon: TestDaemon,
  id: string,
  text: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<TurnResult> {
  const { turnId } = await prompt(daemon, id, text, more);
  return resultOf(daemon, id, turnId);
}

export async function resultOf(daemon: TestDaemon, id: string, turnId: string): Promise<TurnResult> {
  await ended(daemon, id, turnId);
  const ends = await eventsOf(daemon, id, "types=turn.ended");
  const end = ends.find(({ data }) => data["turnId"] === turnId);
  return end?.data as unknown as TurnResult;
}

export const COMPLETED = { outcome: "completed", error: null };

export type { Behaviour, SeenRequest };
