import { randomUUID } from "node:crypto";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { NomosError } from "../../../contract/index.ts";
import { type PersonCheckout, removeTree } from "../../../host/index.ts";
import { readConfig } from "../../config/config.ts";
import { LAW_DIR, SIDECAR_BRANCH } from "../../repository/law-path.ts";
import { commitOwn } from "../commit-own.ts";
import { committedIn } from "../init/plan-init.ts";
import { LAW_NAMES, TICKETS } from "../law-names.ts";
import { dropRefs, lawRefs } from "../law-refs.ts";
import { openSetup, refuseBusy, type SetupPlace, type SetupScene } from "../open-setup.ts";
import { readOwn } from "../own-files.ts";
import { unmountSidecar } from "../sidecar/unmount-sidecar.ts";

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

const MESSAGE = "chore: remove the law of the repository\n\nRemoved by `nomos deinit`.";

/** Leaves no trace but the commits that tell of it. */
export async function deinitLaw(place: SetupPlace, wish: DeinitWish): Promise<DeinitDone> {
  const scene = await openSetup(place, wish.cwd);
  const { tip, checkout, seat } = scene;
  const names = await committedIn(seat);
  const refs = await lawRefs(checkout.git);
  const changed = await seat.checkout.changed(seat.folder);
  if (names.size === 0 && changed.length === 0 && refs.length === 0) refuseUngoverned(scene);
  const kept = whatWouldGo(scene, names, changed);
  const done: DeinitDone = {
    ...{ root: checkout.root, repoKey: tip.repoKey, mode: seat.mode, commit: null, kept },
    files: [...new Set([...names, ...changed.map((path) => nameOf(scene, path))])]
      .sort()
      .map((name) => `${LAW_DIR}/${name}`),
    refs: [...refs.map(({ name }) => name), ...(seat.mode === "sidecar" ? [`refs/heads/${SIDECAR_BRANCH}`] : [])],
    notices: await noticesOf(scene),
  };
  if (wish.dryRun) return done;
  if (kept.length > 0 && !wish.force) throw holdsWork(kept);
  if (seat.mode === "sidecar") await unmountSidecar(scene);
  const commit = seat.mode === "sidecar" ? null : await removeTracked(checkout, names.size > 0, wish.message);
  await dropRefs(checkout.git, refs);
  return { ...done, commit };
}

function refuseUngoverned({ tip, checkout }: SetupScene): never {
  if (!tip.isGoverned || tip.law === null) throw new NomosError("not_governed", { root: checkout.root });
  const { branch, lawFolder } = tip.law;
  const words =
    lawFolder === ""
      ? { message: `The law's branch ${branch} is not mounted here.`, remedy: "Run `nomos init`, which mounts it." }
      : { message: `The law is on ${branch}, which is not checked out here.`, remedy: `Run \`git switch ${branch}\`.` };
  throw new NomosError("governance_blocked", { branch }, words);
}

const OWN: readonly string[] = [
  LAW_NAMES.constitution,
  LAW_NAMES.config,
  LAW_NAMES.lock,
  LAW_NAMES.seal,
  LAW_NAMES.ignore,
];

/** Tickets, and whatever no commit holds but what `init` itself made. */
function whatWouldGo(scene: SetupScene, names: ReadonlySet<string>, changed: readonly string[]): readonly string[] {
  const tickets = [...names].filter((name) => name.startsWith(`${TICKETS}/`) && name.endsWith(".yaml"));
  const uncommitted = changed
    .map((path) => nameOf(scene, path))
    .filter((name) => names.has(name) || !OWN.includes(name));
  return [...new Set([...tickets, ...uncommitted])].sort().map((name) => `${LAW_DIR}/${name}`);
}

function nameOf({ seat: { folder } }: SetupScene, path: string): string {
  return folder === "" ? path : path.slice(folder.length + 1);
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

/** The folder is put aside until the commit is made, so that a hook that refuses it brings back all of it. */
async function removeTracked(checkout: PersonCheckout, isCommitted: boolean, message: string | null) {
  const { root, repository } = checkout;
  if (isCommitted) refuseBusy(checkout);
  const paths = [...new Set([...(await checkout.committed(LAW_DIR)), ...(await checkout.changed(LAW_DIR))])];
  const aside = await putAside(join(root, LAW_DIR), repository.gitDir);
  try {
    const order = { paths, message: message ?? MESSAGE, commit: isCommitted };
    const commit = paths.length === 0 ? null : await commitOwn(checkout, order);
    if (aside !== null) await removeTree(aside);
    return commit;
  } catch (thrown) {
    if (aside !== null) await rename(aside, join(root, LAW_DIR));
    throw thrown;
  }
}

/** Null: there is no folder on disk. */
async function putAside(folder: string, gitDir: string): Promise<string | null> {
  const name = `nomos-removed-${randomUUID()}`;
  for (const place of [join(gitDir, name), `${folder}.${name}`]) {
    const moved = await rename(folder, place).then(
      () => place,
      (thrown: unknown) => {
        if (thrown instanceof Error && "code" in thrown && ["ENOENT", "EXDEV"].includes(String(thrown.code)))
          return thrown.code === "ENOENT" ? null : undefined;
        throw thrown;
      },
    );
    if (moved !== undefined) return moved;
  }
  return null;
}
