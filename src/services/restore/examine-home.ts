import { randomBytes } from "node:crypto";
import { createCommitter, UNBOUNDED } from "../../commit/index.ts";
import { type LastComparison, System, uuidv7Maker } from "../../domains/index.ts";
import { findBubblewrap, systemClock } from "../../host/index.ts";
import { createRedactor } from "../../redaction/index.ts";
import {
  mayHaveLog,
  openStore,
  type RebuildReport,
  type Store,
  StoreError,
  type StoreSettings,
  type VerifyReport,
} from "../../store/index.ts";
import type { CheckedTree } from "../audit/checked-tree.ts";
import { examineTree } from "../audit/open-audit.ts";
import { openSettings, storeSettings } from "../config/settings.ts";
import { releaseHomeLease, takeHomeLease } from "../home/home-lease.ts";
import { homeState } from "../home/home-state.ts";
import { takeLock } from "../home/prepare-home.ts";

export interface ExamineOptions {
  readonly rebuild: boolean;
  readonly repair: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The answer of `system.doctor`, without a daemon. `log` is null when there is no log yet. */
export interface Examination {
  readonly ok: boolean;
  readonly log: VerifyReport | null;
  readonly models: RebuildReport | null;
  readonly tree: Omit<CheckedTree, "root"> | null;
  /** What the anchors answered when this log was last restored. */
  readonly compared: LastComparison | null;
  readonly sandbox: { readonly bubblewrap: string | null; readonly remedy: string | null };
  readonly home: OutputHome;
}

interface OutputHome {
  readonly ok: boolean;
  readonly left: { path: string; reason: string; remedy: string }[];
  readonly aside: string[];
}

/** Checks a home without a running daemon, under its lock. A log that cannot be opened is reported, not thrown. */
export async function examine(home: string, options: ExamineOptions): Promise<Examination> {
  const bubblewrap = await findBubblewrap(options.environment["PATH"] ?? "");
  const sandbox = {
    bubblewrap: "path" in bubblewrap ? bubblewrap.path : null,
    remedy: "remedy" in bubblewrap ? bubblewrap.remedy : null,
  };
  const settings = storeSettings(home, await openSettings(home), options.environment);
  const { left, aside } = await homeState(home, null);
  const state = { ok: left.length === 0, left: [...left], aside: [...aside] };
  if (!mayHaveLog(settings))
    return { ok: true, log: null, models: null, tree: null, compared: null, sandbox, home: state };
  const lock = takeLock(home);
  try {
    const found = await examineLog(settings, options);
    const { log, models, tree } = found;
    return { ok: log.ok && (models?.ok ?? true) && (tree?.ok ?? true), ...found, sandbox, home: state };
  } finally {
    lock.release();
  }
}

async function examineLog(
  settings: StoreSettings,
  { rebuild, repair }: ExamineOptions,
): Promise<Pick<Examination, "models" | "tree" | "compared"> & { readonly log: VerifyReport }> {
  let failed: StoreError | null = null;
  const onFatal = (error: StoreError): void => {
    failed = error;
  };
  try {
    const store = await openStore(settings, onFatal);
    try {
      const log = await store.verify();
      const models = repair ? await repairModels(store) : rebuild ? await store.rebuild(null) : null;
      const tree = log.ok ? await examineTree(settings.home, store, repair) : null;
      const compared = log.ok ? ((await store.fold(System, "")).compared ?? null) : null;
      return { log, models, tree, compared };
    } finally {
      await store.close();
    }
  } catch (thrown) {
    const error = failed ?? thrown;
    if (!(error instanceof StoreError) || error.code !== "log_corrupt") throw error;
    return { log: corrupt(error), models: null, tree: null, compared: null };
  }
}

/** Takes the home lease for the repair, because only its holder may write, and releases it. */
async function repairModels(store: Store): Promise<RebuildReport> {
  const clock = systemClock();
  const newId = uuidv7Maker({ nowMs: clock.nowMs, random: () => randomBytes(10) });
  const fence = await takeHomeLease({ store, newId, clock, holder: `doctor:${process.pid}` });
  const report = await store.rebuild({ fence });
  await releaseHomeLease(
    createCommitter({
      store,
      clock,
      newId,
      fence,
      bounds: UNBOUNDED,
      redactor: createRedactor({ fingerprintKey: randomBytes(32) }),
    }),
    fence,
  );
  return report;
}

/** The report for a log that cannot be opened: the one problem that stopped it. */
function corrupt({ details }: StoreError): VerifyReport {
  const { stream, version, seq, problem, reason } = details;
  const found = {
    stream: typeof stream === "string" ? stream : "",
    version: typeof version === "number" ? version : 0,
    seq: typeof seq === "number" ? seq : null,
    problem: String(problem ?? reason ?? "unreadable"),
  };
  return { ok: false, events: 0, streams: 0, problems: [found] };
}
