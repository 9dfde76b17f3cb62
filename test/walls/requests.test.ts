import { join } from "node:path";
import { expect } from "vitest";
import { linesOf, start, turn } from "../e2e/support/talk.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { idOf } from "./attempt.ts";
import { REQUESTS } from "./attempts/requests.ts";
import { createJudge } from "./batch.ts";
import { obeyAgent } from "./obeying-client.ts";
import { makeWorld, type World } from "./world.ts";

const provesStrict = proves.skipIf(!needs("bwrap", "git", "python3"));
const FAKE_AGENT = join(import.meta.dirname, "../fixtures/fake-acp-agent.ts");

provesStrict(
  "WX-4",
  "requests that an obeying client carries out for an agent, the daemon does not carry out for a walled one",
  async () => {
    const obeyed = await tryRequests(({ work, env }, text) => obeyAgent(FAKE_AGENT, work, env, text));
    const walled = await tryRequests(async ({ daemon, work }, text) => {
      const { id } = await start(daemon, { adapter: "fake", cwd: work, sandbox: "strict" });
      expect(await turn(daemon, id, text)).toMatchObject({ outcome: "completed" });
      return (await linesOf(daemon, id)).join("\n");
    });
    const all = REQUESTS.attempts.map((attempt) => idOf(REQUESTS, attempt));
    expect({ obeyed, walled }).toEqual({ obeyed: all, walled: [] });
  },
);

/** Returns those that got out. */
async function tryRequests(play: (world: World, text: string) => Promise<string>): Promise<readonly string[]> {
  const config = { drivers: { fake: { command: process.execPath, args: [FAKE_AGENT] } } };
  await using world = await makeWorld({ config: () => config });
  const out: string[] = [];
  for (const attempt of REQUESTS.attempts) {
    const id = idOf(REQUESTS, attempt);
    const name = `${world.mark}-${id}`;
    const places: Readonly<Record<string, string>> = { ...world.known, P: name, T: join(world.known["D"] ?? "", name) };
    const said = await play(
      world,
      attempt.text.replaceAll(/\$([A-Z]+)/g, (variable, key: string) => places[key] ?? variable),
    );
    if (createJudge(world, new Map())[attempt.proof](id, said)) out.push(id);
  }
  return out;
}
