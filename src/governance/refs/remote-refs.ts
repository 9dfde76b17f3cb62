import { basename, dirname } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { type PersonAnswer, runAsPerson } from "../../host/index.ts";
import type { LocalRefs, RefMovement } from "./local-refs.ts";
import { ownerOf, type RefPlace } from "./ref-place.ts";

/** Refs of a remote. Reached with the person's logins, but without their hooks, and nothing is ever asked. */
export interface RemoteRefs {
  /** Where they point there, exact names only. Their commits are in this clone then. */
  readonly look: (place: RefPlace, remote: string, refs: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** All that match a pattern such as `refs/nomos/status/*`. Their commits are in this clone then. */
  readonly lookAll: (
    place: RefPlace,
    remote: string,
    patterns: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>;
  /** All of them or none. Null: done. Otherwise what the remote said; one of the refs may be elsewhere there. */
  readonly push: (place: RefPlace, remote: string, moves: readonly RefMovement[]) => Promise<string | null>;
}

export interface RemoteOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly local: Pick<LocalRefs, "missing">;
  readonly timeoutMs?: number;
}

const REMOTE_TIMEOUT_MS = 20_000;
const REASON_CHARS = 600;
/** The refs move between the two commands, but not that often. */
const LOOKS_MAX = 3;
const FETCHED_AT_ONCE = 500;

export function createRemoteRefs({ environment, local, timeoutMs = REMOTE_TIMEOUT_MS }: RemoteOptions): RemoteRefs {
  const run = async (place: RefPlace, remote: string, args: readonly string[]): Promise<PersonAnswer> =>
    runAsPerson({
      environment,
      argv: ["git", ...settingsFor(place, remote), ...args],
      cwd: topOf(place),
      timeoutMs,
      variables: { ...SILENT, GIT_DIR: place.commonDir },
      ...(await ownerOf(place)),
    });
  const must = async (place: RefPlace, remote: string, args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, words } = await run(place, remote, args);
    if (exitCode === 0) return stdout;
    throw remoteFailed(remote, words);
  };
  const fetch = async (place: RefPlace, remote: string, refs: readonly string[]): Promise<void> => {
    for (let at = 0; at < refs.length; at += FETCHED_AT_ONCE)
      await must(place, remote, [...FETCH, "--", addressOf(place, remote), ...refs.slice(at, at + FETCHED_AT_ONCE)]);
  };
  const bring = async (
    place: RefPlace,
    remote: string,
    told: () => Promise<ReadonlyMap<string, string>>,
  ): Promise<ReadonlyMap<string, string>> => {
    for (let looks = 1; ; looks++) {
      const found = await told();
      const missing = new Set(await local.missing(place, [...found.values()]));
      if (missing.size === 0) return found;
      if (looks > LOOKS_MAX) throw remoteFailed(remote, "its refs lead to objects that it does not give");
      const wanted = [...found].flatMap(([ref, oid]) => (missing.has(oid) ? [ref] : []));
      await fetch(place, remote, wanted);
    }
  };
  const listed = async (place: RefPlace, remote: string, patterns: readonly string[]) =>
    refsIn(await must(place, remote, ["ls-remote", "--refs", "--", addressOf(place, remote), ...patterns]));
  return {
    look: (place, remote, refs) =>
      bring(place, remote, async () => {
        const all = await listed(place, remote, refs);
        // Git also matches the ends of longer names.
        return new Map([...all].filter(([ref]) => refs.includes(ref)));
      }),
    lookAll: (place, remote, patterns) =>
      bring(place, remote, async () => {
        const all = await listed(place, remote, patterns);
        return new Map([...all].filter(([ref]) => patterns.some((one) => ref.startsWith(one.replace("*", "")))));
      }),
    push: async (place, remote, moves) => {
      const leases = moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ""}`);
      const specs = moves.map(({ ref, to }) => `${to ?? ""}:${ref}`);
      const { exitCode, words } = await run(place, remote, [
        ...PUSH,
        ...leases,
        "--",
        addressOf(place, remote),
        ...specs,
      ]);
      return exitCode === 0 ? null : plain(words);
    },
  };
}

/** The remote did not do what was asked, or nobody knows whether it did. */
export function remoteFailed(remote: string, words: string): NomosError {
  return new NomosError("lease_remote_failed", { remote, reason: plain(words) });
}

/** No login and no invisible character of what a remote says gets into a log. */
function plain(words: string): string {
  return words
    .replace(/:\/\/[^@/\s]*@/g, "://")
    .replace(/[^\P{C}\n]/gu, "")
    .slice(-REASON_CHARS);
}

const FETCH = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", "--no-auto-maintenance"];
const PUSH = ["push", "--quiet", "--atomic", "--no-verify", "--no-signed", "--no-follow-tags"];
/** No program that asks gets started, whatever the person has set up for themselves. */
const SILENT = {
  GIT_ASKPASS: "/bin/false",
  SSH_ASKPASS: "/bin/false",
  // Ssh would ask on the terminal otherwise.
  SSH_ASKPASS_REQUIRE: "force",
  GCM_INTERACTIVE: "never",
};

function settingsFor({ commonDir }: RefPlace, remote: string): readonly string[] {
  const settings = [
    ...[`safe.directory=${commonDir}`, "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.askPass=/bin/false"],
    ...["credential.interactive=false", "gc.auto=0", "maintenance.auto=false", "fetch.writeCommitGraph=false"],
    ...["fetch.recurseSubmodules=false", "fetch.prune=false", "fetch.fsckObjects=true", "submodule.recurse=false"],
    ...["push.recurseSubmodules=no", "push.negotiate=false", "push.pushOption=", "protocol.version=2"],
    ...[`remote.${remote}.mirror=false`, `remote.${remote}.prune=false`, `remote.${remote}.tagOpt=--no-tags`],
  ];
  return ["--no-pager", ...settings.flatMap((one) => ["-c", one])];
}

/** A relative address counts from the top of the main worktree. */
function topOf({ commonDir, config }: RefPlace): string {
  return basename(commonDir) === ".git" && config.get("core.bare") !== "true" ? dirname(commonDir) : commonDir;
}

/** Where a remote is pushed to elsewhere than it is fetched from, both have to see the same refs. */
function addressOf({ config }: RefPlace, remote: string): string {
  const told = (name: string) =>
    config.entries.flatMap(([key, value]) => (key === `remote.${remote}.${name}` ? [value] : []));
  const [pushed, addresses] = [told("pushurl"), told("url")];
  const [first] = addresses;
  if (first === undefined) throw remoteFailed(remote, "the repository has no such remote");
  return pushed[0] ?? (addresses.length > 1 ? first : remote);
}

function refsIn(told: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, oid = "", ref = ""] of told.matchAll(/^([0-9a-f]{40,64})\t(\S+)$/gm)) found.set(ref, oid);
  return found;
}
