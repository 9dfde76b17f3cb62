export { machineFacts, repositoryFacts } from "./advisories/checkout-facts.ts";
export { treeWork } from "./advisories/tree-work.ts";
export { readConfig } from "./config/config.ts";
export { DEFAULT_CONFIG, type LawConfig } from "./config/law-config.ts";
export {
  measureCheckout,
  measureWorktree,
} from "./drift/measure-drift.ts";
export type { ImportedLaw } from "./exo/import-exo.ts";
export { createFileCommits, type FileCommits } from "./files/commit-files.ts";
export type { FileChanges, FilesNow } from "./files/file-commit.ts";
export { GOVERNANCE_FUNCTIONS } from "./functions/functions.ts";
export { type BuiltLaw, buildLaw, type ComposedLaw, composeLaw } from "./law/build-law.ts";
export type { KnownLaw, PathQuestion } from "./law/check-path.ts";
export { type LawReport, verifyLaw } from "./law/verify-law.ts";
export type { SoundLaw } from "./law/verify-source.ts";
export {
  createLeases,
  type HeldLease,
  type LeasedRepository,
  type Leases,
} from "./leases/leases.ts";
export { createOfflineLaw } from "./offline/offline-law.ts";
export type { RefDocument, RefDocuments, SharedPlace } from "./refs/ref-documents.ts";
export { createRefs, type Refs } from "./refs/refs.ts";
export { explainUngoverned } from "./repository/explain-ungoverned.ts";
export { LAW_DIR } from "./repository/law-path.ts";
export { findTip, type Governed, governedAt, openGoverned, openRemoved } from "./repository/open-governed.ts";
export type { InitDone } from "./setup/init/init-law.ts";
export { createLawSetup, type LawSetup } from "./setup/law-setup.ts";
export { createTicketReader, type TicketReader } from "./tickets/read-tickets.ts";
export {
  idInPath,
  type TicketFile,
  type TicketFiles,
  ticketPath,
} from "./tickets/ticket-files.ts";
export { writeTicketFile } from "./tickets/write-ticket.ts";
