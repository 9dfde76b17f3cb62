import type { Bench, Benchmark, Figure, Skipped } from "../harness.ts";
import { measureAcpx } from "./acpx.ts";
import { installedPeer, type PeerPackage, pinnedPeer } from "./install.ts";
import { measureOpencode } from "./opencode.ts";
import { measureSandboxAgent } from "./sandbox-agent.ts";

export interface Peer {
  readonly name: PeerPackage;
  /** Takes turns with us in everything it measures. */
  readonly measure: (bench: Bench, modules: string) => Promise<readonly Figure[]>;
}

const PEERS: readonly Peer[] = [
  { name: "acpx", measure: measureAcpx },
  { name: "opencode-ai", measure: measureOpencode },
  { name: "@sandbox-agent/cli", measure: measureSandboxAgent },
];

/** Other programs that drive agents, doing what we do. Runs only when named: it installs them. */
export const peersBenchmark: Benchmark = {
  name: "peers",
  run: (bench) => comparePeers(PEERS, installedPeer, bench),
};

/** A peer that cannot be installed or measured is named as such, and the others are measured all the same. */
export async function comparePeers(
  peers: readonly Peer[],
  install: (name: PeerPackage) => Promise<string>,
  bench: Bench,
): Promise<readonly Figure[] | Skipped> {
  const figures: Figure[] = [];
  const missing: string[] = [];
  for (const { name, measure } of peers) {
    const pinned = pinnedPeer(name);
    let needs = "needs npm, and a network in which it finds this package";
    try {
      const modules = await install(name);
      needs = "is installed, but failed while it was measured";
      bench.say(`${pinned} is measured`);
      figures.push(...(await measure(bench, modules)));
    } catch (cause) {
      // The cause stays out of the results: it can name hosts and paths of this machine.
      bench.say(`${pinned} ${needs}: ${String(cause)}`);
      missing.push(`${pinned} ${needs}`);
    }
  }
  return missing.length === 0 ? figures : { skipped: missing.join("; "), figures };
}
