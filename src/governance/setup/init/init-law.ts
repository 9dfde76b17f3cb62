import { verifyLaw } from "../../law/verify-law.ts";
import { LAW_DIR } from "../../repository/law-path.ts";
import { commitOwn } from "../commit-own.ts";
import type { MadeLaw, MakeLaw } from "../law-maker.ts";
import { type LawSeat, openSetup, refuseBusy, type SetupPlace, type SetupScene } from "../open-setup.ts";
import { readOwn, writeOwn } from "../own-files.ts";
import type { Scan } from "../scan/scan-files.ts";
import { mountSidecar } from "../sidecar/mount-sidecar.ts";
import { type InitPlan, planInit } from "./plan-init.ts";

export interface InitWish {
  readonly cwd: string;
  /** Says what would be written; writes nothing. */
  readonly dryRun: boolean;
  /** False: the files are staged, and the person commits them. */
  readonly commit: boolean;
  /** Of the commit; null: ours. */
  readonly message: string | null;
  /** The law gets a branch of its own, mounted at `.nomos`; the branches of the work stay as they are. */
  readonly sidecar: boolean;
  /** Asked again right after it was done, for its notices: the law that is there now is the new one. */
  readonly wasDone?: boolean;
}

export interface InitDone {
  readonly root: string;
  readonly repoKey: string;
  readonly mode: LawSeat["mode"];
  /** The branch of the commit. */
  readonly branch: string;
  /** Files that were made, or would be in a dry run; paths from the root. */
  readonly created: readonly string[];
  /** Files that were committed or staged. */
  readonly recorded: readonly string[];
  readonly commit: string | null;
  readonly scan: Scan;
  /** Null: the law was there. */
  readonly made: MadeLaw | null;
  readonly notices: readonly string[];
}

const MESSAGE = "chore: give the repository a law\n\nWritten by `nomos init`. See CONSTITUTION.md in .nomos.";

/** One shot, and safe to repeat: what is there stays, what is missing is made, and only these files are committed. */
export async function initLaw(place: SetupPlace, make: MakeLaw, wish: InitWish): Promise<InitDone> {
  const scene = await openSetup(place, wish.cwd);
  const plan = await planInit(scene, make);
  const isElsewhere = lawElsewhere(scene) !== null;
  const inRoot = (names: Iterable<string>): readonly string[] => Array.from(names, (name) => `${LAW_DIR}/${name}`);
  const done: InitDone = {
    ...{ root: scene.checkout.root, repoKey: scene.tip.repoKey, mode: scene.seat.mode, scan: plan.scan },
    ...{ branch: scene.seat.checkout.branch ?? "HEAD", created: [], recorded: [], commit: null, made: null },
    notices: [
      ...noticesOf(scene, plan, wish.wasDone === true),
      ...(wish.wasDone === true ? await unsound(place, wish) : []),
    ],
  };
  if (isElsewhere || plan.uncommitted.length === 0) return done;
  const isSidecar = wish.sidecar || hasOwnBranch(scene);
  if (wish.commit || isSidecar) refuseBusy(scene.checkout);
  const told = { ...done, created: inRoot(plan.created.keys()), recorded: inRoot(plan.uncommitted) };
  if (isSidecar && scene.seat.mode === "tracked") return initSidecar(place, make, scene, told, wish);
  if (wish.dryRun) return told;
  const commit = await record(scene.seat, plan, wish);
  const rewritten = await rewrittenOf(scene.seat, plan);
  return { ...told, commit, made: plan.made, notices: [...done.notices, ...rewritten] };
}

/** A formatter in a hook may write our files anew: then they no longer are what was compiled. */
async function rewrittenOf({ checkout, at }: LawSeat, { created }: InitPlan): Promise<readonly string[]> {
  const names: string[] = [];
  for (const [name, text] of created) if ((await readOwn(checkout.root, at(name))) !== text) names.push(at(name));
  return names.length === 0 ? [] : [rewrittenBy(names)];
}

/** A law that was just made verifies, unless a hook or another program got between. */
async function unsound({ git, scratch }: SetupPlace, { cwd }: InitWish): Promise<readonly string[]> {
  const { problems } = await verifyLaw(git, cwd, { scratch });
  return problems.length === 0 ? [] : [rewrittenBy([...new Set(problems.map(({ file }) => file))])];
}

function rewrittenBy(paths: readonly string[]): string {
  return `A hook rewrote ${paths.join(", ")}. Keep .nomos out of that formatter, then run \`nomos governance build\` and \`nomos governance compose\`.`;
}

async function record(seat: LawSeat, plan: InitPlan, wish: InitWish): Promise<string | null> {
  const { checkout, at } = seat;
  const files = new Map(Array.from(plan.created, ([name, text]) => [at(name), text]));
  const { undo } = await writeOwn(checkout.root, files);
  const order = { paths: plan.uncommitted.map(at), message: wish.message ?? MESSAGE, commit: wish.commit };
  return commitOwn(checkout, order).catch(async (thrown: unknown) => {
    await undo();
    throw thrown;
  });
}

async function initSidecar(
  place: SetupPlace,
  make: MakeLaw,
  scene: SetupScene,
  told: InitDone,
  { dryRun, message }: InitWish,
): Promise<InitDone> {
  // Its locks have a history of their own.
  const aside: SetupScene = { ...scene, tip: { ...scene.tip, law: null }, seat: { ...scene.seat, mode: "sidecar" } };
  const asSidecar = await planInit(aside, make);
  const mounted = await mountSidecar(place, scene, asSidecar.created, { message: message ?? MESSAGE, dryRun });
  const { branch, commit, isNew } = mounted;
  const made = isNew && !dryRun ? asSidecar.made : null;
  const files = isNew ? {} : { created: [], recorded: [] };
  return { ...told, ...files, mode: "sidecar", branch, commit, made, notices: [] };
}

/** The branch with the law, where another one is checked out that has none. */
function lawElsewhere({ tip, checkout, seat }: SetupScene): string | null {
  if (!tip.isGoverned || tip.law === null || seat.mode === "sidecar" || hasOwnBranch({ tip })) return null;
  return tip.law.branch === checkout.branch ? null : tip.law.branch;
}

/** Somebody gave the law a branch of its own, which is not mounted here yet. */
function hasOwnBranch({ tip }: Pick<SetupScene, "tip">): boolean {
  return tip.isGoverned && tip.law?.lawFolder === "";
}

function noticesOf(scene: SetupScene, { branch: lawBranch, scan }: InitPlan, wasDone: boolean): readonly string[] {
  const { tip, checkout, seat } = scene;
  const elsewhere = lawElsewhere(scene);
  if (elsewhere !== null) return [`The law of this repository is on ${elsewhere}, and counts here too.`];
  const { branch } = checkout;
  const isNew = wasDone || !tip.isGoverned;
  const isAside = seat.mode === "tracked" && branch !== null && branch !== lawBranch;
  return [
    ...(isAside
      ? [`${branch} is checked out. The law counts for all when it is on ${lawBranch}: land or merge ${branch} there.`]
      : []),
    ...(scan.hasExo && !tip.isGoverned
      ? ["The repository has an `.exo` folder: `nomos governance import exo` reads its law."]
      : []),
    ...(scan.checks.length === 0 && isNew
      ? ["No checks were found. Name them in .nomos/config.yaml, so that work lands only when they pass."]
      : []),
  ];
}
