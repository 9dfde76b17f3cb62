import type { Clock } from "../../host/index.ts";
import type { AgentHost } from "../../turns/index.ts";
import { given, type Manifest } from "../manifests/manifest.ts";
import type { Resolved } from "../manifests/resolve.ts";
import type { AgentInfo } from "./handshake.ts";
import { STEP_TIMES } from "./step-times.ts";

const PROBE_GRACE_MS = 500;

/** Starts the agent, does the handshake and ends it: no session, no model, no cost. */
export async function probeAgent(
  manifest: Manifest,
  { argv, env, shown }: Resolved,
  parts: { readonly host: AgentHost; readonly clock: Clock; readonly cwd: string; readonly version: string },
): Promise<AgentInfo> {
  const { clock, cwd, version } = parts;
  const process = parts.host.spawn({ slug: manifest.id, label: "check", cwd, argv, env, shown, walledFor: null });
  const times = { ...STEP_TIMES, ...given(manifest.timeouts) };
  const { startAgent } = await import("./agent-process.ts");
  const agent = await startAgent(process, {
    slug: manifest.id,
    clock,
    times,
    version,
    acpVersion: manifest.acp_version,
  });
  await agent.stop(PROBE_GRACE_MS, "it was only tried out");
  return agent.info;
}
