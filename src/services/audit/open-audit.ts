import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { By, Committer } from "../../commit/index.ts";
import type { Config } from "../../contract/index.ts";
import { recordExport, type Sha256, System } from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import {
  type CheckpointKeeper,
  checkTree,
  createTileFiles,
  type Follower,
  keepCheckpoints,
  type LogKey,
  type LogTree,
  openCheckedTree,
  openLogKey,
  type RecordedEvent,
  readKept,
  type Store,
  sha256,
  type TreeReport,
} from "../../store/index.ts";
import { configuredAnchors } from "../anchoring/configured-anchors.ts";
import { type AnchorStatus, keepAnchored } from "../anchoring/keep-anchored.ts";
import { type CheckedTree, checked } from "./checked-tree.ts";

/** The evidence of the log: its Merkle tree, the signed checkpoints, and the anchors. */
export interface AuditService {
  readonly tree: LogTree;
  readonly checkpoints: CheckpointKeeper;
  /** The verifier key as text, for others to store. */
  readonly key: string;
  readonly sha256: Sha256;
  /** Updates the tree and compares all of it with the log; `repair` rewrites wrong tiles. */
  readonly check: (repair: boolean) => Promise<TreeReport>;
  readonly anchors: () => readonly AnchorStatus[];
  /** The newest checkpoint with a witness's signature; null when there is none. */
  readonly cosigned: () => Promise<string | null>;
  readonly noteExport: (
    made: { readonly path: string; readonly size: number },
    by: By,
  ) => Promise<readonly RecordedEvent[]>;
}

export interface Audit {
  /** For syscalls. Takes the committer, which is built only after the log was checked against its checkpoint. */
  readonly service: (committer: Committer) => AuditService;
  readonly tree: LogTree;
  readonly key: LogKey;
  /** Updates the tree, then signs a checkpoint. */
  readonly follower: Follower;
  /** Signs a last checkpoint. Call it before the store is closed. */
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

/** Call it before anything is written. Throws `log_rolled_back` when the log is not the one that was signed. */
export async function openAudit({ home, store, config, environment, clock, log }: AuditOptions): Promise<Audit> {
  const { key, kept, tiles } = await openParts(home);
  const { tree, renewed } = await openCheckedTree(store, tiles, kept);
  if (renewed) log("rebuilt the tree over the log", { size: tree.head().size });
  const witnessed = join(home, "checkpoint.cosigned");
  const anchored = { tree, key: key.verifier };
  const named = configuredAnchors(config.anchors ?? {}, anchored, { environment, keptAt: witnessed });
  const anchors = keepAnchored(named, { clock, log });
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
        (await committer.change(System, "", (state) => recordExport(state, made), by)).events,
    }),
    stop: async () => {
      await checkpoints.stop();
      await anchors.stop();
    },
  };
}

/** Compares the tree with the log in a home without a running daemon; `repair` corrects the tree. */
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
