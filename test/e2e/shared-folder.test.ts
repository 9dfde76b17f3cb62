import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { whenTestEnds } from "../support/test-end.ts";
import { chanceOf } from "../support/world.ts";
import { eventually } from "./support/talk.ts";

interface Rewound {
  readonly restored: string[];
  readonly removed: string[];
  readonly kept: string[];
  readonly undo: string | null;
  readonly error: { readonly code: string; readonly details: { readonly files: string[] } };
}

async function folder(): Promise<string> {
  const outer = await realpath(await mkdtemp(join(tmpdir(), "nomos-shared-")));
  whenTestEnds(() => rm(outer, { recursive: true, force: true }));
  const cwd = join(outer, "shared");
  mkdirSync(cwd);
  return cwd;
}

async function spawn(daemon: TestDaemon, cwd: string): Promise<string> {
  return (await daemon.call<{ id: string }>("POST", "/sessions/agent", { adapter: "demo", cwd })).body.id;
}

async function begin(daemon: TestDaemon, id: string, prompt: string): Promise<() => Promise<void>> {
  const { body, text } = await daemon.call<{ turnId: string }>("POST", `/sessions/${id}/prompt`, { prompt });
  expect(body.turnId, text).toBeTruthy();
  return async () => {
    await daemon.call("GET", `/sessions/${id}/wait?turnId=${body.turnId}&timeoutMs=60000`);
  };
}

async function turn(daemon: TestDaemon, id: string, prompt: string): Promise<void> {
  await (await begin(daemon, id, prompt))();
}

async function rewind(daemon: TestDaemon, id: string, input: object) {
  return daemon.call<Rewound>("POST", `/sessions/${id}/rewind`, input);
}

function filesIn(cwd: string): Record<string, string> {
  return Object.fromEntries(readdirSync(cwd).map((name) => [name, readFileSync(join(cwd, name), "utf8")]));
}

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

