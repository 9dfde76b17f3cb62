export { type ReadConfig, readConfig } from "./config/config.ts";
export { type ConfigProblem, DEFAULT_CONFIG, type LaneConfig, type LawConfig } from "./config/law-config.ts";
export {
  type CommitPlace,
  createFileCommits,
  type FileChanges,
  type FileCommit,
  type FileCommits,
} from "./files/commit-files.ts";
export {
  createLeases,
  type HeldLease,
  type LeaseClaim,
  type LeasedRepository,
  type Leases,
  type TimedHolder,
} from "./leases/leases.ts";
export type { DocumentKind, RefDocument, RefDocuments, SharedPlace, Swapped } from "./refs/ref-documents.ts";
export { createRefs, type Refs, type RefsOptions } from "./refs/refs.ts";
export { type FoundTip, findTip, type Governed, LAW_DIR, openGoverned } from "./repository/open-governed.ts";
export { readTree, type TreeEntry, type TreeReader } from "./repository/tree-reader.ts";
export { createTicketReader, type TicketPlace, type TicketReader } from "./tickets/read-tickets.ts";
export {
  TICKETS_DIR,
  type TicketFile,
  type TicketFileFault,
  type TicketFiles,
  ticketPath,
} from "./tickets/ticket-files.ts";
export { writeTicketFile } from "./tickets/write-ticket.ts";
export { type ParsedYaml, parseYaml } from "./yaml/parse-yaml.ts";
