import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { findRepository, openCheckout, type PersonCheckout, type RepositoryGit } from "../../host/index.ts";
import { readConfig } from "../config/config.ts";
import { LAW_DIR, SIDECAR_BRANCH } from "../repository/law-path.ts";
import { type FoundTip, findTip } from "../repository/open-governed.ts";
import { LAW_NAMES } from "./law-names.ts";
import { hasLawFolder, readOwn } from "./own-files.ts";

/** What setting up a law needs of the machine. */
export interface SetupPlace {
  readonly git: RepositoryGit;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For temporary files, out of any agent's reach. */
  readonly scratch: string;
  /** The daemon's home: by default it lies in `~/.nomos`, which may itself be a repository's `.nomos`. */
  readonly home: string;
}

/** Where the files of a law lie on disk, and the checkout that commits them. */
export interface LawSeat {
  readonly mode: "tracked" | "sidecar";
  readonly checkout: PersonCheckout;
  /** The folder of the law in that checkout; empty: its root. */
  readonly folder: string;
  /** The path of a file of the law, from the root of that checkout. */
  readonly at: (name: string) => string;
}

export interface SetupScene {
  readonly tip: FoundTip;
  /** Where the person works. */
  readonly checkout: PersonCheckout;
  readonly seat: LawSeat;
}

/** Refuses what has no checkout of its own, and what holds a law that this version does not understand. */
export async function openSetup(place: SetupPlace, cwd: string): Promise<SetupScene> {
  const { git, environment, scratch, home } = place;
  const tip = await findTip(git, cwd, scratch);
  if (tip === null) throw noRepository(cwd);
  const checkout = await openCheckout(git, environment, tip.repository);
  const { root } = checkout;
  // The person stands in the folder of a sidecar.
  if (basename(root) === LAW_DIR && checkout.branch === SIDECAR_BRANCH) return openSetup(place, dirname(root));
  if (join(root, LAW_DIR) === home) throw homeThere(home);
  const seat = await seatOf(place, checkout);
  refuseNewer(await readOwn(seat.checkout.root, seat.at(LAW_NAMES.config)));
  return { tip, checkout, seat };
}

async function seatOf({ git, environment }: SetupPlace, checkout: PersonCheckout): Promise<LawSeat> {
  const folder = join(checkout.root, LAW_DIR);
  const isMounted =
    (await hasLawFolder(checkout.root)) && (await lstat(join(folder, ".git")).catch(() => null)) !== null;
  if (!isMounted) return { mode: "tracked", checkout, folder: LAW_DIR, at: (name) => `${LAW_DIR}/${name}` };
  const mounted = await findRepository(git, folder);
  if (mounted === null || mounted.commonDir !== checkout.repository.commonDir)
    throw new NomosError(
      "governance_blocked",
      { path: LAW_DIR },
      {
        message: `${folder} is a repository of its own.`,
        remedy: `Move it away; a law in a branch of its own is made by \`nomos init --sidecar\`.`,
      },
    );
  return sidecarSeat(await openCheckout(git, environment, mounted));
}

function sidecarSeat(checkout: PersonCheckout): LawSeat {
  return { mode: "sidecar", checkout, folder: "", at: (name) => name };
}

function noRepository(cwd: string): NomosError {
  const words = { message: `${cwd} is in no git repository.`, remedy: "Run `git init` there first." };
  return new NomosError("not_a_repository", { path: cwd }, words);
}

function homeThere(home: string): NomosError {
  return new NomosError(
    "governance_blocked",
    { path: home },
    {
      message: `${home} is the home of Nomos, so this repository cannot have a law there.`,
      remedy: "Set NOMOS_HOME to another folder, or leave this repository without a law.",
    },
  );
}

function refuseNewer(config: string | null): void {
  const newer = config === null ? undefined : readConfig(config).problems.find(({ isNewer }) => isNewer === true);
  if (newer !== undefined) throw new NomosError("governance_newer", { key: newer.key, reason: newer.message });
}

/** A commit now would mix with something that the person has not ended, or would be lost. */
export function refuseBusy({ underWay, branch, root }: PersonCheckout): void {
  if (underWay !== null)
    throw new NomosError(
      "repository_busy",
      { root, what: underWay },
      { message: `${underWay} is in progress in ${root}.`, remedy: "Finish or abort it (`git status` shows it)." },
    );
  if (branch === null)
    throw new NomosError(
      "head_detached",
      { root },
      { message: `No branch is checked out in ${root}.`, remedy: "Run `git switch <branch>` there." },
    );
}