describe.skipIf(!needs("bwrap"))("several writers in one directory", () => {
  proves(
    "SN-20",
    "a rewind takes back what its session wrote; files of another session and of a person stay",
    async () => {
      const cwd = await folder();
      const [a, b] = [await spawn(daemon, cwd), await spawn(daemon, cwd)];
      await turn(daemon, a, "write a.txt one");
      await turn(daemon, b, "write b.txt theirs");
      writeFileSync(join(cwd, "mine.txt"), "a person's");
      await turn(daemon, a, "say nothing");
      await turn(daemon, a, "write a.txt two\nrun echo new > new.txt");
      const { status, text, body } = await rewind(daemon, a, { turn: 1 });
      expect(status, text).toBe(200);
      expect(filesIn(cwd)).toEqual({ "a.txt": "one", "b.txt": "theirs", "mine.txt": "a person's" });
      expect(body).toMatchObject({ restored: ["a.txt"], removed: ["new.txt"], kept: ["b.txt", "mine.txt"] });
      const [, , id = "", event = ""] = body.undo?.split(" ") ?? [];
      const undone = await rewind(daemon, id, { to: event });
      expect(undone.status, undone.text).toBe(200);
      expect(filesIn(cwd)).toEqual({ "a.txt": "two", "b.txt": "theirs", "mine.txt": "a person's", "new.txt": "new\n" });
      expect((await rewind(daemon, a, { turn: 0 })).status).toBe(200);
      expect(filesIn(cwd)).toEqual({ "b.txt": "theirs", "mine.txt": "a person's" });
    },
  );

  proves(
    "SN-20",
    "a file that both changed: refused with the list, nothing touched; forced, other files still stay",
    async () => {
      const cwd = await folder();
      const [a, b] = [await spawn(daemon, cwd), await spawn(daemon, cwd)];
      await turn(daemon, a, "write both.txt one\nwrite only.txt one");
      await turn(daemon, a, "write both.txt two\nwrite only.txt two");
      await turn(daemon, b, "run echo b >> both.txt; echo b > theirs.txt");
      const before = filesIn(cwd);
      const refused = await rewind(daemon, a, { turn: 1 });
      expect(refused.status, refused.text).toBe(409);
      expect(refused.body.error).toMatchObject({ code: "files_of_others", details: { files: ["changed both.txt"] } });
      expect(filesIn(cwd)).toEqual(before);
      const forced = await rewind(daemon, a, { turn: 1, force: true });
      expect(forced.status, forced.text).toBe(200);
      expect(filesIn(cwd)).toEqual({ "both.txt": "one", "only.txt": "one", "theirs.txt": "b\n" });
      const undo = forced.body.undo?.split(" ")[3];
      expect((await rewind(daemon, a, { to: undo })).status).toBe(200);
      expect(filesIn(cwd)).toEqual(before);
    },
  );

  proves("SN-20", "files that others write during a session's turn belong to the others", async () => {
    const cwd = await folder();
    const [a, b] = [await spawn(daemon, cwd), await spawn(daemon, cwd)];
    await turn(daemon, a, "write a.txt one");
    const over = await begin(daemon, a, "run echo two > a.txt\nsleep 1500\nwrite last.txt x");
    await turn(daemon, b, "write b.txt theirs");
    await new Promise((resolve) => setTimeout(resolve, 500));
    writeFileSync(join(cwd, "mine.txt"), "a person's");
    await over();
    const { status, text, body } = await rewind(daemon, a, { turn: 1 });
    expect(status, text).toBe(200);
    expect(body.kept).toEqual(["b.txt", "mine.txt"]);
    expect(filesIn(cwd)).toEqual({ "a.txt": "one", "b.txt": "theirs", "mine.txt": "a person's" });
  });

  proves(
    "SN-20",
    "two shells work at once: a file that either could have written is refused, not guessed",
    async () => {
      const cwd = await folder();
      const [a, b] = [await spawn(daemon, cwd), await spawn(daemon, cwd)];
      await turn(daemon, a, "write a.txt one");
      const over = await begin(daemon, a, "run sleep 1; echo a > x.txt");
      await turn(daemon, b, "run echo b > b.txt; sleep 2");
      await over();
      const refused = await rewind(daemon, a, { turn: 1 });
      expect(refused.status, refused.text).toBe(409);
      expect(refused.body.error.details.files).toContain("added b.txt");
      expect(filesIn(cwd)).toMatchObject({ "b.txt": "b\n", "x.txt": "a\n" });
    },
  );

  proves(
    "SN-20",
    "a folder with another's file stays, and a file is restored only where no other file is",
    async () => {
      const cwd = await folder();
      const a = await spawn(daemon, cwd);
      await turn(daemon, a, "run echo x > name");
      await turn(daemon, a, "run rm name; mkdir name made; echo own > name/own; echo own > made/own");
      writeFileSync(join(cwd, "made/person"), "p");
      const { body } = await rewind(daemon, a, { turn: 1 });
      expect(body.kept).toContain("made/person");
      expect(readdirSync(join(cwd, "made"))).toEqual(["person"]);
      expect(readFileSync(join(cwd, "name"), "utf8")).toBe("x\n");
      await turn(daemon, a, "run rm name; mkdir name");
      writeFileSync(join(cwd, "name/person"), "p");
      const refused = await rewind(daemon, a, { turn: 1 });
      expect(refused.status).toBe(409);
      expect(readFileSync(join(cwd, "name/person"), "utf8")).toBe("p");
    },
  );

  proves.concurrent("SN-20", "a daemon killed during a rewind: what a person wrote since the crash stays", async () => {
    const first = await startDaemon();
    const cwd = await folder();
    const a = await spawn(first, cwd);
    await turn(first, a, "write a.txt one");
    await turn(first, a, `run for n in $(seq 400); do echo $n > f$n; done`);
    const going = rewind(first, a, { turn: 1 }).catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await first.kill9();
    await going;
    writeFileSync(join(cwd, "mine.txt"), "a person's");
    const next = await startDaemon({ home: first.home });
    expect(readFileSync(join(cwd, "mine.txt"), "utf8")).toBe("a person's");
    expect(readdirSync(cwd).filter((name) => name.startsWith(".nomos"))).toEqual([]);
    expect((await rewind(next, a, { turn: 1 })).status).toBe(200);
    expect(filesIn(cwd)).toEqual({ "a.txt": "one", "mine.txt": "a person's" });
  });

  proves.concurrent(
    "SN-20",
    "a turn cut by a crash: a person's later files stay, the turn's files are taken back",
    async () => {
      const first = await startDaemon();
      const cwd = await folder();
      const a = await spawn(first, cwd);
      await turn(first, a, "write a.txt one");
      await begin(first, a, "run echo two > a.txt; echo x > cut.txt; sleep 60");
      await eventually("the turn's file", async () => existsSync(join(cwd, "cut.txt")));
      await first.kill9();
      await new Promise((resolve) => setTimeout(resolve, 100));
      writeFileSync(join(cwd, "mine.txt"), "a person's");
      const next = await startDaemon({ home: first.home });
      await eventually("its files", async () => (await rewind(next, a, { turn: 1 })).status === 200);
      expect(filesIn(cwd)).toEqual({ "a.txt": "one", "mine.txt": "a person's" });
    },
  );

  proves("SN-21", "random writers in one directory: no rewind loses a byte of another's", async () => {
    for (const seed of [1, 2, 3]) await tellStory(daemon, await folder(), seed);
  });

  proves("SN-22", "a start where another session works says so, and how to work apart", async () => {
    const cwd = await folder();
    type Started = { id: string; name: string; notice?: string; neighbours?: { name: string }[] };
    const start = (at: string) => daemon.call<Started>("POST", "/sessions/agent", { adapter: "demo", cwd: at });
    const first = await start(cwd);
    expect(first.body).not.toHaveProperty("notice");
    mkdirSync(join(cwd, "below"));
    const second = await start(join(cwd, "below"));
    expect(second.body).toMatchObject({ neighbours: [{ name: first.body.name, busy: false }] });
    expect(second.body.notice).toContain("--worktree");
    const over = await begin(daemon, first.body.id, "sleep 3000");
    const said = await daemon.cli("run", "-a", "demo", "-C", cwd, "say hello");
    expect(said.stderr).toContain("--worktree");
    await over();
  });
});

