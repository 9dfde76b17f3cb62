import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eventually, expectOk, type Session, start, turn } from "../e2e/support/talk.ts";
import type { TestDaemon } from "./daemon.ts";
import { sampled } from "./sampled.ts";
import type { Bench } from "./worktree-bench.ts";

export interface ShownLanding {
  readonly id: string;
  readonly sessionId: string;
  readonly into: string;
  readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
  readonly attempt: number;
  readonly held?: string;
  readonly checking?: string;
  readonly commit?: string;
  readonly commits?: readonly string[];
  readonly toldIn?: string;
  readonly retriedAs?: string;
  readonly findings: readonly { readonly rule: string; readonly path?: string; readonly message: string }[];
}

/** A session that has worked in a worktree of the repository. */
export async function worked(
  daemon: TestDaemon,
  repo: string,
  script: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Session> {
  const session = await start(daemon, { adapter: "demo", cwd: repo, worktree: true, ...more });
  await turn(daemon, session.id, script);
  return session;
}

export async function land(
  daemon: TestDaemon,
  id: string,
  wish: Readonly<Record<string, unknown>> = {},
): Promise<ShownLanding> {
  return expectOk(await daemon.call<ShownLanding>("POST", `/sessions/${id}/land`, wish));
}

export async function landing(daemon: TestDaemon, id: string): Promise<ShownLanding> {
  return expectOk(await daemon.call<ShownLanding>("GET", `/api/landings/${id}`));
}

/** Checks of others may come first, and the machine may be busy. */
const SETTLED_MAX_MS = sampled(1_500_000, 150_000);

export async function settled(daemon: TestDaemon, id: string): Promise<ShownLanding> {
  const look = async (): Promise<ShownLanding | null> => {
    const now = await landing(daemon, id);
    return now.state === "landed" || now.state === "refused" || now.state === "ejected" ? now : null;
  };
  return eventually(`the landing ${id} to settle`, look, SETTLED_MAX_MS);
}

export async function configure(daemon: TestDaemon, given: Readonly<Record<string, unknown>>): Promise<void> {
  expectOk(await daemon.call("PUT", "/api/config", { config: { landing: given } }));
}

/**
 * Every landing is on the branch once; each commit that the branch ever pointed at passes the check; git finds no damage
 * and the person's files are those of the branch.
 */
export async function expectWholeBranch(
  daemon: TestDaemon,
  bench: Bench,
  ids: readonly string[],
  check: readonly string[] = ["true"],
): Promise<void> {
  const { git, repo } = bench;
  git(repo, "fsck", "--strict", "--full");
  expect(git(repo, "status", "--porcelain")).toBe("");
  expect(existsSync(join(repo, ".git", "index.lock"))).toBe(false);
  const events = git(
    repo,
    "log",
    "--first-parent",
    "--format=%(trailers:key=Nomos-Event,valueonly,separator=)",
    "main",
  );
  const found = events.split("\n").filter(Boolean);
  expect(found).toHaveLength(new Set(found).size);
  expect(found).toHaveLength(ids.length);
  for (const id of ids) {
    const { state, commits = [] } = await landing(daemon, id);
    expect(state).toBe("landed");
    for (const commit of commits) git(repo, "merge-base", "--is-ancestor", commit, "main");
  }
  const clone = join(bench.directory, "clone");
  rmSync(clone, { recursive: true, force: true });
  git(bench.directory, "clone", "-q", repo, clone);
  for (const commit of new Set(git(repo, "reflog", "main", "--format=%H").split("\n"))) {
    git(clone, "checkout", "-q", "--detach", commit);
    const [program = "", ...args] = check;
    execFileSync(program, args, { cwd: clone, stdio: "ignore" });
  }
}
