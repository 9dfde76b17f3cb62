import { stat } from "node:fs/promises";
import { readEvidence, replaceFile } from "../files/durable-file.ts";
import { type Advanced, type Follower, StoreError } from "../port.ts";
import type { LogKey } from "./log-key.ts";
import type { LogTree } from "./log-tree.ts";
import { type Checkpoint, isSignedBy, parseCheckpoint } from "./note.ts";

export interface SignedCheckpoint extends Checkpoint {
  readonly note: string;
  readonly signedAtMs: number;
}

/** Signs the tree's head and keeps the checkpoint outside the database. */
export interface CheckpointKeeper {
  readonly latest: () => SignedCheckpoint | null;
  /** A checkpoint over at least this many events. Signs a new one only if the last is smaller. */
  readonly reach: (size: number) => Promise<SignedCheckpoint>;
  /** Updates the tree after appends, and signs a checkpoint each time it reaches the end of the log. */
  readonly follower: Follower;
  /** Signs a last checkpoint, if it takes less than a second. */
  readonly stop: () => Promise<void>;
}

export interface KeeperOptions {
  readonly tree: LogTree;
  readonly key: LogKey;
  readonly path: string;
  readonly kept: SignedCheckpoint | null;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly nowMs: () => number;
  /** Called for each new checkpoint after it is flushed. */
  readonly onSigned: (signed: SignedCheckpoint) => void;
}

/** The interval while new events arrive. */
const EVERY_MS = 2000;
/** Limits the delay at shutdown. Remaining events are covered after the next start. */
const LAST_MAX_MS = 1000;

export function keepCheckpoints(options: KeeperOptions): CheckpointKeeper {
  const { tree, key, path, after, nowMs } = options;
  let latest = options.kept;
  let last: Promise<unknown> = Promise.resolve();

  const sign = async (): Promise<void> => {
    const head = tree.head();
    // A checkpoint never goes back, and the same size is never signed twice.
    if (head.size === 0 || head.size <= (latest?.size ?? 0)) return;
    const note = key.sign(head);
    const checkpoint = parseCheckpoint(note);
    if (checkpoint === null) throw new Error("a checkpoint of ours does not parse");
    await replaceFile(path, note);
    latest = { ...checkpoint, note, signedAtMs: nowMs() };
    options.onSigned(latest);
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
  const signAll = async (): Promise<void> => {
    await tree.advance();
    await sign();
  };
  const signAtEnd = async (): Promise<Advanced> => {
    const advanced = await tree.takePage();
    if (advanced.isAtEnd) await sign();
    return advanced;
  };

  return {
    latest: () => latest,
    follower: {
      name: "tree",
      pauseMs: EVERY_MS,
      position: async () => tree.head().size,
      advance: () => inTurn(signAtEnd),
      restart: () => inTurn(tree.clear),
    },
    reach: async (size) => {
      while (latest === null || latest.size < size) {
        const before: number = tree.head().size;
        await inTurn(signAll);
        if (tree.head().size === before && (latest?.size ?? 0) < size)
          throw new StoreError("event_not_found", { size, treeSize: before });
      }
      return latest;
    },
    stop: async () => {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const forget = after(LAST_MAX_MS, resolve);
      // If this fails, the next start signs it.
      await Promise.race([inTurn(signAll).catch(() => undefined), late]);
      forget();
    },
  };
}

/** The last checkpoint as stored. Throws unless this key has signed exactly these bytes. */
export async function readKept(path: string, key: LogKey): Promise<SignedCheckpoint | null> {
  const bytes = await readEvidence(path);
  if (bytes === null) return null;
  const note = Buffer.from(bytes).toString("utf8");
  const checkpoint = parseCheckpoint(note);
  if (checkpoint === null) throw new StoreError("checkpoint_invalid", { path, problem: "it is not a checkpoint" });
  if (checkpoint.origin !== key.verifier.name || !isSignedBy(checkpoint, key.verifier))
    throw new StoreError("checkpoint_invalid", { path, problem: "it is not signed by this log's key" });
  return { ...checkpoint, note, signedAtMs: (await stat(path)).mtimeMs };
}
