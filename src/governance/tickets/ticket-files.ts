import { isTicketId, type Ticket, type TicketFault } from "../../domains/index.ts";
import { LAW_DIR } from "../repository/law-path.ts";

export const TICKETS_DIR = `${LAW_DIR}/tickets`;
export const ARCHIVE_DIR = `${TICKETS_DIR}/ARCHIVE`;

export const TICKET_FILES_MAX = {
  files: 50_000,
  fileBytes: 131_072,
  /** Of all files together. */
  bytes: 134_217_728,
} as const;

/** A ticket as its file on the default branch says it. */
export interface TicketFile {
  readonly ticket: Ticket;
  readonly path: string;
  /** The file's blob. */
  readonly source: string;
  readonly isArchived: boolean;
}

/** A file among the tickets that cannot be read as one. It never hides the others. */
export interface TicketFileFault {
  readonly path: string;
  /** As the file is named; null when that is no id. */
  readonly id: string | null;
  readonly message: string;
  readonly remedy: string;
  readonly faults: readonly TicketFault[];
}

export interface TicketFiles {
  /** Names this state of all files; null: there are none. */
  readonly tree: string | null;
  readonly tickets: ReadonlyMap<string, TicketFile>;
  readonly faults: readonly TicketFileFault[];
}

/** Also where a law has a branch of its own. Null for any other file. */
export function idInPath(path: string): string | null {
  const [, name = ""] = /^(?:\.nomos\/)?tickets\/(?:ARCHIVE\/)?([^/]+)\.yaml$/.exec(path) ?? [];
  return isTicketId(name) ? name : null;
}

export function ticketPath(id: string, isArchived = false): string {
  return `${isArchived ? ARCHIVE_DIR : TICKETS_DIR}/${id}.yaml`;
}
