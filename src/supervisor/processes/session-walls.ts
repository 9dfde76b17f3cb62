import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import {
  type Denied,
  endpointRules,
  type HomeState,
  type HostRule,
  type Mount,
  openDoor,
  parseHostRule,
  privateHome,
  type SandboxLimits,
  type Walls,
} from "../../host/index.ts";
import type { SessionSpec } from "../../kernel/index.ts";
import { type GitNews, gitNews, guardGit, treeMounts } from "./ground-mounts.ts";

export interface WalledSession {
  readonly id: string;
  readonly spec: SessionSpec;
}

/** What a process behind a session's walls is for. */
export interface WallOrder {
  /** The driver itself reaches the daemon and its model; what a session merely runs reaches what the session may. */
  readonly driver: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly programs: readonly string[];
  /** Directories of the product's home that it may read. */
  readonly shown: readonly string[];
  readonly temp: string | null;
  /** The worktree that the session works in; null: somebody else's directory. */
  readonly tree: string | null;
}

/** Walls as they are put up around one process. */
export interface Raised {
  readonly walls: Walls;
  /** To be laid over the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** To be called when the process is gone. */
  readonly lower: () => void;
}

/** What a session can reach over the network, and why. */
export interface Reach {
  readonly rule: HostRule;
  readonly why: "network.allow" | "the model";
}

export interface SessionWalls {
  readonly raise: (session: WalledSession, order: WallOrder) => Raised;
  /** The same, told and not done: there is no door. */
  readonly survey: (
    session: WalledSession,
    order: WallOrder,
  ) => { readonly walls: Walls; readonly reach: readonly Reach[] };
  /** Of a session in a directory that is not its own. */
  readonly gitNews: (session: WalledSession) => GitNews;
  /** What a session tried to reach and was refused, newest last. */
  readonly denials: (sessionId: string) => readonly CountedDenial[];
  /** Takes away what was kept for it; for a session that nobody will come back to. */
  readonly remove: (sessionId: string) => Promise<void>;
}

export interface CountedDenial extends Denied {
  readonly count: number;
}

export interface SessionWallsOptions {
  /** Where the homes of sessions are kept, in the product's home, and where the doors of their processes are. */
  readonly homes: string;
  readonly doors: string;
  /** Takes a folder that an agent filled out of the way, and never fails. */
  readonly discard: (path: string) => Promise<void>;
  readonly personHome: string;
  readonly state: (adapter: string) => { readonly state: HomeState; readonly endpoints: readonly string[] };
  readonly limits: () => SandboxLimits;
  /** What the person wants every walled session to read. */
  readonly readable: () => readonly string[];
  readonly daemon: { readonly port: () => number; readonly take: (socket: Socket, sessionId: string) => void };
  /** Told once for each host and port of a session, as long as there are not too many of them. */
  readonly onDenied: (sessionId: string, denied: Denied) => void;
}

const DENIALS_PER_SESSION_MAX = 100;
const SESSIONS_WITH_DENIALS_MAX = 1_000;

export function createSessionWalls(options: SessionWallsOptions): SessionWalls {
  const denials = new Map<string, Map<string, CountedDenial>>();

  const note = (sessionId: string, denied: Denied): void => {
    const mine = denials.get(sessionId) ?? new Map<string, CountedDenial>();
    const key = `${denied.host}:${denied.port}:${denied.reason}`;
    const before = mine.get(key);
    if (before === undefined && mine.size >= DENIALS_PER_SESSION_MAX) return;
    mine.set(key, { ...denied, count: (before?.count ?? 0) + 1 });
    if (!denials.has(sessionId) && denials.size >= SESSIONS_WITH_DENIALS_MAX) {
      const [oldest] = denials.keys();
      if (oldest !== undefined) denials.delete(oldest);
    }
    denials.set(sessionId, mine);
    if (before === undefined) options.onDenied(sessionId, denied);
  };

  const survey = ({ id, spec }: WalledSession, order: WallOrder) => {
    const { state, endpoints } = options.state(spec.adapter);
    const { env } = order;
    const personHome = env["HOME"] ?? options.personHome;
    const folder = join(options.homes, id);
    const ground =
      order.tree === null ? guardGit(folder, spec.cwd, dirname(options.homes)) : treeMounts(order.tree, spec);
    const home = privateHome({ folder, personHome, state, env });
    const read = [...options.readable(), ...order.shown].flatMap((path) => readMount(path) ?? []);
    const model = order.driver ? endpointRules({ env, files: home.configFiles, fallback: endpoints }) : [];
    const reach: Reach[] = [
      ...rulesOf(spec).map((rule) => ({ rule, why: "network.allow" as const })),
      ...model.map((rule) => ({ rule, why: "the model" as const })),
    ];
    const walls: Walls = {
      mounts: [...read, ...ground, ...home.mounts],
      programs: order.programs,
      home: home.path,
      temp: order.temp,
      door: null,
      limits: options.limits(),
    };
    return { walls, reach, environment: home.environment };
  };

  return {
    survey,
    raise: (session, order) => {
      const { walls, reach, environment } = survey(session, order);
      if (!order.driver && reach.length === 0) return { walls, environment, lower: () => undefined };
      const { port, take } = options.daemon;
      const door = openDoor({
        folder: options.doors,
        name: `${randomBytes(8).toString("hex")}.sock`,
        rules: reach.map(({ rule }) => rule),
        daemon: { port: port(), take: order.driver ? (socket) => take(socket, session.id) : null },
        onDenied: (denied) => note(session.id, denied),
      });
      return { walls: { ...walls, door }, environment: { ...environment, ...door.environment }, lower: door.close };
    },
    gitNews: ({ id, spec }) => gitNews(join(options.homes, id), spec.cwd, dirname(options.homes)),
    denials: (sessionId) => [...(denials.get(sessionId)?.values() ?? [])],
    remove: async (sessionId) => {
      denials.delete(sessionId);
      await options.discard(join(options.homes, sessionId));
    },
  };
}

/** Refuses what names no host, before there is a session that would run with less than was asked for. */
export function rulesOf({ network }: Pick<SessionSpec, "network">): HostRule[] {
  return (network?.allow ?? []).map((text) => {
    const rule = parseHostRule(text);
    if (rule === null)
      throw new NomosError("invalid_request", { network: text, reason: "not `host`, `host:port` or `*.host`" });
    return rule;
  });
}

function readMount(path: string): Mount | null {
  try {
    return { path: realpathSync(path), access: "read", why: "to be read" };
  } catch {
    // What is not there cannot be read, and is no reason not to start.
    return null;
  }
}
