import type { Finding, Landed, Prepared } from "../../../domains/index.ts";
import type { LandingRepository } from "../../../host/index.ts";
import type { CheckReport, MadeCommits } from "../judge.ts";
import type { LandingDeps } from "../landing-deps.ts";
import type { Item } from "./lane-items.ts";
import type { LaneParts } from "./lane-parts.ts";
import { inTheWay, moveWhenFree } from "./move-landings.ts";

/** A landing whose commits were made on `base`: the branch, or the landing before it. */
export type Stacked = Item & { readonly made: MadeCommits; readonly base: string };

export type Home =
  | { readonly at: "landed" }
  /** The branch moved while checks ran. */
  | { readonly at: "moved" }
  | { readonly at: "blocked"; readonly findings: readonly Finding[] };

/**
 * Moves the branch once, to the commit that was checked. What the branch is about to point at is recorded before, so
 * that after a crash it can be told whether it got there.
 */
export async function bringHome(
  parts: LaneParts,
  opened: LandingRepository,
  stacked: readonly Stacked[],
  { checkMs, passed, onto }: Pick<CheckReport, "checkMs" | "passed"> & { readonly onto: string },
  signal: AbortSignal,
): Promise<Home> {
  const { deps, facts, kept } = parts;
  const last = stacked.at(-1);
  if (last === undefined) return { at: "landed" };
  const all = stacked.map((one) => ({ ...one, prepared: preparedOf(one) }));
  await facts.prepare(all, passed.length === 0 ? null : { commit: last.made.commit, checks: passed });
  const { into, pullRequest } = last.order;
  if (pullRequest !== null) return push(parts, opened, last, checkMs);
  const ref = { branch: into, from: onto, to: last.made.commit, reason: `nomos: land ${last.id}` };
  const moved = await moveWhenFree(deps, opened, { ...ref, folder: kept.folderOf(last.id), owner: last.id }, signal);
  if (!moved.moved) {
    const name = last.state.spec?.name ?? last.order.sessionId;
    return moved.why === "tip" ? { at: "moved" } : { at: "blocked", findings: inTheWay(moved, last.order, name) };
  }
  // Not before the move: what takes time between checks and move gives others time to move the branch.
  const landed = await Promise.all(
    all.map(async (one) => ({ id: one.id, landed: await landedAs(deps, opened, one, one.prepared, checkMs) })),
  );
  await facts.land(landed);
  return { at: "landed" };
}

export async function landedAs(
  deps: LandingDeps,
  opened: LandingRepository,
  { id, order }: Pick<Item, "id" | "order">,
  prepared: Prepared,
  checkMs: number,
): Promise<Landed> {
  const counts = await opened.counts(prepared.base, prepared.commit);
  const lines =
    (await deps.attribute?.({ order, prepared, opened }).catch((thrown: unknown) => {
      deps.log("the lines of a landing could not be attributed", { id, reason: String(thrown) });
      return null;
    })) ?? null;
  return { ...prepared, ...counts, checkMs, lines };
}

/** Pushing the same commit twice is one push. */
export async function push(
  { deps, facts }: LaneParts,
  opened: LandingRepository,
  { id, order, made, base }: Pick<Stacked, "id" | "order" | "made" | "base">,
  checkMs: number,
): Promise<Home> {
  const { into, pullRequest } = order;
  const title = await opened.git.text(["log", "-1", "--no-show-signature", "--format=%s", made.commit]);
  const pushing = await opened.push({ branch: pullRequest ?? "", commit: made.commit, into, title });
  if (!pushing.pushed)
    return {
      at: "blocked",
      findings: [
        {
          rule: "policy",
          message: `The branch ${pullRequest} could not be pushed: ${pushing.words}`,
          remedy: "Mend what git says, then land again with `--pr`.",
        },
      ],
    };
  const landed = await landedAs(deps, opened, { id, order }, preparedOf({ made, base }), checkMs);
  const { remote, url, next } = pushing;
  await facts.land([{ id, landed, pushed: { remote, branch: pullRequest ?? "", url, next } }]);
  return { at: "landed" };
}

function preparedOf({ made, base }: Pick<Stacked, "made" | "base">): Prepared {
  return { base, commit: made.commit, commits: made.commits };
}
