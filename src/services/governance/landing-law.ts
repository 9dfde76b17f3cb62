import { toNomosError } from "../../contract/index.ts";
import {
  type Finding,
  judgeChange,
  type LandingOrder,
  requiredChecks,
  type Ticket,
  type WorkState,
  WorkStream,
} from "../../domains/index.ts";
import type { Leases } from "../../governance/index.ts";
import type { LandingRepository } from "../../host/index.ts";
import type { Store } from "../../store/index.ts";
import { shownPath } from "../landing/gate/gather-findings.ts";
import type { LandingLaw, LawfulWork } from "../landing/judge.ts";
import type { HeldLaw } from "./laws/held-law.ts";
import { forbidden, type SessionGround } from "./laws/judge-session.ts";
import type { LawCache } from "./laws/law-cache.ts";
import type { GovernedTickets } from "./tickets/tickets.ts";

export interface LandingLawDeps {
  readonly store: Pick<Store, "fold">;
  readonly laws: LawCache;
  readonly leases: Pick<Leases, "confirm" | "holder">;
  readonly tickets: Pick<GovernedTickets, "read">;
}

const VERIFY = "Run `nomos governance verify` to see each problem and its remedy.";
const BY_HAND = "People change it by hand. Take it out of every new commit, or land with `--squash`.";

/** Judges landings by the law that the default branch holds now, whatever the session began with. */
export function createLandingLaw(deps: LandingLawDeps): LandingLaw {
  const lawOf = ({ root, gitDir }: LandingOrder["repository"]): Promise<HeldLaw | null> => deps.laws.at(root ?? gitDir);

  return {
    into: async (sessionId) => {
      const { order } = await deps.store.fold(WorkStream, sessionId);
      const law = order === null ? null : await deps.laws.at(order.cwd).catch(() => null);
      return law?.governed.work.branch ?? null;
    },
    judge: async (given) => {
      const law = await lawOf(given.order.repository);
      if (law === null) return [];
      if (law.sound === null)
        return law.problems.map(({ message }) => ({
          ...{ rule: "policy", message: `The repository's law does not hold: ${message}`, remedy: VERIFY },
        }));
      const work = await deps.store.fold(WorkStream, given.order.sessionId);
      const lost = await leaseFinding(deps, law, work);
      const ticket = await ticketOf(deps, law, work);
      const over = ticket === null ? [] : await budgetFindings(ticket, given);
      const narrowed = ticket === null ? [] : scopeFindings(ticket, given);
      const gone = goneFinding(law, work, ticket);
      return [...(lost === null ? [] : [lost]), ...gone, ...pathFindings(law, work, given), ...narrowed, ...over];
    },
    checks: async (order, { opened, onto, commit }) => {
      const law = await lawOf(order.repository);
      if (law === null || law.sound === null || law.compiled === null) return [];
      const work = await deps.store.fold(WorkStream, order.sessionId);
      const ticket = await ticketOf(deps, law, work);
      const criteria = ticket?.acceptance.flatMap(({ check }) => (check === null ? [] : [check])) ?? [];
      const paths = await changedPaths(opened, onto, commit);
      const ruled = requiredChecks(law.compiled, paths);
      return [...law.sound.config.checks, ...ruled, ...(ticket?.checks ?? []), ...criteria];
    },
  };
}

/** As the judge of a law says it; it is the same for every path. */
const LEASE = "A lease is required";
const ON_TICKET =
  "Start the work on a ticket: `nomos ticket next`, then `nomos run --ticket <id>`; or land it by hand.";

/** Each path once; what a single commit does to it counts as much as the whole. */
function pathFindings(law: HeldLaw, work: WorkState, { changes }: LawfulWork): readonly Finding[] {
  const { root, commonDir } = law.governed;
  const ticket = work.order === null ? null : { ticketId: work.order.ticketId, isAudit: false, problem: null };
  const ground: SessionGround = { law, root: root ?? commonDir, below: "", work: ticket };
  const found = new Map<string, Finding>();
  for (const { path, after } of changes) {
    if (found.has(path)) continue;
    const why = forbidden(ground, after === null ? "delete" : "write", path);
    if (why === null) continue;
    if (why.reason.startsWith(LEASE)) return [{ rule: "policy", message: why.reason, remedy: ON_TICKET }];
    const message = `The law (${why.rule}) keeps ${shownPath(path)} as it is. ${why.reason}`.trim();
    found.set(path, { rule: "policy", path, message, remedy: BY_HAND });
  }
  return [...found.values()];
}

