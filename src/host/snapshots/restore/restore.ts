import { once } from "node:events";
import type { Objects } from "../packs/objects.ts";
import { SnapshotError } from "../snapshot-error.ts";
import type { ByteName } from "../walk/byte-path.ts";
import { startConfined } from "./confined.ts";
import { restoreOrders, type Seen, type Top } from "./restore-orders.ts";
import type { RestorePlan } from "./restore-plan.ts";

export interface CarryOutOptions {
  readonly objects: Pick<Objects, "get">;
  readonly plan: RestorePlan;
  readonly root: string;
  readonly top: Top;
  readonly withOwner: boolean;
  readonly bwrapPath: string;
  readonly seenAt: (path: ByteName) => Seen | null;
  /** Called with the size of each piece that was handed over. */
  readonly onSent: (bytes: number) => void;
}

const ANSWER_BYTES_MAX = 1_048_576;

/** Has the confined program carry out the plan. Returns the directories that it could not remove. */
export async function* carryOut(
  options: CarryOutOptions,
): AsyncGenerator<void, { readonly kept: readonly ByteName[] }> {
  const { objects, plan, root, top, withOwner, bwrapPath, seenAt, onSent } = options;
  const child = startConfined({ bwrapPath, tree: root });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error("the restore program has no pipes");
  const said = { out: "", err: "" };
  stdout.setEncoding("utf8").on("data", (text: string) => {
    if (said.out.length < ANSWER_BYTES_MAX) said.out += text;
  });
  stderr.setEncoding("utf8").on("data", (text: string) => {
    if (said.err.length < ANSWER_BYTES_MAX) said.err += text;
  });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  child.on("error", failed.reject);
  // The program ends before reading everything when it refuses. Its answer counts, not the broken pipe.
  let isCut = false;
  stdin.on("error", () => {
    isCut = true;
  });
  const over = Promise.race([once(child, "close"), failed.promise]);
  over.catch(() => undefined);
  try {
    for (const bytes of restoreOrders(objects, plan, top, withOwner, seenAt)) {
      if (isCut || child.exitCode !== null) break;
      if (!stdin.write(bytes)) await Promise.race([once(stdin, "drain").catch(() => undefined), over]);
      onSent(bytes.length);
      yield;
    }
    stdin.end();
    await over;
  } catch (error) {
    child.kill("SIGKILL");
    if (error instanceof SnapshotError) throw error;
    throw new SnapshotError("restore_failed", { root, reason: String(error) }, error);
  }
  return answerOf(said, root);
}

interface Answer {
  readonly ok: boolean;
  readonly kept?: readonly ByteName[];
  readonly op?: string;
  readonly path?: ByteName;
  readonly code?: string;
}

function answerOf(said: { readonly out: string; readonly err: string }, root: string): { kept: readonly ByteName[] } {
  let answer: Answer | null = null;
  try {
    answer = JSON.parse(said.out) as Answer;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (answer?.ok === true) return { kept: answer.kept ?? [] };
  const code = answer?.code ?? "";
  if (code === "TREE_MOVED") throw new SnapshotError("tree_moved", { root });
  if (code === "ENOSPC" || code === "EDQUOT") throw new SnapshotError("disk_full", { root });
  // bubblewrap reports itself why it could not start.
  const reason = answer === null ? said.err.trim().slice(-400) : `${answer.op} ${answer.path}: ${code}`;
  throw new SnapshotError("restore_failed", { root, reason: reason || "the restore program died" });
}
