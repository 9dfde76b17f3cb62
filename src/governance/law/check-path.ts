import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { type CompiledLaw, compileLaw, judgeLaw, type LawAsk, type LawVerdict } from "../../domains/index.ts";
import { HostError, type RepositoryGit, realPlace } from "../../host/index.ts";
import { findTip, type Governed, governedAt } from "../repository/open-governed.ts";
import { isUnreadable } from "../repository/tree-reader.ts";
import { type VerifyOptions, verifyFound } from "./verify-law.ts";

/** May this be done to this path? */
export interface PathQuestion {
  readonly cwd: string;
  readonly verb: string;
  /** From `cwd`, or absolute, or `~/...`. */
  readonly path: string;
  /** Null: without a ticket. */
  readonly ticket: string | null;
  readonly evidence: readonly string[];
}

/** What a ticket gives whoever works on it. */
export interface TicketStanding extends NonNullable<LawAsk["ticket"]> {
  readonly hasLease: boolean;
}

/** A law that was read and verified before, with the root that its paths are counted from. */
export interface KnownLaw {
  readonly governed: Governed;
  /** Null: it does not verify. */
  readonly compiled: CompiledLaw | null;
}

export interface CheckOptions extends VerifyOptions {
  /** The law at a real path, if it is kept; null: it has to be read. Default: it is read each time. */
  readonly known?: (cwd: string) => Promise<KnownLaw | null>;
  /** The person's home, by its real path; null: `~` means nothing. */
  readonly home: string | null;
  readonly standing: (governed: Governed, ticketId: string) => Promise<TicketStanding>;
}

/** Asks the law of the default branch. A law that does not verify denies everything. Starts nothing. */
export async function checkPath(
  git: RepositoryGit,
  question: PathQuestion,
  options: CheckOptions,
): Promise<LawVerdict> {
  const { verb, path, ticket, evidence } = question;
  const cwd = await realpath(question.cwd).catch(() => null);
  if (cwd === null) throw new NomosError("cwd_missing", { cwd: question.cwd });
  const read = async (): Promise<KnownLaw> => (await options.known?.(cwd)) ?? readLaw(git, cwd, options);
  const law = await read().catch(unlessUnreadable);
  const standing = ticket === null || law === null ? null : await options.standing(law.governed, ticket);
  // An empty path means nothing, and not the directory.
  const isWhole = path === "" || isAbsolute(path) || path === "~" || path.startsWith("~/");
  const spelled = isWhole ? path : `${cwd}/${path}`;
  return judgeLaw(law?.compiled ?? null, {
    verb,
    path: spelled,
    resolved: resolvedPath(spelled, options.home),
    ticket: standing,
    hasLease: standing?.hasLease ?? false,
    evidence,
  });
}

/** A law that cannot even be found, as where a link was committed in place of its folder, denies everything. */
function unlessUnreadable(thrown: unknown): null {
  if (isUnreadable(thrown)) return null;
  throw thrown;
}

async function readLaw(git: RepositoryGit, cwd: string, options: CheckOptions): Promise<KnownLaw> {
  const found = await findTip(git, cwd, options.scratch);
  const governed = found === null ? null : governedAt(git, found, options.scratch);
  if (found === null || governed === null) throw new NomosError("not_governed", { path: cwd });
  const { law } = await verifyFound(git, found, { ...options, withCheckout: false });
  const places = { root: governed.root ?? rootAround(governed), home: options.home };
  return { governed, compiled: law === null ? null : compileLaw(law.lock.rules, places) };
}

/** Whoever stands in a git dir asks about files of git, which are protected below the checkout around it. */
function rootAround({ commonDir }: Governed): string {
  return basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
}

const UNOPENED: readonly unknown[] = ["EACCES", "ENAMETOOLONG", "ELOOP"];

/** Null: it leads nowhere that anybody here could open, as too many links do; then its spelling alone is judged. */
export function resolvedPath(path: string, home: string | null): string | null {
  if (path === "" || path.includes("\0")) return null;
  const absolute = path.startsWith("~") ? (home === null ? null : join(home, path.slice(1))) : path;
  try {
    return absolute === null ? null : realPlace(absolute);
  } catch (thrown) {
    if (thrown instanceof HostError || UNOPENED.includes(Object(thrown).code)) return null;
    throw thrown;
  }
}
