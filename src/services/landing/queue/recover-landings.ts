import type { LandingRepository } from "../../../host/index.ts";
import { landedAs, push } from "./bring-home.ts";
import type { CheckingRow } from "./lane-items.ts";
import type { LaneEnds, LaneParts } from "./lane-parts.ts";

type Cut = CheckingRow & { readonly prepared: NonNullable<CheckingRow["prepared"]> };

/**
 * Settles landings that were cut while the branch moved: those whose commit is on it have landed, the others go back to
 * their place.
 */
export async function recoverLandings(parts: LaneParts, ends: LaneEnds, rows: readonly CheckingRow[]): Promise<void> {
  const { deps, kept, facts } = parts;
  const cut = rows.filter((row): row is Cut => row.prepared !== null);
  const [first] = cut;
  if (first === undefined) return;
  const works = await Promise.all(
    cut.map(async ({ id }) => ({
      folder: kept.folderOf(id),
      sharedObjects: (await kept.read(id))?.sharedObjects ?? [],
    })),
  );
  await using opened = await deps.git.open(first.order.repository, works);
  const landed: Cut[] = [];
  // The last of a batch holds what the move had begun, so it comes first.
  for (const row of cut.toReversed()) if (await hasLanded(parts, opened, row)) landed.unshift(row);
  const facing = await Promise.all(
    landed.map(async (row) => ({ id: row.id, landed: await landedAs(deps, opened, row, row.prepared, 0) })),
  );
  if (facing.length > 0) await facts.land(facing);
  await ends.forget(landed.map(({ id }) => id));
  const rest = cut.filter((row) => !landed.includes(row) && row.order.pullRequest === null);
  await facts.giveBack(
    rest.map(({ id }) => id),
    "it was interrupted before the branch moved",
  );
  for (const row of cut.filter(({ order }) => order.pullRequest !== null)) await pushAgain(parts, ends, opened, row);
}

async function hasLanded(
  { kept }: LaneParts,
  opened: LandingRepository,
  { id, order, prepared }: Cut,
): Promise<boolean> {
  if (order.pullRequest !== null) return false;
  return opened.recover({ branch: order.into, to: prepared.commit, folder: kept.folderOf(id), owner: id });
}

/** A branch that is already here was made by the push that was cut. */
async function pushAgain(
  parts: LaneParts,
  { refuse, forget }: LaneEnds,
  opened: LandingRepository,
  { id, order, prepared }: Cut,
): Promise<void> {
  const isHere = (await opened.tip(order.pullRequest ?? "")) === prepared.commit;
  if (!isHere) return parts.facts.giveBack([id], "it was interrupted before it was pushed");
  const made = { commit: prepared.commit, commits: prepared.commits, kept: [], hasUncommitted: false };
  const home = await push(parts, opened, { id, order, made, base: prepared.base }, 0);
  if (home.at === "blocked") await refuse(id, home.findings);
  else await forget([id]);
}
