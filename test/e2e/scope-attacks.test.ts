import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import type { TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import { startWithAgents } from "./support/fake-agents.ts";
import { eventsOf, eventually, expectOk, idle, PATIENCE, prompt, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startWithAgents({ fake: [], sharing: [] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const SCOPE = { allow: ["src"] };

describe.skipIf(!needs("bwrap"))("attacks on a session's scope", () => {
  proves("WT-17", "an agent that would write after its turn has been ended by then, with its processes", async () => {
    using bench = setUpBench();
    const session = await start(daemon, { adapter: "fake", cwd: bench.repo, scope: SCOPE });
    await turn(daemon, session.id, "late 700 outside.txt\nwrite src/in.txt x");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await turn(daemon, session.id, "say again");
    expect(await readFile(join(session.cwd, "src/in.txt"), "utf8")).toBe("x");
    expect(existsSync(join(session.cwd, "outside.txt"))).toBe(false);
    expect(existsSync(join(session.cwd, "outside.txt.detached"))).toBe(false);
  });

  proves("WT-17", "a session with a scope: its agent still remembers earlier turns", async () => {
    using bench = setUpBench();
    const session = await start(daemon, { adapter: "fake", cwd: bench.repo, scope: SCOPE });
    await turn(daemon, session.id, "say apples");
    await turn(daemon, session.id, "recall");
    const said = (await eventsOf(daemon, session.id, "types=message.completed")).map(({ data }) =>
      JSON.stringify(data),
    );
    expect(said.join()).toContain("I heard: say apples");
  });

  proves(
    "WT-18",
    "110 files with long control-character names: the report is bounded, and the session goes on",
    async () => {
      using bench = setUpBench();
      const session = await start(daemon, { adapter: "demo", cwd: bench.repo, scope: SCOPE });
      const name = `$(printf '\\001%.0s' $(seq 240))`;
      const deep = Array.from({ length: 12 }, () => `"$d"`).join("/");
      const script = `run d=${name}; mkdir -p ${deep}; cd ${deep}; for n in $(seq 110); do echo x > "$n$d"; done 2>/dev/null; mkfifo "p$d"`;
      expect(await turn(daemon, session.id, script)).toMatchObject({ outcome: "completed" });
      const [reverted] = await eventsOf(daemon, session.id, "types=scope.reverted");
      expect(reverted?.data["more"]).toBeGreaterThan(90);
      expect(await idle(daemon, session.id)).toMatchObject({ busy: false });
      expect(await turn(daemon, session.id, "write src/a.txt on")).toMatchObject({ outcome: "completed" });
      const ends = await eventsOf(daemon, session.id, "types=turn.ended");
      const rewound = await daemon.call("POST", `/sessions/${session.id}/rewind`, { to: ends[0]?.id });
      expect(rewound.status, rewound.text).toBe(200);
    },
  );

  proves("WT-18", "pipes and unstorable names in a directory without a scope: the session goes on", async () => {
    using bench = setUpBench();
    const session = await start(daemon, { adapter: "demo", cwd: bench.repo });
    const name = `$(printf '\\001%.0s' $(seq 240))`;
    const deep = Array.from({ length: 12 }, () => `"$d"`).join("/");
    const script = `run d=${name}; mkdir -p ${deep}; cd ${deep}; for n in $(seq 60); do mkfifo "$n$d"; echo x > "f$n$d"; done`;
    expect(await turn(daemon, session.id, script)).toMatchObject({ outcome: "completed" });
    const to = (await eventsOf(daemon, session.id))[0]?.id;
    const rewound = await daemon.call<{ removed: string[] }>("POST", `/sessions/${session.id}/rewind`, { to });
    expect(rewound.status, rewound.text.slice(0, 500)).toBe(200);
    expect(await turn(daemon, session.id, "say on")).toMatchObject({ outcome: "completed" });
  });

  proves("WT-18", "a session killed during its turn: changes outside the scope are put back and recorded", async () => {
    using bench = setUpBench();
    const session = await start(daemon, { adapter: "demo", cwd: bench.repo, scope: SCOPE });
    await prompt(daemon, session.id, "write README.md evil\nsleep 60000");
    await eventually("the file", async () => (await readFile(join(session.cwd, "README.md"), "utf8")) === "evil");
    expectOk(await daemon.call("POST", `/sessions/${session.id}/kill`, {}));
    const files = (await eventsOf(daemon, session.id, "types=scope.reverted")).map(({ data }) => data["files"]);
    expect(files).toEqual([[{ path: "README.md", rule: "no_rule" }]]);
  });

  proves(
    "WT-19",
    "a person's ignored file, written after the last turn, is in a fork of the killed session",
    async () => {
      using bench = setUpBench();
      bench.write(join(bench.repo, ".gitignore"), "*.log\n");
      bench.git(bench.repo, "add", "--all");
      bench.git(bench.repo, "commit", "--quiet", "-m", "ignores");
      const session = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
      await turn(daemon, session.id, "say hello");
      bench.write(join(session.cwd, "person.log"), "mine\n");
      expectOk(await daemon.call("POST", `/sessions/${session.id}/kill`, {}));
      expect(existsSync(session.cwd)).toBe(false);
      const fork = await daemon.call<{ cwd: string }>("POST", `/sessions/${session.id}/fork`, {});
      expect(fork.status, fork.text).toBe(201);
      expect(await readFile(join(fork.body.cwd, "person.log"), "utf8")).toBe("mine\n");
    },
  );

  proves(
    "WT-19",
    "a fork with a worktree can be rewound to any point of its parent, and keeps a person's files",
    async () => {
      using bench = setUpBench();
      const session = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
      await turn(daemon, session.id, "write a.txt one");
      await turn(daemon, session.id, "write a.txt two");
      const fork = expectOk(
        await daemon.call<{ id: string; cwd: string }>("POST", `/sessions/${session.id}/fork`, {}),
        201,
      );
      bench.write(join(fork.cwd, "mine.txt"), "mine\n");
      await turn(daemon, fork.id, "write a.txt three\nrun git add a.txt && git commit -qm three");
      const [first] = await eventsOf(daemon, session.id, "types=turn.ended");
      const back = await daemon.call<{ kept: string[] }>("POST", `/sessions/${fork.id}/rewind`, { to: first?.id });
      expect(back.status, back.text).toBe(200);
      expect(back.body.kept).toEqual(["mine.txt"]);
      expect(await readFile(join(fork.cwd, "a.txt"), "utf8")).toBe("one");
      expect(bench.git(fork.cwd, "status", "--porcelain")).toContain("mine.txt");
    },
  );
});
