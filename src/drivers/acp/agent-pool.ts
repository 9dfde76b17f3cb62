import { createHash } from "node:crypto";
import type { Clock, HostProcess, ProcessMark } from "../../host/index.ts";
import type { AgentHost, AgentOrder } from "../../turns/index.ts";
import type { CostTold } from "../usage.ts";
import type { AgentProcess } from "./agent-process.ts";
import type { AcpVersion } from "./handshake.ts";
import type { Offer } from "./offer.ts";
import type { StepTimes } from "./step-times.ts";

/**
 * The agents that run between turns. Each process has its sessions (its seats) and ends when the last one is released.
 * Agents that can hold many sessions share one process per directory; all others have their own.
 */
export interface AgentPool {
  readonly seatOf: (sessionId: string) => Seat | null;
  /** The process for this request, started when there is none. */
  readonly process: (sessionId: string, order: PoolOrder) => Promise<AgentProcess>;
  readonly sit: (seat: Seat) => Seat;
  /** Notes what the session's agent runs before this turn. */
  readonly expect: (sessionId: string, turnId: string) => void;
  /** What the agent ran before this turn: as noted, or now. */
  readonly markOf: (seat: Seat, turnId: string) => ProcessMark;
  /** A turn runs in that process: a disturbance must wait. */
  readonly busy: (agent: AgentProcess) => Busy;
  /** The agent did not answer the cancel: its process ends now, or when the other sessions' turns in it have ended. */
  readonly discard: (sessionId: string) => Promise<void>;
  readonly release: (sessionId: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface PoolOrder extends AgentOrder {
  readonly shared: boolean;
  readonly times: StepTimes;
  readonly version: string;
  readonly acpVersion: AcpVersion;
}

export interface Seat {
  readonly sessionId: string;
  readonly agent: AgentProcess;
  readonly nativeId: string;
  readonly offer: Offer;
  readonly told: CostTold;
  readonly endTools: () => void;
}

export interface Busy extends Disposable {
  readonly isAlone: () => boolean;
}

const STOP_GRACE_MS = 1000;
const DISCARD_GRACE_MS = 200;

interface Place {
  readonly key: string;
  readonly process: HostProcess;
  readonly started: Promise<AgentProcess>;
  /** Sessions that use this process, or are about to. */
  readonly sessions: Set<string>;
  turns: number;
  /** Takes no new session; ends with its last turn. */
  retired: boolean;
}

export function createAgentPool(host: AgentHost, clock: Clock): AgentPool {
  const places = new Map<string, Place>();
  const byAgent = new Map<AgentProcess, Place>();
  const seats = new Map<string, Seat>();
  /** The newest one of each seat. */
  const expected = new WeakMap<Seat, { readonly turnId: string; readonly mark: ProcessMark }>();

  const begin = (key: string, order: PoolOrder): Place => {
    const process = host.spawn(order);
    const { slug, times, version, acpVersion } = order;
    const started = import("./agent-process.ts").then(({ startAgent }) =>
      startAgent(process, { slug, clock, times, version, acpVersion, redactor: host.redactor }),
    );
    const place: Place = { key, process, started, sessions: new Set(), turns: 0, retired: false };
    places.set(key, place);
    const forget = (): void => {
      if (places.get(key) === place) places.delete(key);
    };
    started.then((agent) => {
      byAgent.set(agent, place);
      void agent.ended.then(() => {
        forget();
        byAgent.delete(agent);
      });
    }, forget);
    return place;
  };

  const stop = async (place: Place, graceMs: number, why: string): Promise<void> => {
    if (places.get(place.key) === place) places.delete(place.key);
    const agent = [...byAgent].find(([, its]) => its === place)?.[0];
    // A process before its handshake is not waited for.
    await (agent?.stop(graceMs, why) ?? place.process.stop({ graceMs }));
  };

  const leave = (sessionId: string): Place | null => {
    const seat = seats.get(sessionId);
    seat?.endTools();
    seats.delete(sessionId);
    const place = [...places.values(), ...byAgent.values()].find(({ sessions }) => sessions.has(sessionId)) ?? null;
    place?.sessions.delete(sessionId);
    return place;
  };

  const release = async (sessionId: string): Promise<void> => {
    const seat = seats.get(sessionId);
    const place = leave(sessionId);
    if (place === null) return;
    if (place.sessions.size === 0) return stop(place, STOP_GRACE_MS, "nobody needs it any more");
    if (seat?.agent.info.closes === true)
      await seat.agent.request("session/close", { sessionId: seat.nativeId }, CLOSE_MS).catch(() => undefined);
  };

  return {
    seatOf: (sessionId) => {
      const seat = seats.get(sessionId);
      if (seat === undefined) return null;
      if (seat.agent.ending() === null && byAgent.get(seat.agent)?.retired === false) return seat;
      leave(sessionId);
      return null;
    },
    process: async (sessionId, order) => {
      const key = keyOf(sessionId, order);
      const there = places.get(key);
      const place = there === undefined || there.retired ? begin(key, order) : there;
      place.sessions.add(sessionId);
      try {
        return await place.started;
      } catch (thrown) {
        place.sessions.delete(sessionId);
        throw thrown;
      }
    },
    sit: (seat) => {
      seats.get(seat.sessionId)?.endTools();
      seats.set(seat.sessionId, seat);
      return seat;
    },
    expect: (sessionId, turnId) => {
      const seat = seats.get(sessionId);
      if (seat !== undefined) expected.set(seat, { turnId, mark: seat.agent.mark() });
    },
    markOf: (seat, turnId) => {
      const noted = expected.get(seat);
      return noted?.turnId === turnId ? noted.mark : seat.agent.mark();
    },
    busy: (agent) => {
      const place = byAgent.get(agent);
      if (place === undefined) return { isAlone: () => true, [Symbol.dispose]: () => undefined };
      place.turns += 1;
      return {
        isAlone: () => place.turns === 1,
        [Symbol.dispose]: () => {
          place.turns -= 1;
          if (place.retired && place.turns === 0) void stop(place, DISCARD_GRACE_MS, "it did not stop when told to");
        },
      };
    },
    discard: async (sessionId) => {
      const place = leave(sessionId);
      if (place === null) return;
      place.retired = true;
      if (places.get(place.key) === place) places.delete(place.key);
      if (place.turns <= 1) await stop(place, DISCARD_GRACE_MS, "it did not stop when told to");
    },
    release,
    close: async () => {
      const all = new Set([...places.values(), ...byAgent.values()]);
      for (const { endTools } of seats.values()) endTools();
      seats.clear();
      await Promise.all([...all].map((place) => stop(place, STOP_GRACE_MS, "the daemon stops")));
    },
  };
}

const CLOSE_MS = 2000;

/** Sessions share a process only where they can touch the same files anyway. */
function keyOf(sessionId: string, order: PoolOrder): string {
  const { slug, cwd, argv, env, shown } = order;
  const alike = createHash("sha256")
    .update(JSON.stringify([slug, cwd, argv, env, shown]))
    .digest("hex");
  return order.shared ? alike : `${sessionId}:${alike}`;
}