const NAMES = ["a", "b", "c", "d", "e"];
const STEPS = 14;

/** A random history that notes each file's last writer. A rewind may not touch a file that another wrote last. */
async function tellStory(daemon: TestDaemon, cwd: string, seed: number): Promise<void> {
  const chance = chanceOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] ?? expect.fail("empty");
  const sessions = [await spawn(daemon, cwd), await spawn(daemon, cwd)];
  const turns = new Map(sessions.map((id) => [id, 0]));
  const last = new Map<string, { readonly by: string; readonly text: string | null }>();
  for (let step = 0; step < STEPS; step += 1) {
    const [name, text] = [pick(NAMES), `${seed}-${step}`];
    const id = pick(sessions);
    const what = pick(["write", "run", "person", "remove", "rewind", "rewind"]);
    if (what === "person" || what === "remove") {
      if (what === "person") writeFileSync(join(cwd, name), text);
      else rmSync(join(cwd, name), { force: true });
      last.set(name, { by: "person", text: what === "person" ? text : null });
    } else if (what === "rewind") {
      const before = filesIn(cwd);
      const { status, text: said } = await rewind(daemon, id, {
        turn: Math.floor(chance() * ((turns.get(id) ?? 0) + 1)),
      });
      expect([200, 409], said).toContain(status);
      if (status === 409) expect(filesIn(cwd), said).toEqual(before);
      for (const [file, { by, text: wanted }] of last) {
        if (by === id) last.delete(file);
        else expect(existsSync(join(cwd, file)) ? readFileSync(join(cwd, file), "utf8") : null, said).toBe(wanted);
      }
    } else {
      await turn(daemon, id, what === "write" ? `write ${name} ${text}` : `run printf ${text} > ${name}`);
      turns.set(id, (turns.get(id) ?? 0) + 1);
      last.set(name, { by: id, text });
    }
  }
}
