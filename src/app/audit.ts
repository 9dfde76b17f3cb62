import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Committer } from "../commit/index.ts";
import type { Config } from "../contract/index.ts";
import { System, systemFact } from "../domains/index.ts";
import { type Anchor, type Clock, createGitAnchor, createWitnessAnchor, keepAnchored } from "../host/index.ts";
import {
  checkTree,
  createTileFiles,
  type Follower,
  keepCheckpoints,
  type LogKey,
  type LogTree,
  openCheckedTree,
  openLogKey,
  readKept,
  type Store,
  sha256,
} from "../store/index.ts";
import { type AuditService, type CheckedTree, checked } from "../syscalls/index.ts";

export interface Audit {
  /** What syscalls ask; the committer comes later than the check that the log is the one that was signed. */
  readonly service: (committer: Committer) => AuditService;
  readonly tree: LogTree;
  readonly key: LogKey;
  /** Takes the tree along, and signs. */
  readonly follower: Follower;
  /** One last checkpoint, before the store is closed. */
  readonly stop: () => Promise<void>;
}

export interface AuditOptions {
  readonly home: string;
  readonly store: Store;
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: (message: string, details?: object) => void;
}

/** Before anything is written: refuses with `log_rolled_back` when the log is not the one that was signed. */
export async function openAudit({ home, store, config, environment, clock, log }: AuditOptions): Promise<Audit> {
  const { key, kept, tiles } = await openParts(home);
  const { tree, renewed } = await openCheckedTree(store, tiles, kept);
  if (renewed) log("rebuilt the tree over the log", { size: tree.head().size });
  const witnessed = join(home, "checkpoint.cosigned");
  const anchors = keepAnchored(anchorsOf(config, { environment, keptAt: witnessed, tree, key: key.verifier }), {
    clock,
    log,
  });
  const checkpoints = keepCheckpoints({
    tree,
    key,
    path: checkpointPath(home),
    kept,
    after: clock.after,
    nowMs: clock.nowMs,
    onSigned: anchors.put,
  });
  if (kept !== null) anchors.put(kept);

  return {
    tree,
    key,
    follower: checkpoints.follower,
    service: (committer) => ({
      tree,
      checkpoints,
      key: key.verifier.text,
      sha256,
      check: async (repair) => {
        await tree.advance();
        return checkTree({ log: store, tiles, tree, signed: checkpoints.latest(), repair });
      },
      anchors: anchors.status,
      cosigned: () => readFile(witnessed, "utf8").catch(() => null),
      noteExport: async (made, by) =>
        (await committer.change(System, "", () => [systemFact("log.exported@1", made)], by)).events,
    }),
    stop: async () => {
      await checkpoints.stop();
      await anchors.stop();
    },
  };
}

/** The tree of a home that no daemon runs on, compared with its log; with `repair` made right again. */
export async function examineTree(home: string, store: Store, repair: boolean): Promise<Omit<CheckedTree, "root">> {
  return checked(async () => {
    const { kept, tiles } = await openParts(home);
    const { tree } = await openCheckedTree(store, tiles, kept);
    await tree.advance();
    return checkTree({ log: store, tiles, tree, signed: kept, repair });
  });
}

async function openParts(home: string) {
  const key = await openLogKey(join(home, "keys"));
  const kept = await readKept(checkpointPath(home), key);
  return { key, kept, tiles: createTileFiles(join(home, "tree")) };
}

function checkpointPath(home: string): string {
  return join(home, "checkpoint");
}

function anchorsOf(
  { anchors = {} }: Config,
  given: {
    readonly environment: AuditOptions["environment"];
    readonly keptAt: string;
  } & Parameters<typeof createGitAnchor>[1],
): readonly Anchor[] {
  const { git, witness } = anchors;
  const { environment, keptAt } = given;
  return [
    ...(git === undefined ? [] : [createGitAnchor({ ...git, environment }, given)]),
    ...(witness === undefined ? [] : [createWitnessAnchor({ ...witness, keptAt }, given)]),
  ];
}
