import { NomosError } from "../../../contract/index.ts";
import type { Finding } from "../../../domains/index.ts";
import { type Clock, HostError, shellQuoted } from "../../../host/index.ts";
import type { Redactor } from "../../../redaction/index.ts";
import type { Checked, CheckReport } from "../judge.ts";
import type { LandingSettings } from "../landing-settings.ts";
import { type Gathered, gatherFindings, shownPath } from "./gather-findings.ts";
import { type HookCall, messageOf, planHooks, readMessage, writeMessage } from "./hooks.ts";
import { shownOutput } from "./output-ends.ts";
import { type Ran, runWalled, type WalledMeans, type WalledPlace, type WalledRun } from "./run-walled.ts";

export interface CheckMeans extends WalledMeans {
  readonly settings: LandingSettings;
  readonly redactor: Pick<Redactor, "text" | "data">;
  readonly clock: Pick<Clock, "steadyMs">;
}

const NOTHING: CheckReport = { findings: [], passed: [], checkMs: 0 };

/**
 * Runs the person's hooks, then all checks, on a copy of the commit. The commit stays what it is: a check that leaves other
 * files than it was given has tested something else, and speaks against the landing.
 */
export async function runChecks(given: Checked, means: CheckMeans, signal: AbortSignal): Promise<CheckReport> {
  const { opened, branch, tip, commit, checks, folder } = given;
  const { settings, redactor, clock } = means;
  const hooks = await planHooks(opened, given);
  if (hooks.calls.length === 0 && checks.length === 0) return NOTHING;
  const found = gatherFindings();
  const { tree, objectDirs } = await opened.layOut({ branch, tip, commit }, folder);
  const place: WalledPlace = {
    ...{ tree, folder, readable: [...objectDirs, ...hooks.readable] },
    ...{ sandbox: settings.checkSandbox, network: settings.checkNetwork, timeoutMs: settings.checkTimeoutMs },
  };
  const run: Runner = async (name, order) => {
    given.running?.(name);
    const ran = await runWalled(means, place, order, signal).catch((thrown: unknown) => unstartable(thrown));
    if (signal.aborted) throw new NomosError("call_cancelled");
    if ("problem" in ran)
      found.add("policy", { message: `\`${name}\` could not be run: ${ran.problem}.`, remedy: ran.remedy });
    else if (ran.exitCode !== 0) addFailed(name, ran, settings, redactor, found);
    return "problem" in ran ? null : ran.exitCode;
  };
  const begunMs = clock.steadyMs();
  try {
    const message = await runHooks(given, hooks.calls, tree, run, found);
    if (found.list().length === 0) await runAll(checks, settings, run);
    await addChanged(given, hooks.calls.length > 0, found);
    const checkMs = Math.round(clock.steadyMs() - begunMs);
    const findings: readonly Finding[] = redactor.data(found.list());
    const passed = findings.length === 0 ? checks : [];
    return { findings, passed, checkMs, ...(message === null || findings.length > 0 ? {} : { message }) };
  } finally {
    given.running?.(null);
  }
}

/** Resolves with the exit code; null when it did not start, which is told already. */
type Runner = (name: string, order: WalledRun) => Promise<number | null>;

/** Returns the message when hooks changed it. The first one that fails ends it, as in git. */
async function runHooks(
  { opened, landings, commit }: Checked,
  calls: readonly HookCall[],
  tree: string,
  run: Runner,
  found: Gathered,
): Promise<string | null> {
  if (calls.length === 0) return null;
  const before = await messageOf(opened, commit);
  await writeMessage(tree, before);
  for (const { name, argv, env } of calls)
    if ((await run(`hook ${name}`, { argv, env, isTrusted: true })) !== 0) return null;
  const after = await readMessage(tree);
  if (after === null)
    found.add("check", {
      message: "A hook left no commit message.",
      remedy: "Correct the hook, or name a message: `nomos land <session> --message <text>`.",
    });
  // A batch has several messages; hooks may refuse it but not change them.
  return after === null || after === before || landings.length > 1 ? null : after;
}

/** All of them, so that whoever mends the work sees everything at once. */
async function runAll(
  checks: Checked["checks"],
  { checks: configured }: Pick<LandingSettings, "checks">,
  run: Runner,
): Promise<void> {
  const trusted = new Set(configured.map((argv) => JSON.stringify(argv)));
  for (const argv of checks)
    await run(argv.map(shellQuoted).join(" "), { argv, isTrusted: trusted.has(JSON.stringify(argv)) });
}

function addFailed(
  name: string,
  ran: Ran,
  { checkTimeoutMs }: LandingSettings,
  redactor: Pick<Redactor, "text">,
  found: Gathered,
): void {
  const what = ran.timedOut
    ? `took longer than ${checkTimeoutMs} ms and was ended`
    : `ended with ${ran.exitCode ?? "a signal"}`;
  // Whole texts are redacted: of a secret that is cut, the rest would stay.
  const output = shownOutput({ head: redactor.text(ran.head), tail: redactor.text(ran.tail) });
  found.add("check", {
    message: `\`${name}\` ${what}.${output === "" ? "" : `\n${output}`}`,
    remedy: ran.timedOut
      ? "Make it faster, or raise the limit: `nomos config set landing.checkTimeoutMs <ms>`."
      : "Mend what it complains about in the worktree, run it there, and land again.",
  });
}

async function addChanged({ opened, folder, checks }: Checked, hasHooks: boolean, found: Gathered): Promise<void> {
  const changed = await opened.changedByCheck(folder);
  const who = hasHooks ? "a hook or a check" : checks.length === 1 ? "the check" : "a check";
  for (const path of changed.slice(0, CHANGED_MAX))
    found.add("check", {
      path,
      message: `${shownPath(path)} was changed by ${who}: what was checked is not what would land.`,
      remedy: "Run it in the worktree and commit what it changes, or have it change nothing.",
    });
}

const CHANGED_MAX = 50;

/** The person's machine or configuration is at fault, not the work. */
function unstartable(thrown: unknown): { readonly problem: string; readonly remedy: string } {
  if (!(thrown instanceof HostError)) throw thrown;
  const { message: problem, remedy } = thrown;
  const off = "or let checks run as you, without walls: `nomos config set landing.checkSandbox off`";
  return { problem, remedy: thrown.code === "sandbox_unavailable" ? `${remedy}; ${off}` : remedy };
}
