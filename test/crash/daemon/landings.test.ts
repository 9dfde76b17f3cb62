import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { eventually, expectSound, PATIENCE } from "../../e2e/support/talk.ts";
import { newHome, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { configure, expectWholeBranch, land, landing, settled, worked } from "../../support/landing-bench.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { type Bench, setUpBench } from "../../support/worktree-bench.ts";

vi.setConfig({ ...PATIENCE, testTimeout: sampled(1_800_000, 240_000) });

/** A hook of the person's that kills the daemon when the branch is about to move, or has just moved. */
function killIn(bench: Bench, state: "prepared" | "committed", daemon: TestDaemon, afterwards = ""): string {
  const flag = join(bench.directory, "armed");
  const hook = join(bench.repo, ".git", "hooks", "reference-transaction");
  mkdirSync(join(bench.repo, ".git", "hooks"), { recursive: true });
  writeFileSync(flag, "");
  writeFileSync(
    hook,
    `#!/bin/sh\n[ "$1" = ${state} ] && rm ${flag} 2>/dev/null && kill -9 ${daemon.pid}\n${afterwards}\nexit 0\n`,
  );
  chmodSync(hook, 0o755);
  return flag;
}

for (const [what, state, afterwards] of [
  ["just before the branch moves", "prepared", "exit 1"],
  ["just after the branch moved", "committed", ""],
  ["while git, which lives on, waits to move the branch", "prepared", "sleep 2"],
] as const)
  proves("LAND-40", `kill -9 ${what}: the landing lands once, and the person's files are whole`, async () => {
    using bench = setUpBench();
    const home = await newHome();
    const first = await startDaemon({ home });
    const { id } = await worked(first, bench.repo, "write a.txt a\nwrite README.md changed");
    const flag = killIn(
      bench,
      state,
      first,
      afterwards === "exit 1" ? `[ -e ${bench.directory}/second ] || exit 1` : afterwards,
    );
    const queued = await land(first, id);
    await eventually("the daemon is killed", async () => !existsSync(flag));
    await first.kill9();
    writeFileSync(join(bench.directory, "second"), "");
    const second = await startDaemon({ home });
    expect(await settled(second, queued.id)).toMatchObject({ state: "landed" });
    await expectWholeBranch(second, bench, [queued.id]);
    expect(readFileSync(join(bench.repo, "README.md"), "utf8")).toBe("changed");
    await expectSound(second);
  });

const CHECK = ["sh", "-c", "sleep 0.1; ! grep -rq broken *.txt"];

/** A soak lands more sessions, and kills the daemon more often. */
const SESSIONS = sampled(30, 10);
const KILLS = sampled(20, 5);
const SHARED = Array.from({ length: SESSIONS }, (_, n) => n).filter((n) => n % 3 === 0).length;

proves(
  "LAND-41",
  "ten sessions land at once while the daemon is killed and a person commits: never red, never half, nothing lost",
  async () => {
    using bench = setUpBench();
    bench.write(join(bench.repo, "shared.txt"), "first\n");
    bench.git(bench.repo, "add", "--all");
    bench.git(bench.repo, "commit", "-qm", "shared");
    const home = await newHome();
    let daemon = await startDaemon({ home });
    await configure(daemon, { checks: [CHECK], batchAfterMs: 100, attemptsMax: 1 });
    const scripts = Array.from({ length: SESSIONS }, (_, n) => {
      if (n === 4) return `write ${n}.txt broken`;
      return n % 3 === 0 ? `write shared.txt ${n}` : `write ${n}.txt fine\nrun git add -A && git commit -qm of-${n}`;
    });
    const sessions = await Promise.all(scripts.map((script) => worked(daemon, bench.repo, script)));
    const queued: string[] = [];
    for (const { id } of sessions) queued.push((await land(daemon, id)).id);
    const mine: string[] = [];
    for (let round = 0; round < KILLS; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 150 + 170 * (round % 7)));
      await daemon.kill9();
      daemon = await startDaemon({ home });
      mine.push(await commitAsPerson(bench, `person-${round}`));
    }
    const ends = await Promise.all(queued.map((id) => settled(daemon, id)));
    const landed = ends.filter(({ state }) => state === "landed");
    expect(ends.filter(({ state }) => state === "ejected")).toEqual([]);
    expect(ends[4]).toMatchObject({ state: "refused", findings: [{ rule: "check" }] });
    // Of those that change the shared file one fits; the others conflict with it.
    expect(landed).toHaveLength(SESSIONS - SHARED);
    await expectWholeBranch(
      daemon,
      bench,
      landed.map(({ id }) => id),
      CHECK,
    );
    const subjects = bench.git(bench.repo, "log", "--format=%s", "main").split("\n");
    for (const subject of mine) expect(subjects).toContain(subject);
    expect((await landing(daemon, queued[0] ?? "")).state).toBe("landed");
    await expectSound(daemon);
  },
);

/** As a person would: again, when another git holds a lock, or the daemon was killed with it. */
async function commitAsPerson(bench: Bench, name: string): Promise<string> {
  await eventually("a person commits", async () => {
    try {
      bench.write(join(bench.repo, `${name}.md`), name);
      bench.git(bench.repo, "add", `${name}.md`);
      bench.git(bench.repo, "commit", "-qm", name, "--", `${name}.md`);
      return true;
    } catch {
      return false;
    }
  });
  return name;
}
