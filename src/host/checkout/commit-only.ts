import type { GitRunner } from "../git/run-git.ts";
import { HostError } from "../host-error.ts";
import type { CommitSettings } from "../landing/commit-settings.ts";

export interface OwnCommit {
  /** As they are on disk; one that is gone is removed. Each has to be staged. */
  readonly paths: readonly string[];
  readonly message: string;
}

interface Place {
  readonly git: GitRunner;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: CommitSettings;
  readonly root: string;
}

/** Hooks may run tests. */
const COMMIT_TIMEOUT_MS = 600_000;
const WORDS_CHARS = 2000;

/**
 * Git itself makes the commit, so that hooks, signature and index are as the person knows them. Hooks and signing program
 * are the person's; whatever else the repository's settings would start is switched off.
 */
export async function commitOnly(place: Place, { paths, message }: OwnCommit): Promise<string> {
  const { git, settings } = place;
  const { identity, signing, hooks } = settings;
  const args = ["commit", "--only", "--quiet", "--no-status", "--cleanup=verbatim", "-m", message];
  const sign = signing === null ? [] : ["-S"];
  const { exitCode, stdout, stderr } = await git.run(
    [...args, ...sign, "--pathspec-from-file=-", "--pathspec-file-nul"],
    {
      identity,
      input: paths.map((path) => `${path}\0`).join(""),
      timeoutMs: COMMIT_TIMEOUT_MS,
      signing: { settings: signing === null ? [] : signers(signing.settings), environment: around(place) },
      ...(hooks === null ? {} : { hooksPath: hooks }),
    },
  );
  if (exitCode !== 0) throw refused(`${stderr.trim()}\n${stdout.toString().trim()}`.trim());
  return git.text(["rev-parse", "HEAD"]);
}

/** A program that the person did not name is git's own, and never the repository's. */
function signers(own: readonly string[]): readonly string[] {
  const usual = ["gpg.openpgp.program=gpg", "gpg.ssh.program=ssh-keygen", "gpg.x509.program=gpgsm"];
  const asNamed = own.filter((one) => one.startsWith("gpg.program=")).map((one) => one.replace("gpg.", "gpg.openpgp."));
  return [...usual, ...asNamed, ...own];
}

/** What the person's hooks and signing program need of their environment. */
function around({ environment, settings }: Place): Readonly<Record<string, string>> {
  const passed = ["HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR"].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...settings.signing?.environment };
}

function refused(words: string): HostError {
  const said = words.slice(0, WORDS_CHARS) || "git gave no reason";
  const why = /failed to write commit object|failed to sign/.test(said) ? "signature" : "hook";
  const isLocked = /index\.lock|cannot lock ref/.test(said);
  return new HostError("commit_refused", `git made no commit: ${said}`, {
    remedy: isLocked
      ? "wait until the other git has ended, then try again"
      : "mend what is said, or stage the files with `--no-commit` and commit them yourself",
    details: { why: isLocked ? "lock" : why, words: said },
  });
}
