import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { configure, land, settled } from "../../support/landing-bench.ts";
import { proves } from "../../support/proves.ts";
import { type Bench, setUpBench } from "../../support/worktree-bench.ts";
import { expectOk, expectRefusal, PATIENCE, start } from "../support/talk.ts";
import { type Attack, agentIn, byHand, picture } from "./attack.ts";
import { ATTACKS_BY_COMMIT, PROTECTED } from "./attacks-by-commit.ts";
import { ATTACKS_BY_CONTENT, VALUE } from "./attacks-by-content.ts";
import { ATTACKS_BY_LINK } from "./attacks-by-link.ts";
import { ATTACKS_BY_NAME } from "./attacks-by-name.ts";
import { ATTACKS_ON_SCOPE } from "./attacks-on-scope.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
let bench: Bench;
beforeAll(async () => {
  daemon = await startDaemon();
  await configure(daemon, { protect: PROTECTED, bytesMax: 25_000_000, filesMax: 300, linesMax: 5000 });
  expectOk(await daemon.call("POST", "/api/secrets", { name: "KEY", value: VALUE }), 201);
  bench = setUpBench();
  const bob = ["-c", "user.name=Bob", "-c", "user.email=bob@example.org"];
  bench.write(join(bench.repo, "NOTES.md"), "notes\n");
  bench.git(bench.repo, "add", "--all");
  bench.git(bench.repo, ...bob, "commit", "-q", "-m", "second");
});
afterAll(async () => {
  bench[Symbol.dispose]();
  await daemon[Symbol.asyncDispose]();
});

/** First by hand, where it works; then through the gate, where nothing of the person's changes. */
async function attempt({ scope, plant, works, wish = {}, refused }: Attack): Promise<void> {
  const session = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true, scope });
  const agent = agentIn(bench, session.cwd);
  plant(agent);
  const victim = byHand(bench, agent, `victim-${session.id}`);
  expect(works(victim, agent), "it does not even work by hand").toBe(true);
  rmSync(join(bench.directory, `victim-${session.id}`), { recursive: true });
  const before = picture(bench.repo);
  if ("code" in refused) {
    const answer = await daemon.call("POST", `/sessions/${session.id}/land`, wish);
    expectRefusal(answer, answer.status, refused.code);
  } else {
    const [rule, says] = refused;
    const { state, findings } = await settled(daemon, (await land(daemon, session.id, wish)).id);
    expect(state).toBe("refused");
    const spoken = findings.filter((one) => one.rule === rule).map(({ message }) => message);
    expect(spoken.join("\n")).toMatch(says);
    expect(JSON.stringify(findings)).not.toContain(VALUE);
  }
  expect(picture(bench.repo)).toBe(before);
}

for (const attack of ATTACKS_ON_SCOPE) proves("LG-24", attack.name, () => attempt(attack));
for (const attack of ATTACKS_BY_NAME) proves("LG-25", attack.name, () => attempt(attack));
for (const attack of ATTACKS_BY_LINK) proves("LG-25", attack.name, () => attempt(attack));
for (const attack of ATTACKS_BY_CONTENT) proves("LG-26", attack.name, () => attempt(attack));
for (const attack of ATTACKS_BY_COMMIT) proves("LG-27", attack.name, () => attempt(attack));
