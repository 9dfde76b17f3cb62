import type { By } from "../../../commit/index.ts";
import { NomosError } from "../../../contract/index.ts";
import {
  DRIFTS,
  type DriftSample,
  summariseDrift,
  ticketStreamId,
  WORK,
  type WorkRow,
  WorkStream,
} from "../../../domains/index.ts";
import { Session } from "../../../kernel/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import { createWorkAdvice } from "./advise-work.ts";
import { type AmendWish, amend, amendmentOf } from "./amend-work.ts";
import { type FinishWish, finish, type HandoffWish, handOver } from "./close-work.ts";
import { worksOn } from "./find-work.ts";
import { openWork, type WorkWish } from "./open-work.ts";
import { pause, unpause } from "./pause-work.ts";
import { lawAt, namedLaw } from "./plan-work.ts";
import { createWorkTending } from "./tend-works.ts";
import type { MeasuredDrift, WorkDeps } from "./work-deps.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** Sessions that work on tickets. */
export interface Works {
  readonly open: (wish: WorkWish, by: By) => Events;
  readonly finish: (sessionId: string, wish: FinishWish, by: By, signal?: AbortSignal) => Events;
  /** Asks a person to let the session change files beyond its scope. Nothing for what it may change already. */
  readonly amend: (sessionId: string, wish: AmendWish, by: By) => Events;
  /** The open question about these files; null: there is none. */
  readonly amendment: (sessionId: string, paths: readonly string[]) => Promise<string | null>;
  readonly handOver: (sessionId: string, wish: HandoffWish, by: By) => Events;
  /** After the session was suspended. Nothing for a session without a ticket. */
  readonly pause: (sessionId: string, how: { readonly reason: string; readonly keepsLease: boolean }, by: By) => Events;
  /** Before the session is resumed. */
  readonly unpause: (sessionId: string, by: By) => Events;
  /** Brings git to what is recorded. Returns once it is tried; what fails is tried again later. */
  readonly settle: (sessionId: string) => Promise<void>;
  readonly find: (sessionId: string) => Promise<WorkRow | null>;
  /** What a session without a ticket should know of the law at its directory; null: nothing. */
  readonly warning: (cwd: string) => Promise<string | null>;
  /** Live: of the files as they are now. */
  readonly drift: (sessionId: string) => Promise<MeasuredDrift>;
  /** Of a repository, or of one of its tickets; the newest first. */
  readonly history: (repo: string, ticketId: string | null, limit: number) => Promise<readonly DriftSample[]>;
  /** Of the newest sample of each session. */
  readonly summary: (samples: readonly DriftSample[]) => {
    readonly average: number | null;
    readonly max: number | null;
    readonly high: number;
  };
  /** The key of the governed repository at a directory. */
  readonly repoAt: (cwd: string) => Promise<string>;
  /** All work on a ticket, the newest first. */
  readonly onTicket: (repo: string, ticketId: string) => Promise<readonly WorkRow[]>;
  /** Work that goes on, the newest first. */
  readonly allOpen: (limit: number) => Promise<readonly WorkRow[]>;
  readonly openIn: (repo: string, limit: number) => Promise<readonly WorkRow[]>;
}

export interface WorkService {
  readonly works: Works;
  /** What a session has to be told, before each of its turns. */
  readonly prepare: (sessionId: string) => Promise<void>;
  /** Its lease does not hold: it is taken up again where nobody took it, or else the session is told. */
  readonly lost: () => void;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

const VERIFY = "nothing may be changed in it. See `nomos governance verify`.";
const NEEDS_TICKET =
  "The law of this repository lets sessions change files on a ticket only: `nomos ticket next`, then `nomos run --ticket <id>`.";

export function createWorks(deps: WorkDeps): WorkService {
  const { store } = deps;
  const advice = createWorkAdvice(deps);
  const tending = createWorkTending(deps, advice);
  return {
    prepare: advice.prepare,
    lost: tending.look,
    start: tending.start,
    stop: tending.stop,
    works: {
      open: (wish, by) => openWork(deps, tending.settle, wish, by),
      finish: (sessionId, wish, by, signal) => finish(deps, sessionId, wish, by, signal),
      amend: (sessionId, wish, by) => amend(deps, sessionId, wish, by),
      amendment: async (sessionId, paths) =>
        amendmentOf(await store.fold(Session, sessionId), paths)?.approvalId ?? null,
      handOver: (sessionId, wish, by) => handOver(deps, sessionId, wish, by),
      pause: (sessionId, how, by) => pause(deps, sessionId, how, by),
      unpause: (sessionId, by) => unpause(deps, sessionId, by),
      settle: tending.settle,
      find: (sessionId) => store.row(WORK, sessionId),
      warning: async (cwd) => {
        const law = await deps.laws.at(cwd).catch(() => null);
        if (law === null) return null;
        if (law.sound === null) return `The law of this repository does not hold: ${VERIFY}`;
        const { lock } = law.sound;
        return lock.rules.some(({ type, patterns }) => type === "require_lease" && patterns.length === 0)
          ? NEEDS_TICKET
          : null;
      },
      drift: async (sessionId) => {
        const { order } = await store.fold(WorkStream, sessionId);
        if (order === null) throw new NomosError("work_not_found", { id: sessionId });
        const law = await lawAt(deps, order.cwd);
        const ticket = await deps.tickets.read(law.governed, order.ticketId);
        return deps.measures.drift(law, await store.fold(Session, sessionId), ticket);
      },
      history: (repo, ticketId, limit) => {
        const where = ticketId === null ? { repo } : { ticket: ticketStreamId(repo, ticketId) };
        return store.rows(DRIFTS, { where, limit });
      },
      summary: (samples) => {
        const newest = new Map(samples.toReversed().map((one) => [one.sessionId, one.score]));
        const found = summariseDrift([...newest.values()]);
        return { average: found?.average ?? null, max: found?.max ?? null, high: found?.high ?? 0 };
      },
      repoAt: async (cwd) => (await namedLaw(deps, cwd)).governed.repoKey,
      onTicket: (repo, ticketId) => worksOn(deps, repo, ticketId),
      allOpen: (limit) => store.rows(WORK, { where: { open: true }, limit }),
      openIn: (repo, limit) => store.rows(WORK, { where: { repo, open: true }, limit }),
    },
  };
}
