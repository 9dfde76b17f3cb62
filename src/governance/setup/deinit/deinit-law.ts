import { join } from "node:path";
import { NomosError } from "../../../contract/index.ts";
import type { PersonCheckout } from "../../../host/index.ts";
import { readConfig } from "../../config/config.ts";
import { throwRefused } from "../../law/refused-rights.ts";
import { LAW_DIR, SIDECAR_BRANCH } from "../../repository/law-path.ts";
import { REMOVED } from "../../repository/removed-law.ts";
import { commitOwn } from "../commit-own.ts";
import { changedIn, committedIn } from "../init/plan-init.ts";
import { CACHE, GIT_FILES, isOurs, LAW_NAMES, MADE_NAMES, TICKETS } from "../law-names.ts";
import { dropRefs, lawRefs } from "../law-refs.ts";
import { type LawSeat, openSetup, refuseBusy, type SetupPlace, type SetupScene } from "../open-setup.ts";
import { readOwn } from "../own-files.ts";
import { unmountSidecar } from "../sidecar/unmount-sidecar.ts";
import { putAside } from "./put-aside.ts";

export interface DeinitWish {
  readonly cwd: string;
  readonly dryRun: boolean;
  /** Also when tickets and uncommitted changes would go with it. */
  readonly force: boolean;
  readonly message: string | null;
}

export interface DeinitDone {
  readonly root: string;
  readonly repoKey: string;
  readonly mode: "tracked" | "sidecar";
  /** Paths from the root that were removed, or would be. */
  readonly files: readonly string[];
  readonly refs: readonly string[];
  readonly commit: string | null;
  /** What would be lost; empty, or forced. */
  readonly kept: readonly string[];
  readonly notices: readonly string[];
}

const MESSAGE = "chore: remove the law of the repository";

/** Leaves no trace but the commits that tell of it. What others put into the folder, such as `tools/`, stays. */
export async function deinitLaw(place: SetupPlace, wish: DeinitWish): Promise<DeinitDone> {
  const scene = await openSetup(place, wish.cwd);
  const { tip, checkout, seat } = scene;
  const theirs = await gitFilesOfOthers(scene);
  const isLaw = (name: string): boolean => !theirs.includes(name);
  const committed = [...(await committedIn(seat))].filter(isLaw);
  const changed = (await changedIn(seat)).filter(isLaw);
  const refs = await lawRefs(checkout.git);
  if (committed.length === 0 && changed.length === 0 && refs.length === 0) refuseUngoverned(scene);
  const names = [...new Set([...committed, ...changed])].sort();
  const kept = [...new Set([...whatWouldGo(new Set(committed), changed), ...(await othersIn(seat))])].sort().map(inLaw);
  const done: DeinitDone = {
    ...{ root: checkout.root, repoKey: tip.repoKey, mode: seat.mode, commit: null, kept, files: names.map(inLaw) },
    refs: [...refs.map(({ name }) => name), ...(seat.mode === "sidecar" ? [`refs/heads/${SIDECAR_BRANCH}`] : [])],
    notices: await noticesOf(scene),
  };
  if (wish.dryRun) return done;
  if (kept.length > 0 && !wish.force) throw holdsWork(kept);
  const message = committed.length === 0 ? null : `${(wish.message ?? MESSAGE).trimEnd()}\n\n${REMOVED}`;
  const commit = seat.mode === "sidecar" ? null : await removeTracked(checkout, names, message);
  if (seat.mode === "sidecar") await unmountSidecar(scene);
  await dropRefs(checkout.git, refs);
  return { ...done, commit };
}

/** Files for git that were there before the law, or that people have written anew since. */
async function gitFilesOfOthers({ seat }: SetupScene): Promise<readonly string[]> {
  const texts = await Promise.all(GIT_FILES.map(([name]) => readOwn(seat.checkout.root, seat.at(name))));
  return GIT_FILES.filter(([, text], at) => (texts[at] ?? text) !== text).map(([name]) => name);
}

const inLaw = (name: string): string => `${LAW_DIR}/${name}`;

function refuseUngoverned({ tip, checkout }: SetupScene): never {
  if (!tip.isGoverned || tip.law === null) throw new NomosError("not_governed", { root: checkout.root });
  const { branch, lawFolder } = tip.law;
  const words =
    lawFolder === ""
      ? { message: `The law's branch ${branch} is not mounted here.`, remedy: "Run `nomos init`, which mounts it." }
      : { message: `The law is on ${branch}, which is not checked out here.`, remedy: `Run \`git switch ${branch}\`.` };
  throw new NomosError("governance_blocked", { branch }, words);
}

/** Tickets, and whatever no commit holds but what `init` itself made. */
function whatWouldGo(committed: ReadonlySet<string>, changed: readonly string[]): readonly string[] {
  const tickets = [...committed].filter((name) => name.startsWith(`${TICKETS}/`) && name.endsWith(".yaml"));
  const uncommitted = changed.filter((name) => committed.has(name) || !MADE_NAMES.includes(name));
  return [...tickets, ...uncommitted];
}

/** What people put beside the law on its own branch or where it is mounted: both go as a whole. */
async function othersIn({ mode, checkout, folder }: LawSeat): Promise<readonly string[]> {
  if (mode === "tracked") return [];
  const all = [
    ...(await checkout.committed(folder)),
    ...(await checkout.changed(folder)),
    ...(await checkout.ignored()),
  ];
  return all.filter((path) => !isOurs(path));
}

const SHOWN_MAX = 10;

function holdsWork(kept: readonly string[]): NomosError {
  const more = kept.length > SHOWN_MAX ? ` and ${kept.length - SHOWN_MAX} more` : "";
  return new NomosError(
    "governance_kept",
    { files: kept.slice(0, SHOWN_MAX), more: Math.max(0, kept.length - SHOWN_MAX) },
    { message: `Work of people would go with the law: ${kept.slice(0, SHOWN_MAX).join(", ")}${more}.` },
  );
}

async function noticesOf({ seat }: SetupScene): Promise<readonly string[]> {
  const text = await readOwn(seat.checkout.root, seat.at(LAW_NAMES.config));
  const remote = text === null ? null : (readConfig(text).config?.leases.remote ?? null);
  const branches = seat.mode === "sidecar" ? ` and its branch ${SIDECAR_BRANCH}` : "";
  return remote === null
    ? []
    : [`${remote} keeps \`refs/nomos/*\`${branches} until somebody deletes them there: other clones may use them.`];
}

/** The files are put aside until the commit is made, so that a hook that refuses it brings back all of them. */
async function removeTracked(checkout: PersonCheckout, names: readonly string[], message: string | null) {
  if (message !== null) refuseBusy(checkout);
  const top = [...new Set([...names.map((name) => name.split("/", 1)[0] ?? ""), CACHE])];
  const aside = await putAside(checkout, top).catch((thrown: unknown) =>
    throwRefused(thrown, join(checkout.root, LAW_DIR)),
  );
  try {
    const order = { paths: names.map(inLaw), message: message ?? MESSAGE, commit: message !== null };
    const commit = names.length === 0 ? null : await commitOwn(checkout, order);
    await aside.drop();
    return commit;
  } catch (thrown) {
    await aside.restore();
    throw thrown;
  }
}
