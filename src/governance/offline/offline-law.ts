import { realpath } from "node:fs/promises";
import type { LawVerdict } from "../../domains/index.ts";
import { createGitRunner } from "../../host/index.ts";
import { type ImportedLaw, importExo } from "../exo/import-exo.ts";
import { type BuiltLaw, buildLaw, type ComposedLaw, composeLaw } from "../law/build-law.ts";
import { checkPath, type KnownLaw, type PathQuestion } from "../law/check-path.ts";
import { homeSigner } from "../law/home-signer.ts";
import { type LawReport, verifyLaw } from "../law/verify-law.ts";
import { lawProblem } from "../law/verify-source.ts";
import { LAW_DIR } from "../repository/law-path.ts";
import { isUnreadable } from "../repository/tree-reader.ts";
import { createTicketStanding } from "./ticket-standing.ts";

/** What works in a clone without a daemon, for the command line. */
export interface OfflineLaw {
  readonly verify: (cwd: string) => Promise<LawReport>;
  readonly check: (question: PathQuestion) => Promise<LawVerdict>;
  readonly build: (cwd: string) => Promise<BuiltLaw>;
  /** Signed with the home's key, if the home has one. */
  readonly compose: (cwd: string) => Promise<ComposedLaw>;
  readonly importExo: (cwd: string, isDryRun?: boolean) => Promise<ImportedLaw>;
}

export interface OfflineOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The home of Nomos, where the key is. */
  readonly home: string;
  readonly nowMs: () => number;
  /** Laws that a daemon keeps; null: it does not keep the one of this directory. */
  readonly known?: (cwd: string) => Promise<KnownLaw | null>;
}

export function createOfflineLaw({ environment, home, nowMs, known = notKept }: OfflineOptions): OfflineLaw {
  const git = createGitRunner(environment);
  const standing = createTicketStanding({ git, environment });
  const person = async (): Promise<string | null> => {
    const { HOME } = environment;
    return HOME === undefined || HOME === "" ? null : realpath(HOME).catch(() => null);
  };
  return {
    verify: (cwd) => verifyLaw(git, cwd).catch(asReport),
    check: async (question) => checkPath(git, question, { home: await person(), standing, known }),
    build: (cwd) => buildLaw(git, cwd),
    importExo: (cwd, isDryRun) => importExo(git, cwd, isDryRun),
    compose: async (cwd) => composeLaw(git, cwd, { signer: await homeSigner(home), nowMs: nowMs() }),
  };
}

/** A law that cannot even be found, as where a link was committed in place of its folder, is a law that is broken. */
function asReport(thrown: unknown): LawReport {
  if (!isUnreadable(thrown)) throw thrown;
  const { path = LAW_DIR } = thrown.details;
  const remedy = "Find out who changed it (`git log -p -- .nomos`), and restore it from a commit that was sound.";
  const problem = lawProblem("governance_invalid", String(path), thrown.message, remedy);
  const nothing = { branch: null, tip: null, signer: null, law: null, isHistoryCut: false };
  return { ok: false, problems: [{ ...problem, at: "committed" }], ...nothing };
}

const notKept = async (): Promise<null> => null;
