import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const FAKE_AGENT = join(import.meta.dirname, "..", "test", "fixtures", "fake-acp-agent.ts");

/** A home whose daemon has an agent without a model: the prompt is its script, and its own cost is known. */
export function homeWithFakeAgent(scratch: string, name: string): string {
  const home = join(scratch, name);
  const person = join(scratch, `${name}-person`);
  for (const folder of [home, person]) mkdirSync(folder, { mode: 0o700 });
  const fake = { command: process.execPath, args: [FAKE_AGENT], home: person };
  writeFileSync(join(home, "config.json"), JSON.stringify({ drivers: { fake } }));
  return home;
}
