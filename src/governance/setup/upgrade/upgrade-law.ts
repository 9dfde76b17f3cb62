import { NomosError } from "../../../contract/index.ts";
import { readConfig } from "../../config/config.ts";
import { newerThanOurs } from "../../law/lock.ts";
import { LAW_DIR, SIDECAR_BRANCH } from "../../repository/law-path.ts";
import { parseYaml } from "../../yaml/parse-yaml.ts";
import { commitOwn } from "../commit-own.ts";
import { changedIn, lawOnDisk } from "../init/plan-init.ts";
import type { MadeLaw, MakeLaw } from "../law-maker.ts";
import { GIT_FILES, LAW_NAMES } from "../law-names.ts";
import { openSetup, refuseBusy, type SetupPlace, type SetupScene } from "../open-setup.ts";
import { writeOwn } from "../own-files.ts";
import { DEFAULT_BUDGET } from "../scan/languages.ts";
import { backfilled } from "../texts/config-text.ts";

export interface UpgradeWish {
  readonly cwd: string;
  readonly dryRun: boolean;
  readonly commit: boolean;
  readonly message: string | null;
}

export interface UpgradeDone {
  readonly root: string;
  readonly repoKey: string;
  /** Paths from the root that changed, or would. */
  readonly files: readonly string[];
  readonly commit: string | null;
  readonly made: MadeLaw | null;
}

const MESSAGE = "chore: upgrade the law of the repository\n\nWritten by `nomos governance upgrade`.";

/** Adds settings that this version knows and compiles the law anew. What people wrote stays as it is. */
export async function upgradeLaw(place: SetupPlace, make: MakeLaw, wish: UpgradeWish): Promise<UpgradeDone> {
  const scene = await openSetup(place, wish.cwd);
  const { seat, tip, checkout } = scene;
  const before = await lawOnDisk(seat);
  if (!before.has(LAW_NAMES.constitution)) throw new NomosError("not_governed", { root: checkout.root });
  const changed = await changedIn(seat);
  if (changed.length > 0) throw uncommitted(changed);
  for (const name of [LAW_NAMES.lock, LAW_NAMES.seal]) refuseNewer(name, before.get(name) ?? "");
  const after = new Map(before);
  for (const [name, text] of GIT_FILES) after.set(name, before.get(name) ?? text);
  after.set(LAW_NAMES.config, upgradedConfig(scene, before.get(LAW_NAMES.config) ?? ""));
  const made = await make(tip, (name) => after.get(name) ?? null);
  for (const [name, text] of made.files) after.set(name, text);
  const files = new Map([...after].filter(([name, text]) => before.get(name) !== text));
  const done = {
    ...{ root: checkout.root, repoKey: tip.repoKey, commit: null, made },
    files: Array.from(files.keys(), (name) => `${LAW_DIR}/${name}`),
  };
  if (files.size === 0 || wish.dryRun) return { ...done, made: null };
  if (wish.commit) refuseBusy(seat.checkout);
  const { undo } = await writeOwn(
    seat.checkout.root,
    new Map(Array.from(files, ([name, text]) => [seat.at(name), text])),
  );
  const order = { paths: [...files.keys()].map(seat.at), message: wish.message ?? MESSAGE, commit: wish.commit };
  const commit = await commitOwn(seat.checkout, order).catch(async (thrown: unknown) => {
    await undo();
    throw thrown;
  });
  return { ...done, commit };
}

function upgradedConfig({ tip, checkout, seat }: SetupScene, text: string): string {
  const parsed = parseYaml(text);
  const given = parsed.ok && typeof parsed.value === "object" && parsed.value !== null ? parsed.value : {};
  const known = tip.law === null || tip.law.branch === "HEAD" ? (checkout.branch ?? "main") : tip.law.branch;
  const branch = seat.mode === "sidecar" ? SIDECAR_BRANCH : known;
  const wish = { branch, budget: readConfig(text).config?.budgets ?? DEFAULT_BUDGET, checks: [] };
  return backfilled(text, (key) => Object.hasOwn(given, key), wish) ?? text;
}

/** Written anew by this version, it would lose what the newer one put into it. */
function refuseNewer(key: string, text: string): void {
  const reason = newerThanOurs(text);
  if (reason !== null) throw new NomosError("governance_newer", { key, reason });
}

const SHOWN_MAX = 5;

function uncommitted(changed: readonly string[]): NomosError {
  return new NomosError(
    "governance_kept",
    { files: changed.slice(0, SHOWN_MAX) },
    {
      message: `The law has changes that are not committed: ${changed.slice(0, SHOWN_MAX).join(", ")}.`,
      remedy: "Commit them, or take them back with `git restore`; then try again.",
    },
  );
}
