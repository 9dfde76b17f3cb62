import { expect, test } from "vitest";
import type { Bench, Figure } from "../bench/harness.ts";
import { pinnedPeer } from "../bench/peers/install.ts";
import { comparePeers, type Peer } from "../bench/peers/peers.ts";
import versions from "../bench/peers/versions.json" with { type: "json" };
import { resultOf } from "../bench/results.ts";

const FIGURE: Figure = {
  name: "peers.acpx.prompt",
  what: "a prompt",
  unit: "ms",
  value: 1,
  baseline: { what: "acpx", value: 2 },
  aim: { ratioAtMost: 1 },
  details: {},
};
const SCENE = {
  machine: { cpu: "", cores: 1, memoryGiB: 1, system: "", fileSystem: "" },
  loadAverage: 0,
};
const HOST = "registry.example";

const measured: Peer = { name: "acpx", measure: async () => [FIGURE] };
const broken: Peer = { name: "opencode-ai", measure: () => Promise.reject(new Error(`no answer from ${HOST}`)) };
const absent: Peer = { name: "@sandbox-agent/cli", measure: async () => [FIGURE] };

async function compare(peers: readonly Peer[]) {
  const said: string[] = [];
  const unused = (): never => {
    throw new Error("not needed");
  };
  const homes = { history: unused, sessions: unused };
  const bench: Bench = { quick: true, scratch: "", homes, product: unused, say: (line) => said.push(line) };
  const install = async (name: string): Promise<string> => {
    if (name === absent.name) throw new Error(`cannot reach ${HOST}`);
    return "";
  };
  const result = resultOf("peers", await comparePeers(peers, install, bench), SCENE);
  return { result, said: said.join("\n") };
}

test("a peer that cannot be installed, and one that fails, are named; the others are measured", async () => {
  const { result, said } = await compare([absent, broken, measured]);
  expect(Object.keys(result.figures)).toEqual([FIGURE.name]);
  expect(result.skipped).toContain(`${pinnedPeer("@sandbox-agent/cli")} needs npm`);
  expect(result.skipped).toContain(`${pinnedPeer("opencode-ai")} is installed, but failed`);
  expect(result.skipped).not.toContain("acpx");
  expect(said).toContain(HOST);
  expect(JSON.stringify(result)).not.toContain(HOST);
});

test("with every peer measured nothing is said to be missing", async () => {
  const { result } = await compare([measured]);
  expect(result.skipped).toBeNull();
  expect(result.figures[FIGURE.name]?.met).toBe(true);
});

test("every peer has one exact version", () => {
  for (const version of Object.values(versions)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});
