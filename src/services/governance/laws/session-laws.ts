import { join, relative } from "node:path";
import { type Speaker, type WorkState, WorkStream } from "../../../domains/index.ts";
import { isInside } from "../../../host/index.ts";
import type { SessionSpec, SessionState } from "../../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../../store/index.ts";
import { isTurnVerb, type SessionLaw } from "../../../turns/index.ts";
import type { HeldLaw } from "./held-law.ts";
import { forbidden, judgeRequest, type SessionGround } from "./judge-session.ts";
import type { LawCache } from "./law-cache.ts";

/** The law of each session's repository, at the gate, during its turns. */
export interface SessionLaws extends SessionLaw {
  readonly speak: Speaker;
  readonly stop: () => void;
}

export interface SessionLawsDeps {
  readonly store: Store;
  readonly laws: LawCache;
  /** Where worktrees of sessions lie. */
  readonly worktrees: string;
  /** The person's repository that a worktree was made from; null when the worktree is gone. */
  readonly repositoryOf: (worktreeId: string) => Promise<string | null>;
  /** Why a session's lease does not hold; null: it does. */
  readonly leaseProblem: (law: HeldLaw, work: WorkState) => Promise<string | null>;
  /** The gate found out that a session's lease does not hold. */
  readonly onLost: () => void;
}

/** Where a session works; the law there is looked up each time. */
interface Place {
  readonly repository: string;
  readonly root: string | null;
  readonly cwd: string;
  /** Of a session that another one started: whose worktree and ticket it works on. */
  readonly owner: string | null;
}

const WORK = "work/";
const RESOURCE = /^session\/([^/]+)\/(.*)$/s;
const SESSIONS_MAX = 10_000;

export function createSessionLaws(deps: SessionLawsDeps): SessionLaws {
  const { store, laws, worktrees } = deps;
  const places = new Map<string, Place | null>();
  const grounds = new Map<string, SessionGround | null>();
  const works = new Map<string, WorkState>();
  let appends = 0;
  const unsubscribe = store.onAppend((events: readonly RecordedEvent[]) => {
    for (const { stream } of events) {
      if (!stream.startsWith(WORK)) continue;
      appends += 1;
      works.delete(stream.slice(WORK.length));
    }
  });

  const placeOf = async ({ cwd, parentSessionId }: SessionSpec): Promise<Place | null> => {
    if (!isInside(worktrees, cwd) || cwd === worktrees) return { repository: cwd, root: null, cwd, owner: null };
    const [id = ""] = cwd.slice(worktrees.length + 1).split("/");
    const repository = await deps.repositoryOf(id);
    // The git dir of a worktree is the session's: what it says of a law counts for nothing.
    return repository === null
      ? null
      : { repository, root: join(worktrees, id, "tree"), cwd, owner: parentSessionId === null ? null : id };
  };
  const workOf = async (sessionId: string): Promise<WorkState> => {
    const known = works.get(sessionId);
    if (known !== undefined) return known;
    const before = appends;
    const state = await store.fold(WorkStream, sessionId);
    // What was recorded while it was read may not be in it.
    if (appends === before) works.set(sessionId, state);
    return state;
  };
  const look = async (sessionId: string, place: Place | null): Promise<void> => {
    const law = place === null ? null : await laws.at(place.repository);
    if (place === null || law === null) return void grounds.set(sessionId, null);
    const root = place.root ?? law.governed.root ?? law.governed.commonDir;
    const own = await workOf(sessionId);
    const work = own.order === null && place.owner !== null ? await workOf(place.owner) : own;
    const isAudit = work.order?.role === "audit";
    const problem = work.order === null ? null : await problemOf(law, work);
    grounds.set(sessionId, {
      ...{ law, root, below: isInside(root, place.cwd) ? relative(root, place.cwd) : "" },
      work: work.order === null ? null : { ticketId: work.order.ticketId, isAudit, problem },
    });
  };
  const problemOf = async (law: HeldLaw, work: WorkState): Promise<string | null> => {
    if (work.at !== "active") return `work_${work.at}`;
    if (work.order?.role === "audit") return "audit_reads_only";
    const problem = await deps.leaseProblem(law, work);
    if (problem !== null && work.lost === null) deps.onLost();
    return problem;
  };

  return {
    stop: unsubscribe,
    ready: async ({ id, spec }: Pick<SessionState, "id" | "spec">) => {
      if (spec === null) return;
      if (places.size >= SESSIONS_MAX) for (const kept of [places, grounds, works]) kept.clear();
      const place = places.get(id) ?? (await placeOf(spec));
      if (place !== null) places.set(id, place);
      await look(id, place);
    },
    refresh: async (sessionId) => {
      const place = places.get(sessionId);
      if (place !== undefined) await look(sessionId, place);
    },
    isOnTicket: (sessionId) => grounds.get(sessionId)?.work != null,
    forbids: (sessionId, path, isDeleted) => {
      const ground = grounds.get(sessionId) ?? null;
      if (ground === null || path === "") return null;
      // The turn is over: what it wrote while it held the lease is judged by the paths alone.
      const held = { ...ground, work: ground.work === null ? null : { ...ground.work, problem: null } };
      const found = forbidden(held, isDeleted ? "delete" : "write", path);
      return found === null ? null : `law:${found.rule}`;
    },
    speak: (verb, resource, removes) => {
      if (!isTurnVerb(verb)) return null;
      const [, sessionId = "", what = ""] = RESOURCE.exec(resource) ?? [];
      const ground = grounds.get(sessionId) ?? null;
      return ground === null ? null : judgeRequest(ground, verb, what, removes);
    },
  };
}
