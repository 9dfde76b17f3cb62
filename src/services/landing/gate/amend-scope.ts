import type { Committer } from "../../../commit/index.ts";
import type { Finding } from "../../../domains/index.ts";
import { shellQuoted } from "../../../host/index.ts";
import { fact, isEnded, LIMITS, type NewId, type SessionState, WIDEN } from "../../../kernel/index.ts";
import type { Redactor } from "../../../redaction/index.ts";
import { cutDiff } from "../../../turns/index.ts";
import type { Judged } from "../judge.ts";

export interface AmendMeans {
  readonly committer: Pick<Committer, "session">;
  readonly newId: NewId;
  readonly redactor: Pick<Redactor, "text">;
}

/** As after a turn: more than a person reads at once is asked about the next time. */
const OFFERED = { count: 20, bytes: 16_384 } as const;
const DIFF_TIMEOUT_MS = 60_000;
const DIFF_BYTES_MAX = 4_194_304;
const DAEMON = { actor: "daemon" } as const;

/**
 * Asks the session's person whether it may change the paths that only its scope forbids, and names the answer in the
 * findings. What is protected, or no path, is no finding of the scope and is not offered.
 */
export async function amendScope(
  given: Pick<Judged, "opened" | "order" | "tip" | "made" | "state">,
  findings: readonly Finding[],
  means: AmendMeans,
): Promise<readonly Finding[]> {
  const { order, state } = given;
  const { turnId } = order;
  const paths = offeredPaths(findings);
  if (paths.length === 0 || turnId === null || isEnded(state)) return findings;
  const resource = paths.join("\n");
  const open = Object.values(state.approvals).find(
    ({ action }) => action?.verb === WIDEN && action.resource === resource,
  );
  if (open === undefined && isFull(state)) return findings;
  const approvalId = open?.approvalId ?? means.newId();
  if (open === undefined) {
    const diff = await diffOf(given, paths, means);
    const question = `The landing onto ${order.into} is refused: ${paths.map(shellQuoted).join(", ")} lies outside of the session's scope. Allow it from now on?`;
    const detail = { ...(paths.length === 1 ? { path: resource } : {}), ...(diff === "" ? {} : { diff }) };
    const offer = {
      turnId,
      question,
      options: [],
      action: { verb: WIDEN, resource },
      effectId: null,
      checkpoint: null,
    };
    const decide = (now: SessionState) =>
      isFull(now) || isEnded(now) ? [] : [fact("approval.requested@1", { approvalId, ...offer, detail })];
    const { events } = await means.committer.session(order.sessionId, decide, DAEMON);
    if (events.length === 0) return findings;
  }
  const isOffered = new Set(paths);
  return findings.map((finding) =>
    finding.rule === "scope" && isOffered.has(finding.path ?? "")
      ? { ...finding, remedy: `nomos approve ${approvalId}` }
      : finding,
  );
}

const isFull = ({ approvals }: SessionState): boolean => Object.keys(approvals).length >= LIMITS.pendingApprovalsMax;

function offeredPaths(findings: readonly Finding[]): readonly string[] {
  const all = new Set(findings.flatMap(({ rule, path }) => (rule === "scope" && path !== undefined ? [path] : [])));
  const offered: string[] = [];
  let bytes = 0;
  for (const path of all) {
    bytes += Buffer.byteLength(JSON.stringify(path)) + 1;
    if (offered.length >= OFFERED.count || bytes > OFFERED.bytes) break;
    offered.push(path);
  }
  return offered;
}

/** What the branch would get of these paths; of what is reverted on the way, what the commits did. */
async function diffOf(
  { opened: { git }, tip, made: { commit } }: Pick<Judged, "opened" | "tip" | "made">,
  paths: readonly string[],
  { redactor }: AmendMeans,
): Promise<string> {
  const limits = { timeoutMs: DIFF_TIMEOUT_MS, outputBytesMax: DIFF_BYTES_MAX };
  const plain = ["-p", "--no-ext-diff", "--no-textconv", "--no-renames"];
  const whole = await git.run(["diff", ...plain, tip, commit, "--", ...paths], limits).catch(() => null);
  const found = whole?.stdout.toString() ?? "";
  const each =
    found === ""
      ? await git
          .run(["log", ...plain, "--format=commit %H", `${tip}..${commit}`, "--", ...paths], limits)
          .catch(() => null)
      : null;
  return cutDiff(redactor.text(found || (each?.stdout.toString() ?? "")));
}
