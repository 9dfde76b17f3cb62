import type { Clock } from "../../host/index.ts";
import type { AgentHost } from "../../turns/index.ts";
import { given, type Manifest } from "../manifests/manifest.ts";
import type { Resolved } from "../manifests/resolve.ts";
import type { AgentProcess } from "./agent-process.ts";
import type { AgentInfo } from "./handshake.ts";
import { STEP_TIMES, type StepTimes } from "./step-times.ts";

const PROBE_GRACE_MS = 500;

export interface ProbeParts {
  readonly host: AgentHost;
  readonly clock: Clock;
  readonly cwd: string;
  readonly version: string;
}

/** Starts the agent, does the handshake and ends it: no session, no model, no cost. */
export async function probeAgent(manifest: Manifest, resolved: Resolved, parts: ProbeParts): Promise<AgentInfo> {
  const { agent } = await started(manifest, resolved, parts);
  await agent.stop(PROBE_GRACE_MS, TRIED);
  return agent.info;
}

/** The same with a session, which is opened and left without a prompt. `login`: it opens none without a login. */
export async function probeSession(
  manifest: Manifest,
  resolved: Resolved,
  parts: ProbeParts,
): Promise<"opened" | "login"> {
  const { openEmpty } = await import("./native-session.ts");
  const { agent, times } = await started(manifest, resolved, parts);
  try {
    return await openEmpty(agent, parts.cwd, times.openMs);
  } finally {
    await agent.stop(PROBE_GRACE_MS, TRIED);
  }
}

const TRIED = "it was only tried out";

async function started(
  manifest: Manifest,
  { argv, env, shown }: Resolved,
  { host, clock, cwd, version }: ProbeParts,
): Promise<{ readonly agent: AgentProcess; readonly times: StepTimes }> {
  const process = host.spawn({ slug: manifest.id, label: "check", cwd, argv, env, shown, walledFor: null });
  const times = { ...STEP_TIMES, ...given(manifest.timeouts) };
  const { startAgent } = await import("./agent-process.ts");
  const agent = await startAgent(process, {
    slug: manifest.id,
    clock,
    times,
    version,
    acpVersion: manifest.acp_version,
    redactor: host.redactor,
  });
  return { agent, times };
}
