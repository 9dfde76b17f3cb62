import { eventually, expectOk, type Session, start, turn } from "../e2e/support/talk.ts";
import type { TestDaemon } from "./daemon.ts";

export interface ShownLanding {
  readonly id: string;
  readonly sessionId: string;
  readonly into: string;
  readonly state: "queued" | "checking" | "landed" | "refused" | "ejected";
  readonly attempt: number;
  readonly held?: string;
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

export async function settled(daemon: TestDaemon, id: string): Promise<ShownLanding> {
  return eventually(`the landing ${id} to settle`, async () => {
    const now = await landing(daemon, id);
    return now.state === "landed" || now.state === "refused" || now.state === "ejected" ? now : null;
  });
}

export async function configure(daemon: TestDaemon, given: Readonly<Record<string, unknown>>): Promise<void> {
  expectOk(await daemon.call("PUT", "/api/config", { config: { landing: given } }));
}
