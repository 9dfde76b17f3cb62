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

/** What the walls of one process depend on. */
export interface WallOrder {
  /** A driver reaches the daemon and its model; other processes reach only what the session may. */
  readonly driver: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly programs: readonly string[];
  /** Directories in the Nomos home that it may read. */
  readonly shown: readonly string[];
  readonly temp: string | null;
  /** The session's worktree; null: it works in a directory that it does not own. */
  readonly tree: string | null;
}

/** The walls of one process. */
export interface Raised {
  readonly walls: Walls;
  /** Variables that override the process's environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Call it when the process is gone. */
  readonly lower: () => void;
}

/** A host that a session can reach, and why. */
export interface Reach {
  readonly rule: HostRule;
  readonly why: "network.allow" | "the model";
}

export interface SessionWalls {
  readonly raise: (session: WalledSession, order: WallOrder) => Raised;
  /** Dry run; opens no socket. */
  readonly survey: (
    session: WalledSession,
    order: WallOrder,
  ) => { readonly walls: Walls; readonly reach: readonly Reach[] };
  /** For a session that works directly in the person's directory. */
  readonly gitNews: (session: WalledSession) => GitNews;
  /** Connections that were refused, newest last. */
  readonly denials: (sessionId: string) => readonly CountedDenial[];
  /** Deletes what was kept for a session that is gone for good. */
  readonly remove: (sessionId: string) => Promise<void>;
}

export interface CountedDenial extends Denied {
  readonly count: number;
}

export interface SessionWallsOptions {
  /** Folders in the Nomos home: the private homes of sessions, and the sockets of their doors. */
  readonly homes: string;
  readonly doors: string;
  /** Moves a folder that an agent filled to the trash. Never throws. */
  readonly discard: (path: string) => Promise<void>;
  readonly personHome: string;
  readonly state: (adapter: string) => { readonly state: HomeState; readonly endpoints: readonly string[] };
  readonly limits: () => SandboxLimits;
  /** Paths that the person lets every walled session read. */
  readonly readable: () => readonly string[];
  readonly daemon: { readonly port: () => number; readonly take: (socket: Socket, sessionId: string) => void };
  /** Called once for each host and port of a session, up to a limit. */
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

/** Refuses an invalid host before the session exists: it would otherwise run with less network than requested. */
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
    // A missing path cannot be read and does not prevent the start.
    return null;
  }
}
