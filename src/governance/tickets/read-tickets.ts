import { NomosError } from "../../contract/index.ts";
import { isTicketId } from "../../domains/index.ts";
import { openObjectsView, type Repository, type RepositoryGit, smallBlobs } from "../../host/index.ts";
import { inTree, LAW_DIR } from "../repository/law-path.ts";
import { idOfFile, parseTicketFile, type UnreadTicket } from "./parse-ticket-file.ts";
import {
  ARCHIVE_DIR,
  TICKET_FILES_MAX,
  TICKETS_DIR,
  type TicketFile,
  type TicketFileFault,
  type TicketFiles,
} from "./ticket-files.ts";

/** Where tickets are read: a `Governed` is one. */
export interface TicketPlace {
  readonly repository: Repository;
  readonly repoKey: string;
  readonly tip: string;
  /** Where the files of `.nomos` lie in the branch; default: there. */
  readonly lawFolder?: string;
}

export interface TicketReader {
  /** All tickets of the tip. Where no ticket changed since, nothing is read. */
  readonly read: (place: TicketPlace) => Promise<TicketFiles>;
  /** One ticket as a file once had it, by its blob. */
  readonly readBlob: (
    place: Pick<TicketPlace, "repository">,
    id: string,
    source: string,
  ) => Promise<TicketFile["ticket"]>;
}

const REPOSITORIES_KEPT = 32;
const READ_TIMEOUT_MS = 60_000;

interface Known {
  readonly tip: string;
  readonly files: TicketFiles;
  /** By blob and file name. */
  readonly read: ReadonlyMap<string, TicketFile["ticket"] | UnreadTicket>;
}

export function createTicketReader(git: RepositoryGit, scratch: string): TicketReader {
  const known = new Map<string, Known>();
  const reading = new Map<string, Promise<TicketFiles>>();
  const remember = (repoKey: string, one: Known): TicketFiles => {
    known.delete(repoKey);
    known.set(repoKey, one);
    for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - REPOSITORIES_KEPT))) known.delete(oldest);
    return one.files;
  };
  const readNow = async (place: TicketPlace): Promise<TicketFiles> => {
    await using view = await openObjectsView(git, place.repository, scratch);
    const last = known.get(place.repoKey);
    const tree = await treeOf(view.git, place.tip, inTree(place.lawFolder ?? LAW_DIR, TICKETS_DIR));
    if (last !== undefined && last.files.tree === tree) return remember(place.repoKey, { ...last, tip: place.tip });
    if (tree === null) return remember(place.repoKey, { tip: place.tip, files: NONE, read: new Map() });
    const read = await readTree(view.git, tree, last?.read ?? new Map());
    return remember(place.repoKey, { tip: place.tip, ...read });
  };
  return {
    read: (place) => {
      const last = known.get(place.repoKey);
      if (last?.tip === place.tip) return Promise.resolve(last.files);
      // Many calls at once, after a pull: one of them reads.
      const name = `${place.repoKey} ${place.tip}`;
      const under = reading.get(name) ?? readNow(place).finally(() => reading.delete(name));
      reading.set(name, under);
      return under;
    },
    readBlob: async ({ repository }, id, source) => {
      await using view = await openObjectsView(git, repository, scratch);
      const bytes = (await smallBlobs(view.git, [source], TICKET_FILES_MAX.fileBytes)).get(source);
      const ticket = bytes === undefined ? null : parseTicketFile(bytes, id);
      if (ticket === null || "message" in ticket) throw new NomosError("ticket_not_found", { ticket: id, source });
      return ticket;
    },
  };
}

const NONE: TicketFiles = { tree: null, tickets: new Map(), faults: [] };

