import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { connect, findDaemon, startupError } from "../cli/index.ts";
import { ClientError, type InputOf, type Nomos, nomosOf } from "../client/index.ts";
import { createLocalClient } from "./local-client.ts";
import type { NomosOptions } from "./options.ts";
import { policyBeside } from "./policy.ts";
import { serveModels } from "./provider/serve-models.ts";
import { startAnswering } from "./questions.ts";
import { createSession, type NomosSession } from "./session.ts";
import { toolSource } from "./tool-source.ts";

/** Nomos inside of another program. Close it, or write `await using`: the process does not end before. */
export interface EmbeddedNomos extends AsyncDisposable {
  /** Every syscall, typed, as `nomos/client` has them. */
  readonly client: Nomos;
  readonly home: string;
  /** The address that others reach it at; null when it does not listen. */
  readonly url: string | null;
  /** A new session; with `id`, one that is there. */
  readonly session: (options?: SessionOptions) => Promise<NomosSession>;
  /** Stops turns, processes and the log. Turns of the own engine go on at the next start. */
  readonly close: () => Promise<void>;
}

export interface SessionOptions extends Omit<InputOf<"session.start">, "adapter" | "prompt" | "attachments"> {
  /** A session's id, name or title: go on with that one. */
  readonly id?: string;
}

/** The drivers that need no address of the daemon. */
const WITHOUT_PORT: readonly string[] = ["nomos", "demo", "script", "external"];
const OWN_AGENT = "nomos";
const PORT_MAX = 65_535;

/** An agent inside of this program: on a home of its own, or as a client of a daemon. */
export async function createNomos(options: NomosOptions = {}): Promise<EmbeddedNomos> {
  const home = resolve(options.home ?? (process.env["NOMOS_HOME"] || join(homedir(), ".nomos")));
  if (options.daemon !== undefined) return connected(options, home);
  // A daemon that runs there has the home. What this program brings could not be given to it.
  if (!bringsOwn(options) && (await findDaemon(home)) !== null) return connected({ ...options, daemon: true }, home);
  return opened(options, home);
}

function bringsOwn({ tools, policy, providers, config, listen }: NomosOptions): boolean {
  return [tools, policy, providers, config, listen].some((one) => one !== undefined);
}

async function connected(options: NomosOptions, home: string): Promise<EmbeddedNomos> {
  if (bringsOwn(options))
    throw new ClientError("usage", {
      message: "A running daemon takes no tools, policy, providers, config or port from a program.",
      remedy: "Leave them out, or leave `daemon` out and give a home of its own.",
    });
  const { daemon, token } = options;
  const place = typeof daemon === "string" ? { url: daemon } : { home };
  const client = await connect({ ...place, ...(token === undefined ? {} : { token }) });
  return embedded({ client, home, url: client.url, options, mayStart: () => undefined, close: async () => undefined });
}

async function opened(options: NomosOptions, home: string): Promise<EmbeddedNomos> {
  const { tools = [], policy, providers = {}, listen = false, config = {} } = options;
  if (typeof listen === "number" && !(Number.isInteger(listen) && listen >= 0 && listen <= PORT_MAX))
    throw new ClientError("usage", {
      message: `\`listen\` is true or a port from 0 to ${PORT_MAX}, not ${listen}.`,
      remedy: "Write `listen: true` for any free port.",
    });
  const moreTools = tools.length === 0 ? {} : { moreTools: [toolSource(tools)] };
  const models = await serveModels(providers);
  const { startDaemon } = await import("../app/index.ts");
  let local: ReturnType<typeof createLocalClient> | null = null;
  const lose = (): void => {
    local?.close();
    options.onLost?.(new ClientError("store_failed", { details: { home } }));
  };
  const daemon = await startDaemon({
    home,
    version: packageVersion(),
    environment: process.env,
    cwd: process.cwd(),
    port: listen === false ? "none" : listen === true ? 0 : listen,
    tour: false,
    echo: () => undefined,
    die: lose,
    config: configOf(config, models.providers, options.model),
    ...moreTools,
    ...(policy === undefined ? {} : { beside: policyBeside(policy) }),
  }).catch(async (thrown: unknown) => {
    await models.close();
    throw startupError(thrown, home);
  });
  const url = listen === false ? null : `http://127.0.0.1:${daemon.port}`;
  local = createLocalClient(daemon, url ?? "http://127.0.0.1:0");
  const close = async (): Promise<void> => {
    local?.close();
    await daemon.stop();
    await models.close();
  };
  const mayStart = (driver: string): void => {
    if (url === null && !WITHOUT_PORT.includes(driver))
      throw new ClientError("listen_required", { details: { driver } });
  };
  return embedded({ client: nomosOf(local, 0), home: daemon.home, url, options, mayStart, close });
}

interface Parts extends Pick<EmbeddedNomos, "client" | "home" | "url" | "close"> {
  readonly options: NomosOptions;
  /** Throws for a driver that cannot run here. */
  readonly mayStart: (driver: string) => void;
}

function embedded({ client, home, url, options, mayStart, close }: Parts): EmbeddedNomos {
  const { approve } = options;
  const answering = approve === undefined ? null : startAnswering(client, approve, () => undefined);
  let closing: Promise<void> | null = null;
  const closeOnce = (): Promise<void> => {
    closing ??= (async () => {
      await answering?.stop();
      await close();
    })();
    return closing;
  };
  return {
    ...{ client, home, url },
    session: async ({ id, agent = OWN_AGENT, cwd = process.cwd(), ...given } = {}) => {
      if (id !== undefined) return createSession(client, await client.session.show({ id }), false);
      const { driver, slug } = await client.agent.show({ slug: agent });
      mayStart(driver);
      const place = given.ground === undefined && given.workspaceSlug === undefined ? { cwd: resolve(cwd) } : {};
      const model = driver === OWN_AGENT && options.model !== undefined ? { model: options.model } : {};
      const started = await client.session.start({ ...model, ...given, ...place, adapter: driver, agent: slug });
      return createSession(client, started, true);
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

function configOf(
  config: NonNullable<NomosOptions["config"]>,
  providers: object,
  model: string | undefined,
): { readonly [key: string]: unknown } {
  const given = config["models"];
  const models = {
    ...(typeof given === "object" ? given : {}),
    ...(Object.keys(providers).length === 0 ? {} : { providers }),
    ...(model === undefined ? {} : { default: model }),
  };
  return Object.keys(models).length === 0 ? config : { ...config, models };
}

function packageVersion(): string {
  const file: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return typeof file === "object" && file !== null && "version" in file ? String(file.version) : "unknown";
}
