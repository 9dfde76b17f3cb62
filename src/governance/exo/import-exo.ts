import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { type HeldFolder, holdFolder, type RepositoryGit, systemFiles } from "../../host/index.ts";
import { LAW_FILES } from "../law/law-source.ts";
import { LAW_DIR } from "../repository/law-path.ts";
import { findTip } from "../repository/open-governed.ts";
import { textFrom } from "../repository/tree-reader.ts";
import { ticketPath } from "../tickets/ticket-files.ts";
import { writeTicketFile } from "../tickets/write-ticket.ts";
import { parseYaml } from "../yaml/parse-yaml.ts";
import { configFromExo } from "./exo-config.ts";
import { constitutionFromExo } from "./exo-constitution.ts";
import { ticketFromExo } from "./exo-ticket.ts";
import type { LeftOut } from "./exo-value.ts";

export interface ImportedLaw {
  readonly written: readonly string[];
  /** They were there already and stay as they are. */
  readonly kept: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

const EXO_DIR = ".exo";
const FILE_BYTES_MAX = 1_048_576;
const TICKETS_MAX = 10_000;
/** Taken over, or made anew here. */
const KNOWN = ["CONSTITUTION.md", "config.yaml", "tickets", "features.yaml", "requirements.yaml"];
const MADE_ANEW = ["governance.lock.json", "policy.sealed.json", ".gitignore"];
const COPIED = ["features", "requirements"] as const;

/**
 * Writes `.nomos/` from the `.exo/` that is checked out at `cwd`. Whatever is there already stays as it is. A dry run
 * only says what would be written.
 */
export async function importExo(git: RepositoryGit, cwd: string, isDryRun = false): Promise<ImportedLaw> {
  const found = await findTip(git, cwd);
  if (found === null) throw new NomosError("not_a_repository", { path: cwd });
  const root = found.root ?? found.commonDir;
  await using folder = await holdFolder(join(root, EXO_DIR));
  if (folder === null)
    throw new NomosError("file_missing", { path: EXO_DIR }, { message: `There is no folder ${EXO_DIR} here.` });
  const leftOut: LeftOut[] = [];
  const files = await convertAll(folder, leftOut);
  const [written, kept]: [string[], string[]] = [[], []];
  await refuseLink(root);
  for (const [path, text] of files) {
    const isThere = (await lstat(join(root, path)).catch(() => null)) !== null;
    (isThere ? kept : written).push(path);
    if (!isThere && !isDryRun) await systemFiles().write(root, path, text);
  }
  return { written, kept, leftOut };
}

async function refuseLink(root: string): Promise<void> {
  const found = await lstat(join(root, LAW_DIR)).catch(() => null);
  if (found === null || found.isDirectory()) return;
  throw new NomosError("governance_invalid", { path: LAW_DIR }, { message: `${LAW_DIR} is no folder.` });
}

async function convertAll(folder: HeldFolder, leftOut: LeftOut[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const constitution = await textIn(folder, "CONSTITUTION.md", leftOut);
  if (constitution !== null) files.set(LAW_FILES.constitution, constitutionFromExo(constitution, leftOut));
  const config = await dataIn(folder, "config.yaml", leftOut);
  if (config !== undefined) files.set(LAW_FILES.config, configFromExo(config, leftOut));
  for (const name of COPIED) {
    const text = await textIn(folder, `${name}.yaml`, leftOut);
    if (text !== null) files.set(LAW_FILES[name], text);
  }
  await using tickets = await folder.inner("tickets");
  if (tickets !== null) {
    await addTickets(tickets, files, leftOut);
    await using archive = await tickets.inner("ARCHIVE");
    if (archive !== null) await addTickets(archive, files, leftOut);
  }
  for (const name of (await folder.list()).map((entry) => entry.name.toString()).sort())
    if (!KNOWN.includes(name) && !MADE_ANEW.includes(name)) leftOut.push({ what: name, reason: "it has no equal" });
  return files;
}

async function addTickets(folder: HeldFolder, files: Map<string, string>, leftOut: LeftOut[]): Promise<void> {
  const names = (await folder.list()).map((entry) => entry.name.toString()).sort();
  const tickets = names.filter((one) => one.endsWith(".yaml"));
  for (const what of names.filter((one) => one !== "ARCHIVE" && !one.endsWith(".yaml")))
    leftOut.push({ what, reason: "it is no ticket, which ends in .yaml" });
  for (const what of tickets.slice(TICKETS_MAX)) leftOut.push({ what, reason: `${TICKETS_MAX} tickets are the most` });
  for (const name of tickets.slice(0, TICKETS_MAX)) {
    const data = await dataIn(folder, name, leftOut);
    const made = data === undefined ? null : ticketFromExo(data, leftOut);
    if (made !== null) files.set(ticketPath(made.ticket.id, made.isArchived), writeTicketFile(made.ticket, null));
  }
}

/** Undefined: there is none, or nothing can be read from it. */
async function dataIn(folder: HeldFolder, name: string, leftOut: LeftOut[]): Promise<unknown> {
  const text = await textIn(folder, name, leftOut);
  if (text === null) return undefined;
  const parsed = parseYaml(text);
  if (parsed.ok) return parsed.value;
  leftOut.push({ what: name, reason: `line ${parsed.line}: ${parsed.reason}` });
  return undefined;
}

async function textIn(folder: HeldFolder, name: string, leftOut: LeftOut[]): Promise<string | null> {
  await using file = await folder.file(name);
  if (file === null) {
    const isThere = (await folder.list()).some((one) => one.name.toString() === name);
    if (isThere) leftOut.push({ what: name, reason: "it is a link, or no plain file" });
    return null;
  }
  const { size } = await file.stat();
  const text = size > FILE_BYTES_MAX ? null : textFrom(await file.readFile());
  if (text === null) leftOut.push({ what: name, reason: "it is too large, or not UTF-8" });
  return text;
}
