import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newHome, startDaemon, type TestDaemon } from "../../support/daemon.ts";

const FAKE_AGENT = join(import.meta.dirname, "../../fixtures/fake-acp-agent.ts");

/** A daemon that knows the fake agent under these names, each with its own flags. */
export async function startWithAgents(
  agents: { readonly [slug: string]: readonly string[] },
  more: Readonly<Record<string, unknown>> = {},
): Promise<TestDaemon> {
  const home = await newHome();
  const people = join(home, "..", "person");
  await mkdir(home, { recursive: true, mode: 0o700 });
  await mkdir(people, { recursive: true });
  const drivers = Object.fromEntries(
    Object.entries(agents).map(([slug, flags]) => [
      slug,
      { command: process.execPath, args: [FAKE_AGENT, ...flags], home: people },
    ]),
  );
  await writeFile(join(home, "config.json"), JSON.stringify({ drivers, ...more }));
  return startDaemon({ home });
}

/** Adds a manifest for the fake agent. */
export async function addAgent(
  daemon: TestDaemon,
  id: string,
  flags: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const manifest = {
    id,
    name: id,
    description: "the fake agent",
    protocol: "acp",
    bin: process.execPath,
    bin_args: [FAKE_AGENT, ...flags],
    timeouts: { cancelMs: 500 },
    ...more,
  };
  const { status, text } = await daemon.call("POST", "/api/drivers", { manifest: JSON.stringify(manifest) });
  if (status !== 201) throw new Error(`the manifest was refused: ${text}`);
}
