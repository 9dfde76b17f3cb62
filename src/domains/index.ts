import { type Aggregate, Session } from "../kernel/index.ts";
import { AgentIdentity } from "./agents/agent.ts";
import { FanoutStream } from "./fanouts/fanout.ts";
import { GovernedStream } from "./governance/governed.ts";
import { LandingStream } from "./landings/landing.ts";
import { ConflictStream } from "./radar/conflict.ts";
import { SecretStream } from "./secrets/secret.ts";
import { VaultStream } from "./secrets/vault.ts";
import { System } from "./system/system.ts";
import { TicketStream } from "./tickets/ticket-stream.ts";
import { AccessToken } from "./tokens/token.ts";
import { WorkStream } from "./work/work.ts";

export { activityOf, toolTitle } from "./activity/activity.ts";
export {
  type ActivityPart,
  type ActivitySums,
  createActivitySums,
  type TurnOrigin,
  type WorkedStep,
} from "./activity/activity-sums.ts";
export { ADVISORY_LIMITS, advisoriesOf } from "./advisories/advisories.ts";
export type { AdvisoryFacts, Distance, FellowSession, Machine, OtherBranch } from "./advisories/advisory-facts.ts";
export {
  AGENT_EVENTS,
  AGENT_TRANSITIONS,
  AGENTS,
  type Agent,
  AgentIdentity,
  type AgentState,
  createAgent,
  deleteAgent,
} from "./agents/agent.ts";
export {
  HASH_BYTES,
  type Header,
  hashData,
  hashEvent,
  headerText,
  hex,
  NO_PREV,
  SALT_BYTES,
  type Sha256,
  sameBytes,
  verifyLink,
} from "./audit/chain.ts";
export {
  appendLeaves,
  consistencyParts,
  type Frontier,
  frontierRefs,
  hashParts,
  inclusionParts,
  leafHash,
  type NodeAt,
  type NodeRef,
  nodeHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from "./audit/merkle.ts";
export {
  addedLines,
  BEFORE,
  type FileVersion,
  likeness,
  nextVersion,
  PERSON,
  UNKNOWN,
  type Writer,
  writersOf,
} from "./blame/file-history.ts";
export { matchLines } from "./blame/line-diff.ts";
export {
  findLines,
  hashedText,
  LINE_HASH_DIGITS,
  type LineFinder,
  type RecordedFile,
  type RecordedLines,
  type RecordedTurn,
  recordedFile,
} from "./blame/recorded-lines.ts";
export { compileRules, type RuleBlock, type RuleFault } from "./constitution/compile-rules.ts";
export {
  LAW_KERNEL,
  type LawLock,
  type SealedPolicy,
  type SealSignature,
  type SealSources,
} from "./constitution/law-files.ts";
export {
  type Denials,
  LAW_ACTIONS,
  type LawRule,
  RULE_TYPES,
} from "./constitution/law-rule.ts";
export { createDefinitions, type Definitions, type Folded } from "./definitions/definitions.ts";
export {
  agentSlugIn,
  type DelegationLimits,
  type Delegator,
  narrowDelegates,
  recordDelegation,
  refuseDelegation,
} from "./delegation/delegation.ts";
export { summariseDrift } from "./drift/drift.ts";
export { type MeasuredChanges, measureChanges, type WorkLimits } from "./drift/measure-changes.ts";
export {
  beginFanout,
  CANDIDATES_MIN,
  chooseCandidate,
  dropCandidates,
  FANOUT_LIMITS,
  FANOUTS,
  type FanoutRow,
  FanoutStream,
  failCandidate,
  judgeCandidate,
  removeCandidate,
  settleFanout,
  standing,
  startFanout,
} from "./fanouts/fanout.ts";
export {
  type Candidate,
  FANOUT_EVENTS,
  type FanoutOrder,
  type Fault,
  type Judgement,
  type KnownFanout,
  type Tried,
} from "./fanouts/fanout-events.ts";
export { overlaps, type Ranked, rankCandidates } from "./fanouts/rank.ts";
export {
  type Actor,
  belowSession,
  compilePolicy,
  DEFAULT_RULES,
  decideGate,
  EXPLAIN,
  hearAll,
  heldOf,
  narrows,
  type Policy,
  principalResource,
  type Request,
  type Rule,
  type Speaker,
  strictest,
  type ToolPolicy,
  type Verdict,
  type Voice,
} from "./gate/gate.ts";
export { folded } from "./gate/pattern-index.ts";
export { overlapOf } from "./globs/overlap.ts";
export {
  collectLaw,
  compileLaws,
  findLaw,
  GOVERNED,
  type GovernedRow,
  type GovernedState,
  GovernedStream,
  importLaw,
  initialiseLaw,
  offerLaw,
  refuseLaw,
  removeLaw,
  upgradeLaw,
} from "./governance/governed.ts";
export { GOVERNED_EVENTS, type LawProblem } from "./governance/governed-events.ts";
export { sessionName } from "./ids/session-name.ts";
export { uuidv7Maker } from "./ids/uuidv7.ts";
export { jsonFault } from "./json/json-fault.ts";
export { type Finding, isMendable, type LandingRule } from "./landings/finding.ts";
export {
  ejectLanding,
  finishLanding,
  holdLanding,
  isSettled,
  LANDED_COMMITS,
  LANDING_LIMITS,
  LANDINGS,
  type LandingRow,
  LandingStream,
  landedCommitPrefix,
  landingLane,
  moveLanding,
  placeBefore,
  prepareLanding,
  pushLanding,
  queueLanding,
  refuseLanding,
  releaseLanding,
  retryLanding,
  returnLanding,
  startLanding,
  tellOfLanding,
} from "./landings/landing.ts";
export {
  LANDING_EVENTS,
  LANDING_TRANSITIONS,
  type Landed,
  type LandHow,
  type LandingOrder,
  type LandingState,
  type PassedChecks,
  type Prepared,
  type Pushed,
} from "./landings/landing-events.ts";
export { type CompiledLaw, compileLaw, denialsOf } from "./law/compile-law.ts";
export { judgeLaw, type LawAsk, type LawVerdict, requiredChecks } from "./law/judge-law.ts";
export { AGENT_PATHS, CI_PATHS, HOOK_PATHS, PROTECTIONS } from "./law/protected-paths.ts";
export {
  beatLease,
  checkLease,
  claimLease,
  endLease,
  type LeaseHolder,
  type LeaseWish,
} from "./leases/decide-lease.ts";
export { compareLeases, isFree, isLive, LEASE_GRACE_MS, LEASE_LIMITS, type Lease } from "./leases/lease.ts";
export { parseLease, writeLease } from "./leases/lease-text.ts";
export { didYouMean, nearest } from "./names/nearest.ts";
export {
  baseId,
  CONFLICT_LIMITS,
  CONFLICTS,
  type ConflictRow,
  type ConflictState,
  ConflictStream,
  clearConflict,
  pairId,
  recordConflict,
  recordStaleBase,
  tellOfConflict,
  untold,
} from "./radar/conflict.ts";
export {
  type ClearedBecause,
  CONFLICT_EVENTS,
  type CollidedFile,
  type CollidingLines,
  type CollisionKind,
  type LineRange,
  type MovedBranch,
} from "./radar/conflict-events.ts";
export { judgeChange, parseScope, type Scope, scopeWalls } from "./scope/scope.ts";
export {
  bindSecret,
  RETIRED_VALUES_MAX,
  recordSecretUse,
  removeSecret,
  rotateSecret,
  SECRET_EVENTS,
  SECRET_TRANSITIONS,
  SECRETS,
  type Secret,
  type SecretBinding,
  type SecretRow,
  type SecretState,
  SecretStream,
  sealSecret,
  valuesOf,
} from "./secrets/secret.ts";
export {
  HOME_SCOPE,
  parseSecretScope,
  type SecretPlace,
  type SecretScope,
  scopesReaching,
  spellSecretScope,
} from "./secrets/secret-scope.ts";
export { SECRET_BYTES, utf8Bytes, type ValueFault, valueFault } from "./secrets/secret-value.ts";
export {
  type KeyHolder,
  recordDiscard,
  recordRekey,
  recordUnlock,
  VaultStream,
} from "./secrets/vault.ts";
export {
  DEFAULT_WORKSPACE,
  type Ground,
  isWithinGround,
  isWorkspaceSlug,
  parseGround,
  spellGround,
} from "./system/ground.ts";
export {
  acquireLease,
  HOME_LEASE,
  LEASE_TRANSITIONS,
  type LeaseState,
  leaseFact,
  releaseLease,
} from "./system/lease.ts";
export {
  beginCall,
  finishCall,
  recordApplied,
  recordBackup,
  recordCollection,
  recordExport,
  recordScan,
  recordSystemDenial,
  recordUnownedRemoval,
} from "./system/log-decisions.ts";
export type { AnchorAnswer, Collected, CollectedSession, Compared, Restored } from "./system/log-events.ts";
export { changePolicy, POLICY_LIMITS } from "./system/policy.ts";
export type { FoundSecret, Scanned, ScannedFile, ScannedPlace, ScannedSecret } from "./system/scan-events.ts";
export {
  defaultAgent,
  type LastComparison,
  SYSTEM,
  SYSTEM_EVENTS,
  SYSTEM_STREAM,
  System,
  type SystemState,
  systemFact,
} from "./system/system.ts";
export {
  addWorkspace,
  NO_WORKSPACES,
  removeWorkspace,
  useWorkspace,
  type Workspace,
  type Workspaces,
} from "./system/workspaces.ts";
export { parseTicket } from "./ticket-files/parse-ticket.ts";
export type { TicketFault } from "./ticket-files/ticket-fields.ts";
export { type Candidacy, type Dispatch, dispatchTickets } from "./tickets/dispatch.ts";
export { type HierarchyFault, hierarchyFaults } from "./tickets/hierarchy.ts";
export {
  type Criterion,
  isTicketId,
  newTicketId,
  RESOURCE_PROFILES,
  TICKET_KINDS,
  TICKET_MAX,
  TICKET_RISKS,
  TICKET_STATUSES,
  type Ticket,
  type TicketKind,
  type TicketStatus,
} from "./tickets/ticket.ts";
export { TICKET_EVENTS, type TicketLease, type TicketRecord, type TicketState } from "./tickets/ticket-events.ts";
export {
  briefOf,
  changeTicketStatus,
  closeTicket,
  recordTicket,
  recordTicketLease,
  releaseTicketLease,
  removeTicket,
  TICKETS,
  type TicketRow,
  TicketStream,
  ticketStreamId,
} from "./tickets/ticket-stream.ts";
export {
  AccessToken,
  issueToken,
  revokeToken,
  TOKEN_EVENTS,
  TOKENS,
  type Token,
  type TokenState,
} from "./tokens/token.ts";
export {
  askFinish,
  assignWork,
  DRIFTS,
  type DriftSample,
  dropWork,
  finishWork,
  handWork,
  isOpenWork,
  loseWork,
  measureWork,
  planWork,
  receiveWork,
  refuseFinish,
  resumeWork,
  settleWork,
  suspendWork,
  tellWork,
  WORK,
  type WorkRow,
  type WorkState,
  WorkStream,
  warnWork,
} from "./work/work.ts";
export {
  type DriftFigures,
  type Finished,
  type Handed,
  type Parting,
  WORK_EVENTS,
  type WorkOrder,
  type WorkRole,
} from "./work/work-events.ts";
export { keepWorktree, removeWorktree } from "./worktrees/worktree.ts";

/** All aggregates. To add one, make its folder and add one line here; stores and docs follow. */
export const AGGREGATES: readonly Aggregate[] = [
  Session,
  AgentIdentity,
  AccessToken,
  System,
  SecretStream,
  VaultStream,
  LandingStream,
  FanoutStream,
  ConflictStream,
  WorkStream,
  TicketStream,
  GovernedStream,
];