/**
 * A session that works holds its lease. One that has finished gave it back: its work may land as long as nobody took the
 * ticket since, because then two would have done it.
 */
async function leaseFinding(deps: LandingLawDeps, law: HeldLaw, work: WorkState): Promise<Finding | null> {
  const { order, fence, at } = work;
  if (order === null) return null;
  const remedy = `Run \`nomos ticket show ${order.ticketId}\` to see who works on it; land what is of use by hand.`;
  if (order.role === "audit" || fence === null)
    return { rule: "policy", message: `The session holds no lease of ${order.ticketId}.`, remedy };
  if (at === "active") {
    const refusal = await deps.leases.confirm(law.governed, order.ticketId, fence);
    if (refusal === null) return null;
    return { rule: "policy", message: `The session has lost the lease of ${order.ticketId}.`, remedy };
  }
  const held = await deps.leases.holder(law.governed, order.ticketId, { isFresh: true });
  if (held === null || held.fence === fence) return null;
  const message = `${order.ticketId} was leased again since, by ${held.owner} with the fence ${held.fence}.`;
  return { rule: "policy", message, remedy };
}

/** Without its ticket nobody knows what the work may change and which checks it has to pass. */
function goneFinding({ governed }: HeldLaw, { order }: WorkState, ticket: Ticket | null): readonly Finding[] {
  if (order === null || ticket !== null) return [];
  const message = `The ticket ${order.ticketId} is not on ${governed.branch} any more.`;
  const remedy = `Bring its file back (\`git log ${governed.branch} -- .nomos/tickets\`), or land by hand what is of use.`;
  return [{ rule: "policy", message, remedy }];
}

/** Null for work on no ticket, and for a ticket whose file is gone. */
async function ticketOf(deps: LandingLawDeps, law: HeldLaw, { order }: WorkState): Promise<Ticket | null> {
  if (order === null) return null;
  try {
    return await deps.tickets.read(law.governed, order.ticketId);
  } catch (thrown) {
    if (toNomosError(thrown).code === "ticket_not_found") return null;
    throw thrown;
  }
}

/** What the session was allowed when it began, and its ticket does not allow any more: the branch's copy counts. */
function scopeFindings({ id, scope }: Ticket, { changes, state }: LawfulWork): readonly Finding[] {
  const own = state.spec?.scope ?? null;
  const widened = new Set(state.widened);
  const now = { allow: scope.allow.length === 0 ? ["**"] : scope.allow, deny: scope.deny };
  return [...new Set(changes.map(({ path }) => path))].flatMap((path): readonly Finding[] => {
    const isOpen = own === null || judgeChange(path, own).verdict === "allow";
    if (!isOpen || widened.has(path) || judgeChange(path, now).verdict === "allow") return [];
    const message = `The ticket ${id} does not allow ${shownPath(path)} any more.`;
    return [{ rule: "scope", path: shownPath(path), message, remedy: "Undo the change, or change the ticket." }];
  });
}

async function budgetFindings(
  { id, fileBudget }: Ticket,
  { opened, tip, commit, changes }: LawfulWork,
): Promise<readonly Finding[]> {
  const files = new Set(changes.map(({ path }) => path)).size;
  const { added, removed } = await opened.counts(tip, commit);
  const over = [
    { has: files, may: fileBudget.files, what: "files" },
    { has: added + removed, may: fileBudget.lines, what: "lines" },
  ].filter(({ has, may }) => may > 0 && has > may);
  return over.map(({ has, may, what }) => ({
    rule: "fileBudget",
    message: `The landing changes ${has} ${what}; ${id} allows ${may}.`,
    remedy: `Land less at once, or raise the ticket's budget: \`nomos ticket edit ${id}\`.`,
  }));
}

async function changedPaths(opened: LandingRepository, from: string, to: string): Promise<readonly string[]> {
  const told = await opened.git.must(["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to]);
  return told.toString().split("\0").filter(Boolean);
}
