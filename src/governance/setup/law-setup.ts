import { hostname } from "node:os";
import { createGitRunner, systemClock } from "../../host/index.ts";
import { readConfig } from "../config/config.ts";
import type { ConfigProblem, LawConfig } from "../config/law-config.ts";
import { homeSigner } from "../law/home-signer.ts";
import { createLeases } from "../leases/leases.ts";
import { createRefs } from "../refs/refs.ts";
import { createTicketReader } from "../tickets/read-tickets.ts";
import { type CollectDone, type CollectWish, collectLaw } from "./collect/collect-law.ts";
import { type DeinitDone, type DeinitWish, deinitLaw } from "./deinit/deinit-law.ts";
import { examineLaw, type LawCheck } from "./doctor/examine-law.ts";
import { type InitDone, type InitWish, initLaw } from "./init/init-law.ts";
import { lawOnDisk } from "./init/plan-init.ts";
import { createLawMaker, type MadeLaw, type MakeLaw, namesOf } from "./law-maker.ts";
import { LAW_NAMES } from "./law-names.ts";
import { openSetup } from "./open-setup.ts";
import { scanCheckout } from "./scan/scan-checkout.ts";
import type { Scan } from "./scan/scan-files.ts";
import { type UpgradeDone, type UpgradeWish, upgradeLaw } from "./upgrade/upgrade-law.ts";

/** Sets up, upgrades and removes the laws of repositories. Needs no daemon; records nothing. */
export interface LawSetup {
  readonly init: (wish: InitWish) => Promise<InitDone>;
  readonly deinit: (wish: DeinitWish) => Promise<DeinitDone>;
  readonly upgrade: (wish: UpgradeWish) => Promise<UpgradeDone>;
  readonly collect: (wish: CollectWish) => Promise<CollectDone>;
  readonly scan: (cwd: string) => Promise<{ readonly root: string; readonly scan: Scan }>;
  /** The configuration that is checked out. */
  readonly config: (cwd: string) => Promise<CheckedConfig>;
  /** What is compiled in the checkout; null: not both files are there. */
  readonly compiled: (cwd: string) => Promise<Compiled>;
  readonly examine: (cwd: string) => Promise<readonly LawCheck[] | null>;
}

export interface CheckedConfig {
  readonly config: LawConfig | null;
  readonly problems: readonly ConfigProblem[];
}

export interface Compiled extends Partial<Pick<MadeLaw, "lock" | "seal">> {
  readonly repoKey: string;
}

export interface LawSetupOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The home of Nomos, where the key is that signs. */
  readonly home: string;
  readonly scratch: string;
  readonly nowMs: () => number;
}

export function createLawSetup({ environment, home, scratch, nowMs }: LawSetupOptions): LawSetup {
  const git = createGitRunner(environment);
  const place = { git, environment, scratch, home };
  const reader = createTicketReader(git, scratch);
  const clock = systemClock();
  const leases = createLeases({
    refs: createRefs({ git, clock, environment }),
    clock,
    host: hostname(),
    remoteOf: async () => null,
  });
  const known = { ...place, tickets: reader.read, leases: leases.list, nowMs };
  const make: MakeLaw = async (tip, textOf) =>
    createLawMaker({ git, scratch, signer: await homeSigner(home), nowMs })(tip, textOf);
  return {
    init: (wish) => initLaw(place, make, wish),
    deinit: (wish) => deinitLaw(place, wish),
    upgrade: (wish) => upgradeLaw(place, make, wish),
    collect: (wish) => collectLaw(known, wish),
    examine: (cwd) => examineLaw(known, cwd),
    scan: async (cwd) => {
      const { checkout } = await openSetup(place, cwd);
      return { root: checkout.root, scan: await scanCheckout(checkout) };
    },
    config: async (cwd) => {
      const { seat } = await openSetup(place, cwd);
      return readConfig((await lawOnDisk(seat)).get(LAW_NAMES.config) ?? "");
    },
    compiled: async (cwd) => {
      const { seat, tip } = await openSetup(place, cwd);
      const onDisk = await lawOnDisk(seat);
      const { repoKey } = tip;
      return { repoKey, ...namesOf(onDisk.get(LAW_NAMES.lock) ?? null, onDisk.get(LAW_NAMES.seal) ?? null) };
    },
  };
}
