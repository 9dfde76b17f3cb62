import * as z from "zod";
import { checked } from "../../services/index.ts";
import type { Context } from "../define.ts";
import type { Services } from "../services.ts";

/** One difference: an event by its seq, a part of the tree by its position, or a root by its size. */
export const AuditProblem = z.object({
  problem: z.string(),
  stream: z.string().optional(),
  version: z.number().optional(),
  seq: z.number().nullable().optional(),
  level: z.number().optional(),
  index: z.number().optional(),
  size: z.number().optional(),
  expected: z.string().optional(),
  found: z.string().optional(),
});
type AuditProblem = z.infer<typeof AuditProblem>;

/** Checks every event against its chain, then all events against the tree and the signed checkpoints. */
export async function verifyAll(
  { store, audit }: Pick<Services, "audit" | "store">,
  progress: Context["progress"],
): Promise<{
  readonly ok: boolean;
  readonly size: number;
  readonly root: string;
  readonly problems: AuditProblem[];
}> {
  const log = await store.verify((done, total) => progress({ message: "checking every event", done, total }));
  progress({ message: "checking the tree" });
  const tree = await checked(audit.check);
  const problems = [...log.problems, ...tree.problems];
  return { ok: problems.length === 0, size: tree.size, root: tree.root, problems };
}
