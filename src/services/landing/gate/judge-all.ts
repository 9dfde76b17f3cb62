import { toNomosError } from "../../../contract/index.ts";
import type { Finding } from "../../../domains/index.ts";
import { HostError, type LandedChange } from "../../../host/index.ts";
import type { Redactor } from "../../../redaction/index.ts";
import type { Breathe } from "../../secret-scan/breath.ts";
import type { Judged, LandingLaw } from "../judge.ts";
import type { LandingSettings } from "../landing-settings.ts";
import { type Gathered, gatherFindings } from "./gather-findings.ts";
import { judgeCommits } from "./judge-commits.ts";
import { judgeFilters } from "./judge-filters.ts";
import { judgePaths } from "./judge-paths.ts";
import { judgeSecrets } from "./judge-secrets.ts";
import { judgeSize } from "./judge-size.ts";
import { judgeWork } from "./judge-work.ts";

export interface JudgeMeans {
  readonly settings: LandingSettings;
  readonly redactor: Pick<Redactor, "find" | "look" | "text" | "data">;
  readonly breathe: Breathe;
  readonly law?: LandingLaw | undefined;
}

/** A history of more commits is looked at for too long; `make` has the same limit. */
const COMMITS_MAX = 500;

/**
 * Everything that speaks against a landing before checks run. What is expensive comes last, and only when what is cheap
 * found nothing too large: so a bomb is refused in little time and memory.
 */
export async function judgeAll(
  given: Judged,
  { settings, redactor, breathe, law }: JudgeMeans,
): Promise<readonly Finding[]> {
  const found = gatherFindings();
  const { opened, order, captured, tip, made, state } = given;
  await judgeWork(opened, captured, { ...made, uncommitted: settings.uncommitted }, found);
  const commits = await newCommits(given);
  const changes = commits.length > COMMITS_MAX ? tooMany(commits.length, found) : await changesOf(given, found);
  if (changes === null) return redactor.data(found.list());
  await breathe();
  await judgeSize(opened, { tip, commit: made.commit }, changes, settings, found);
  if (isTooLarge(found)) return redactor.data(found.list());
  await judgeCommits({ opened, tip, captured, kept: made.kept }, found);
  // Before the scope: what the law forbids is no question of it, and is never offered.
  const unlawful = (await law?.judge({ opened, order, tip, state, commit: made.commit, changes })) ?? [];
  for (const { rule, ...finding } of unlawful) found.add(rule, finding);
  const { scope = null, name = order.sessionId } = state.spec ?? {};
  const rules = { scope, widened: state.widened ?? [], protect: settings.protect, again: `nomos land ${name}` };
  await judgePaths(opened, made.commit, changes, rules, found);
  await judgeFilters(opened, made.commit, changes, found);
  await breathe();
  await judgeSecrets({ opened, changes, commits, redactor, breathe }, found);
  return redactor.data(found.list());
}

const isTooLarge = (found: Gathered): boolean =>
  found.list().some(({ rule }) => rule === "size" || rule === "fileBudget");

/** Commits that the branch does not have, also those that the landing makes. Read up to one more than allowed. */
async function newCommits({ opened: { git }, tip, made, captured: { userBase } }: Judged): Promise<readonly string[]> {
  const isKnown = userBase !== null && (await git.run(["cat-file", "-e", `${userBase}^{commit}`])).exitCode === 0;
  const args = ["rev-list", `--max-count=${COMMITS_MAX + 1}`, made.commit, `^${tip}`];
  const told = await git.text([...args, ...(isKnown ? [`^${userBase}`] : [])], { timeoutMs: LIST_TIMEOUT_MS });
  return told.split("\n").filter(Boolean);
}

const LIST_TIMEOUT_MS = 120_000;

function tooMany(commits: number, found: Gathered): null {
  found.add("size", {
    message: `The landing has more than ${Math.min(commits - 1, COMMITS_MAX)} commits.`,
    remedy: "Land with `--squash`.",
  });
  return null;
}

/** Null, with a finding, when there is more than can be looked at. */
async function changesOf(
  { opened, tip, made: { commit }, captured: { userBase } }: Judged,
  found: Gathered,
): Promise<readonly LandedChange[] | null> {
  try {
    return await opened.changes({ tip, commit, userBase });
  } catch (thrown) {
    if (!(thrown instanceof HostError) || !isBomb(thrown)) throw thrown;
    found.add("size", {
      message: `The commits change more than can be looked at: ${toNomosError(thrown).message}`,
      remedy: "Land less at once, or with `--squash` when only an earlier commit is too large.",
    });
    return null;
  }
}

const isBomb = ({ code, message }: HostError): boolean =>
  code === "tree_too_large" || (code === "git_failed" && /it said more than|it took longer than/.test(message));