async function treeOf(git: RepositoryGit, tip: string, folder: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${tip}:${folder}`];
  const { exitCode, stdout } = await git.run(args);
  return exitCode === 0 ? stdout.toString().trim() : null;
}

interface Listed {
  readonly path: string;
  readonly name: string;
  readonly mode: string;
  readonly source: string;
  readonly bytes: number;
  readonly isArchived: boolean;
}

async function readTree(
  git: RepositoryGit,
  tree: string,
  before: Known["read"],
): Promise<Pick<Known, "files" | "read">> {
  const listed = await listFiles(git, tree);
  const faults: TicketFileFault[] = [];
  const good = listed.filter((one, at) => {
    const why = oddity(one, at);
    if (why !== null) faults.push(faultOf(one, why));
    return why === null && idOfFile(one.name) !== null;
  });
  const fresh = good.filter((one) => !before.has(keyOf(one)));
  const blobs = await smallBlobs(
    git,
    fresh.map(({ source }) => source),
    TICKET_FILES_MAX.fileBytes,
  );
  const read = new Map<string, TicketFile["ticket"] | UnreadTicket>();
  const tickets = new Map<string, TicketFile>();
  for (const one of good) {
    const id = idOfFile(one.name) ?? "";
    const bytes = blobs.get(one.source);
    const ticket = before.get(keyOf(one)) ?? (bytes === undefined ? LOST : parseTicketFile(bytes, id));
    read.set(keyOf(one), ticket);
    const { path, source, isArchived } = one;
    if ("message" in ticket) faults.push(faultOf(one, ticket));
    else if (tickets.has(id)) faults.push(faultOf(one, twice(tickets.get(id)?.path ?? "")));
    else tickets.set(id, { ticket, path, source, isArchived });
  }
  return { files: { tree, tickets, faults }, read };
}

const keyOf = ({ name, source }: Listed): string => `${source} ${name}`;

/** Those of the folder come before those of the archive. */
async function listFiles(git: RepositoryGit, tree: string): Promise<readonly Listed[]> {
  const entries = async (of: string, folder: string, isArchived: boolean): Promise<readonly Listed[]> => {
    const { exitCode, stdout, stderr } = await git.run(["ls-tree", "-z", "-l", of], { timeoutMs: READ_TIMEOUT_MS });
    if (exitCode !== 0) throw new NomosError("governance_invalid", { path: TICKETS_DIR, reason: stderr.trim() });
    return stdout
      .toString()
      .split("\0")
      .filter(Boolean)
      .map((line) => {
        const [, mode = "", source = "", size = "", name = ""] =
          /^(\d+) \w+ ([0-9a-f]+) +(\S+)\t(.*)$/s.exec(line) ?? [];
        return { mode, source, bytes: Number(size) || 0, name, path: `${folder}/${name}`, isArchived };
      });
  };
  const own = await entries(tree, TICKETS_DIR, false);
  const archive = own.find(({ name, mode }) => name === "ARCHIVE" && mode === "040000");
  const old = archive === undefined ? [] : await entries(archive.source, ARCHIVE_DIR, true);
  return [...own.filter((one) => one !== archive), ...old];
}

const FILE = /^100/;

/** Null for a ticket's file, and for one that says nothing about tickets, such as a README. */
function oddity({ name, mode, bytes, isArchived }: Listed, at: number): UnreadTicket | null {
  const because = (message: string, remedy: string): UnreadTicket => ({ message, remedy, faults: [] });
  const isMeant = /\.ya?ml$/i.test(name) || isTicketId(name);
  if (!isMeant) return null;
  if (!FILE.test(mode)) return because("it is no file", "Put a plain file in its place: links are not followed.");
  if (idOfFile(name) === null)
    return because("its name is no id of a ticket", "Name it after its id: `TKT-20260102-030405-A1B2.yaml`.");
  if (bytes > TICKET_FILES_MAX.fileBytes)
    return because(
      `it has ${bytes} bytes; ${TICKET_FILES_MAX.fileBytes} are the most`,
      "Move long texts into a document.",
    );
  if (at < TICKET_FILES_MAX.files) return null;
  return because(
    `there are more than ${TICKET_FILES_MAX.files} tickets`,
    isArchived ? "Remove old ones." : "Archive old ones.",
  );
}

const LOST: UnreadTicket = {
  message: "git has lost its content",
  remedy: "Fetch it, or run `git fsck`.",
  faults: [],
};

function twice(path: string): UnreadTicket {
  return { message: `${path} has the same id`, remedy: "Remove one of the two.", faults: [] };
}

function faultOf({ path, name }: Listed, { message, remedy, faults }: UnreadTicket): TicketFileFault {
  return {
    path,
    id: idOfFile(name),
    message: `${path} cannot be read: ${message}.`,
    remedy: remedy.replace("<path>", path),
    faults,
  };
}
