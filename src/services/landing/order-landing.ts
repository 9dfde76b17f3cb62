import { type By, type Guard, guardOf, subjectOf } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import {
  LANDINGS,
  type LandingOrder,
  type LandingState,
  LandingStream,
  queueLanding,
  retryLanding,
} from "../../domains/index.ts";
import type { CapturedWork, LandingRepository } from "../../host/index.ts";
import { refuse, Session, type SessionState } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { KeptWork } from "./kept-work.ts";
import type { LandingDeps } from "./landing-deps.ts";
import { lastTurnOf } from "./landing-message.ts";
import type { LandWish } from "./landings.ts";

/** Work that was captured, and the order to land it. */
export interface Ordered {
  readonly order: LandingOrder;
  readonly captured: CapturedWork;
  readonly state: SessionState;
  /** Nothing worked in the worktree while it was captured. */
  readonly guards: readonly Guard[];
}

export interface Ordering {
  /** Captures into the folder of `id`. Refused where there is nothing to land, or nowhere to land it. */
  readonly order: (id: string, sessionId: string, wish: LandWish, attempt?: number) => Promise<Ordered>;
  /** `retried`: the refused landing that this one tries again. */
  readonly queue: (
    sessionId: string,
    wish: LandWish,
    by: By,
    retried?: { readonly id: string; readonly order: LandingOrder },
  ) => Promise<readonly RecordedEvent[]>;
}

export function createOrdering(deps: LandingDeps, kept: KeptWork): Ordering {
  const { store, committer, newId, trees, git, settings } = deps;
  const underWay = new Set<string>();

  const stillOf = async (ids: readonly string[]): Promise<readonly Guard[]> => {
    const states = await Promise.all(ids.map((id) => store.fold(Session, id)));
    return states.map((state) => {
      const seen = markOf(state);
      if (state.phase.at === "busy" || state.restoring !== undefined)
        throw new NomosError("session_busy", { id: state.id });
      return guardOf(Session, state.id, (now) =>
        markOf(now) === seen ? null : refuse("session_busy", { id: now.id }),
      );
    });
  };

  const capture = async (id: string, sessionId: string): Promise<Omit<Ordered, "order"> & { branch: string }> => {
    const state = await committer.sessionState(sessionId);
    const { sessions } = await trees.find(sessionId);
    const inside = [...new Set([sessionId, ...sessions])];
    const guards = await stillOf(inside);
    const { captured, tree } = await trees.capture(sessionId, kept.begin(id));
    // Somebody new may have come, worked and gone.
    const late = (await trees.find(sessionId)).sessions.find((one) => !inside.includes(one));
    if (late !== undefined) throw new NomosError("session_busy", { id: late });
    await kept.keep(id, captured);
    return { captured, state, guards, branch: tree.branch };
  };

  const order: Ordering["order"] = async (id, sessionId, wish, attempt = 1) => {
    const { captured, state, guards, branch } = await capture(id, sessionId);
    const { repository } = captured;
    if (repository === null) throw new NomosError("not_a_repository", { id: sessionId });
    const work = { folder: kept.folderOf(id), sharedObjects: captured.sharedObjects };
    await using opened = await git.open(repository, [work]);
    const into = await branchIn(opened, wish.into ?? (await deps.law?.into(sessionId)) ?? undefined);
    const how = wish.how ?? settings().how;
    const { head, tree } = captured;
    const onto = (await opened.tip(into)) ?? "";
    // Of objects that git does not accept nothing is made: the gate refuses them by name.
    const trial = { how, tip: onto, head, tree, message: "trial", trailers: [], isTrial: true };
    const made = captured.fault === null ? await opened.make(trial) : null;
    if (made !== null && "nothing" in made) throw new NomosError("nothing_to_land", { id: sessionId, into });
    return {
      captured,
      state,
      guards,
      order: {
        sessionId,
        turnId: lastTurnOf(state),
        worktreeId: state.worktree ?? "",
        repository,
        into,
        how,
        message: wish.message ?? null,
        checks: wish.checks ?? [],
        pullRequest: wish.pr === true ? `${branch}-${id.slice(-6)}` : null,
        captured: { head, tree },
        attempt,
        attemptsMax: settings().attemptsMax,
      },
    };
  };

  const refuseSecond = async (sessionId: string): Promise<void> => {
    const [open] = await store.rows(LANDINGS, { where: { session: sessionId, open: true }, limit: 1 });
    if (open !== undefined) throw new NomosError("landing_exists", { id: open.id, sessionId });
  };

  return {
    order,
    queue: async (sessionId, wish, by, retried) => {
      if (underWay.has(sessionId)) throw new NomosError("landing_exists", { sessionId });
      underWay.add(sessionId);
      const id = newId();
      try {
        await refuseSecond(sessionId);
        const attempt = retried === undefined ? 1 : retried.order.attempt + 1;
        const made = await order(id, sessionId, wish, attempt);
        // The same work would be refused again.
        if (retried !== undefined && isSameWork(made.order, retried.order))
          throw new NomosError("nothing_to_land", { id: sessionId, into: made.order.into });
        const decide = (state: LandingState) => queueLanding(state, made.order);
        const first = { of: subjectOf(LandingStream, id), decide };
        const options = { by, expect: made.guards };
        if (retried === undefined) return (await committer.commit([first], options)).events;
        const of = subjectOf(LandingStream, retried.id);
        const again = { of, decide: (state: LandingState) => retryLanding(state, id) };
        return (await committer.commit([first, again], options)).events;
      } catch (thrown) {
        await kept.drop(id);
        throw thrown;
      } finally {
        underWay.delete(sessionId);
      }
    },
  };
}

function isSameWork({ captured }: LandingOrder, { captured: before }: LandingOrder): boolean {
  return captured.head === before.head && captured.tree === before.tree;
}

/** Differs after a turn or a rewind. */
function markOf({ phase, turnsEnded, restoring, view }: SessionState): string {
  return JSON.stringify([phase.at === "busy", turnsEnded, restoring ?? null, view.world?.snapshot ?? null]);
}

async function branchIn(opened: LandingRepository, wanted: string | undefined): Promise<string> {
  const into = wanted ?? (await opened.currentBranch());
  if (into === null)
    throw new NomosError(
      "branch_not_found",
      {},
      { message: "The repository's HEAD is detached, so there is no current branch.", remedy: NAME_ONE },
    );
  const ref = `refs/heads/${into}`;
  const isName = (await opened.git.run(["check-ref-format", ref])).exitCode === 0;
  if (!isName || (await opened.tip(into)) === null) throw await notFound(opened, into);
  const leads = await opened.git.run(["symbolic-ref", "-q", ref]);
  if (leads.exitCode !== 0) return into;
  // Two names of one branch would have two queues.
  const remedy = `Name the branch that it leads to: \`--into ${leads.stdout.toString().trim().replace("refs/heads/", "")}\`.`;
  throw new NomosError("branch_not_found", { branch: into }, { message: `${into} is another branch's alias.`, remedy });
}

async function notFound(opened: LandingRepository, into: string): Promise<NomosError> {
  const { stdout } = await opened.git.run(["for-each-ref", "--count=1", "refs/heads"]);
  if (stdout.length > 0) return new NomosError("branch_not_found", { branch: into });
  const remedy = "Make its first commit: `git commit --allow-empty -m Begin`. Work of sessions from then on can land.";
  return new NomosError("branch_not_found", { branch: into }, { message: "The repository has no commit yet.", remedy });
}

const NAME_ONE = "Name the branch with `--into`.";
