import { join } from "node:path";
import { Config, NomosError } from "../../contract/index.ts";
import { type AnchorAnswer, type Compared, hex, type Restored } from "../../domains/index.ts";
import type { Json } from "../../kernel/index.ts";
import {
  createTileFiles,
  openCheckedTree,
  openSqliteStore,
  type SignedCheckpoint,
  type TreeHead,
  type VerifierKey,
} from "../../store/index.ts";
import { askAnchors } from "../anchoring/ask-anchors.ts";
import { configuredAnchors } from "../anchoring/configured-anchors.ts";
import { openSettings } from "../config/settings.ts";
import { homeBeforeAndNow } from "./newest-checkpoint.ts";

export interface AskOptions {
  readonly home: string;
  readonly from: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly anchors?: unknown;
  readonly despiteAnchors?: boolean;
  readonly progress: (message: string) => void;
}

type Named = NonNullable<Config["anchors"]>;

/**
 * Compares a verified copy of a backup with the anchors' checkpoints: anchors given by the caller, those of the restored
 * home, and those of the backup. The backup's anchors alone are not enough: somebody who hides events with an older backup
 * could bring one that names no anchor. Null when there are no anchors.
 */
export async function compareWithAnchors(
  options: AskOptions,
  folder: string,
  { key, kept }: { readonly key: VerifierKey; readonly kept: SignedCheckpoint },
): Promise<Compared | null> {
  const { home, from, environment, despiteAnchors = false, progress } = options;
  const own = await Promise.all(
    (await homeBeforeAndNow(home)).map((one) => anchorsIn(one).catch(orNone(one, progress))),
  );
  const named = distinct([givenAnchors(options.anchors), ...own, await anchorsIn(folder)]);
  if (named.length === 0) return null;
  progress("asking the anchors");
  const copy = await openSqliteStore({ home: folder, onFatal: () => undefined });
  try {
    const { tree } = await openCheckedTree(copy, createTileFiles(join(folder, "tree")), kept);
    const keptAt = join(folder, "checkpoint.cosigned");
    const anchors = named.flatMap((one) => configuredAnchors(one, { tree, key }, { environment, keptAt }));
    const answers = await askAnchors(anchors, kept);
    const against = answers.filter(({ verdict }) => verdict === "contradicts");
    if (against.length > 0 && !despiteAnchors)
      throw new NomosError("restore_contradicted", { from, size: kept.size, anchors: against.map(asJson) });
    return { size: kept.size, root: hex(kept.root), answers, forced: against.length > 0 };
  } finally {
    await copy.close();
  }
}

/** The newest checkpoint known beyond the backup; null when no loss is known. */
export function newestKnown(
  size: number,
  remembered: TreeHead | null,
  answers: readonly AnchorAnswer[],
): { readonly size: number; readonly root: string | null } | null {
  const own = remembered === null ? [] : [{ size: remembered.size, root: hex(remembered.root) }];
  const told = answers.flatMap(({ verdict, size: its, root }) =>
    verdict === "newer" && its !== null ? [{ size: its, root }] : [],
  );
  const newer = [...own, ...told].filter((one) => one.size > size);
  return newer.toSorted((one, other) => other.size - one.size || (other.root === null ? -1 : 1))[0] ?? null;
}

/** `log.restored@1` holds a checkpoint with its root; a size without a root, from a witness, is in `log.compared@1`. */
export function withRoot(newer: ReturnType<typeof newestKnown>): Restored["newer"] {
  return newer === null || newer.root === null ? null : { size: newer.size, root: newer.root };
}

function givenAnchors(given: unknown): Named {
  const parsed = Config.shape.anchors.safeParse(given);
  if (parsed.success) return parsed.data ?? {};
  const issues = parsed.error.issues.map(({ path, message }) => ({ field: ["anchors", ...path].join("."), message }));
  throw new NomosError("invalid_request", { issues });
}

async function anchorsIn(folder: string): Promise<Named> {
  return (await openSettings(folder)).show().anchors ?? {};
}

/** A home with a damaged configuration can still be restored; the person is told that its anchors were not asked. */
function orNone(folder: string, progress: AskOptions["progress"]): () => Named {
  return () => {
    progress(`${join(folder, "config.json")} cannot be read; the anchors it names are not asked`);
    return {};
  };
}

/** One entry per place, so that an anchor named by both home and backup is asked once. */
function distinct(all: readonly Named[]): readonly Named[] {
  const single = all.flatMap(({ git, witness }): Named[] => [
    ...(git === undefined ? [] : [{ git }]),
    ...(witness === undefined ? [] : [{ witness }]),
  ]);
  return [...new Map(single.map((one) => [JSON.stringify(one), one])).values()];
}

function asJson({ kind, where, verdict, size, root }: AnchorAnswer): Json {
  return { kind, where, verdict, size, root };
}
