import { basename } from "node:path";
import { SIDECAR_BRANCH } from "../../repository/law-path.ts";
import type { MadeLaw, MakeLaw } from "../law-maker.ts";
import { CACHE, GIT_FILES, isOurs, LAW_NAMES, MADE_NAMES } from "../law-names.ts";
import type { LawSeat, SetupScene } from "../open-setup.ts";
import { readOwn } from "../own-files.ts";
import { scanCheckout } from "../scan/scan-checkout.ts";
import type { Scan } from "../scan/scan-files.ts";
import { configText } from "../texts/config-text.ts";
import { constitutionText } from "../texts/constitution-text.ts";

/** Files by their names in the folder of the law. */
export interface InitPlan {
  readonly scan: Scan;
  /** The branch that the law names as its own. */
  readonly branch: string;
  /** Files that are not there yet, with their texts. */
  readonly created: ReadonlyMap<string, string>;
  /** Files of the law that no commit holds: the created ones, and those an earlier call left. */
  readonly uncommitted: readonly string[];
  /** Null: the law was compiled before. */
  readonly made: MadeLaw | null;
}

/** What people wrote stays; only what is missing is made. */
export async function planInit(scene: SetupScene, make: MakeLaw): Promise<InitPlan> {
  const { seat, checkout } = scene;
  const committed = await committedIn(seat);
  const onDisk = await lawOnDisk(seat);
  const scan = await scanCheckout(checkout);
  const branch = lawBranch(scene);
  const isMissing = (name: string): boolean => !onDisk.has(name) && !committed.has(name);
  const created = new Map<string, string>();
  if (isMissing(LAW_NAMES.constitution))
    created.set(LAW_NAMES.constitution, constitutionText(basename(checkout.root), scan, branch));
  if (isMissing(LAW_NAMES.config))
    created.set(LAW_NAMES.config, configText({ branch, budget: scan.budget, checks: [] }));
  for (const [name, text] of GIT_FILES) if (isMissing(name)) created.set(name, text);
  const textOf = (name: string): string | null => created.get(name) ?? onDisk.get(name) ?? null;
  const made = [LAW_NAMES.lock, LAW_NAMES.seal].some(isMissing) ? await make(scene.tip, textOf) : null;
  for (const [name, text] of made?.files ?? []) if (isMissing(name)) created.set(name, text);
  const own = MADE_NAMES.filter((name) => !committed.has(name) && textOf(name) !== null);
  const uncommitted = committed.size > 0 ? own : [...new Set([...own, ...(await imported(seat))])];
  return { scan, branch, created, uncommitted, made };
}

/** What an import brought before the law was ever committed. */
async function imported({ checkout, folder }: LawSeat): Promise<readonly string[]> {
  const names = await changedIn({ checkout, folder });
  return names.filter((name) => isOurs(name) && !name.startsWith(`${CACHE}/`));
}

/** Names of our files that differ from the last commit, or that no commit holds. */
export async function changedIn({
  checkout,
  folder,
}: Pick<LawSeat, "checkout" | "folder">): Promise<readonly string[]> {
  const paths = await checkout.changed(folder);
  return (folder === "" ? paths : paths.map((path) => path.slice(folder.length + 1))).filter(isOurs);
}

/** Names of our files that a commit holds. */
export async function committedIn({ checkout, folder }: LawSeat): Promise<ReadonlySet<string>> {
  const paths = await checkout.committed(folder);
  const names = folder === "" ? [...paths] : [...paths].map((path) => path.slice(folder.length + 1));
  return new Set(names.filter(isOurs));
}

export async function lawOnDisk({ checkout, at }: LawSeat): Promise<ReadonlyMap<string, string>> {
  const onDisk = new Map<string, string>();
  for (const name of Object.values(LAW_NAMES)) {
    const text = await readOwn(checkout.root, at(name));
    if (text !== null) onDisk.set(name, text);
  }
  return onDisk;
}

/** A default branch that exists, or else the one that is checked out. */
function lawBranch({ tip, checkout, seat }: SetupScene): string {
  if (seat.mode === "sidecar") return SIDECAR_BRANCH;
  const named = tip.law?.branch ?? null;
  return named !== null && named !== "HEAD" ? named : (checkout.branch ?? "main");
}
