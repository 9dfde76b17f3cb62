import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { BundleFault } from "../../verifier/fault.js";
import { parseKey } from "../../verifier/note.js";
import { verifyBlame } from "../../verifier/verify-blame.js";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { land, settled, worked } from "../support/landing-bench.ts";
import { proves } from "../support/proves.ts";
import { runVerifier } from "../support/verifier.ts";
import { type Bench, setUpBench } from "../support/worktree-bench.ts";
import { expectOk, PATIENCE, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Line {
  readonly line: number;
  readonly text: string;
  readonly by: string;
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly eventId?: string;
  readonly agent?: string;
  readonly landingId?: string;
  readonly landedBy?: string;
  readonly proven?: boolean;
  readonly reason?: string;
  readonly commit?: string;
}

const blame = async (bench: Bench, path: string, more = ""): Promise<readonly Line[]> => {
  const query = `cwd=${encodeURIComponent(bench.repo)}&path=${encodeURIComponent(path)}${more}`;
  return expectOk(await daemon.call<{ lines: readonly Line[] }>("GET", `/api/blame?${query}`)).lines;
};

const ONE = ["the first turn wrote this line", "and this other one", "}"];
const TWO = ["the second turn put this in the middle"];
const put = (path: string, lines: readonly string[]) =>
  `run printf '%s\\n' ${lines.map((one) => `'${one}'`).join(" ")} > ${path}`;

/** Two turns of one session, landed. */
async function twoTurns(bench: Bench, wish: Readonly<Record<string, unknown>> = {}) {
  const session = await worked(daemon, bench.repo, put("story.txt", ONE));
  const [first] = await turnsOf(session.id);
  await turn(daemon, session.id, put("story.txt", [ONE[0] ?? "", ...TWO, ...ONE.slice(1)]));
  const [, second] = await turnsOf(session.id);
  const landed = await settled(daemon, (await land(daemon, session.id, wish)).id);
  expect(landed).toMatchObject({ state: "landed" });
  return { session, first, second, landed };
}

async function turnsOf(id: string): Promise<readonly { readonly turnId: string; readonly eventId: string }[]> {
  return expectOk(await daemon.call<{ turns: { turnId: string; eventId: string }[] }>("GET", `/sessions/${id}/turns`))
    .turns;
}

proves("BLAME-1", "a landed line names its session, turn, event, agent and landing", async () => {
  using bench = setUpBench();
  const { session, first, second, landed } = await twoTurns(bench);
  const lines = await blame(bench, "story.txt");
  expect(lines.map(({ turnId }) => turnId)).toEqual([first, second, first, first].map((one) => one?.turnId));
  expect(lines[1]).toMatchObject({
    ...{ by: "session", sessionId: session.id, eventId: second?.eventId, agent: "demo", proven: true },
    ...{ landingId: landed.id, landedBy: "operator", text: TWO[0] },
  });
});

proves("BLAME-2", "lines keep their turns where git stores them without the returns that they end with", async () => {
  using bench = setUpBench();
  writeFileSync(join(bench.repo, ".gitattributes"), "*.bat text eol=crlf\n");
  bench.git(bench.repo, "add", "--all");
  bench.git(bench.repo, "commit", "-qm", "attributes");
  const write = (texts: string) => `run printf '%s\\r\\n' ${texts} > go.bat`;
  const session = await worked(daemon, bench.repo, write("'rem the first turn wrote this'"));
  await turn(daemon, session.id, write("'rem the first turn wrote this' 'rem and the second one this'"));
  const turns = await turnsOf(session.id);
  expect(await settled(daemon, (await land(daemon, session.id)).id)).toMatchObject({ state: "landed" });
  expect(bench.git(bench.repo, "status", "--porcelain")).toBe("");
  const lines = await blame(bench, "go.bat");
  expect(lines.map(({ by, turnId }) => [by, turnId])).toEqual(turns.map(({ turnId }) => ["session", turnId]));
});

proves(
  "BLAME-1",
  "a landed line stays explained when its session is forgotten, on the command line as well",
  async () => {
    using bench = setUpBench();
    const { session } = await twoTurns(bench);
    const before = await blame(bench, "story.txt");
    const said = await daemon.cli("blame", "story.txt", "--cwd", bench.repo, "--lines", "2,3");
    expect(said).toMatchObject({ exitCode: 0, stderr: "" });
    expect(said.stdout).toContain(session.name);
    expect(said.stdout).toContain(TWO[0]);
    expect(said.stdout).not.toContain(ONE[0]);
    expectOk(await daemon.call("DELETE", `/sessions/${session.id}`));
    const without = ({ session: _name, ...line }: Line & { readonly session?: string }) => line;
    expect((await blame(bench, "story.txt")).map(without)).toEqual(before.map(without));
  },
);

proves(
  "BLAME-2",
  "merged, squashed and rebased landings tell the turn of each line, also of committed work",
  async () => {
    for (const how of ["merge", "squash", "rebase"]) {
      using bench = setUpBench();
      const session = await worked(
        daemon,
        bench.repo,
        `${put("story.txt", ONE)}\nrun git add -A && git commit -qm one`,
      );
      await turn(daemon, session.id, `${put("story.txt", [...TWO, ...ONE])}\nrun git commit -qam two`);
      await turn(daemon, session.id, put("more.txt", TWO));
      writeFileSync(join(bench.repo, "README.md"), "the person went on\n");
      bench.git(bench.repo, "commit", "-qam", "meanwhile");
      const [first, second, third] = (await turnsOf(session.id)).map(({ turnId }) => turnId);
      expect(await settled(daemon, (await land(daemon, session.id, { how })).id)).toMatchObject({ state: "landed" });
      const turns = async (path: string) => (await blame(bench, path)).map(({ turnId }) => turnId);
      expect([how, await turns("story.txt")]).toEqual([how, [second, first, first, first]]);
      expect([how, await turns("more.txt")]).toEqual([how, [third]]);
      expect((await blame(bench, "README.md"))[0]).toMatchObject({ by: "person", author: "Ada Person" });
    }
  },
);

proves(
  "BLAME-3",
  "lines keep their session after a rebase, an amend, a rename, a move and a squash by a person",
  async () => {
    using bench = setUpBench();
    const { repo, git } = bench;
    const { session, first, second } = await twoTurns(bench);
    const turns = [first, second, first, first].map((one) => one?.turnId);
    const told = async (path: string) => {
      const lines = await blame(bench, path);
      expect(
        lines
          .filter(({ by }) => by === "session")
          .every(({ proven, sessionId }) => proven === true && sessionId === session.id),
      ).toBe(true);
      return lines.map(({ turnId }) => turnId);
    };
    git(repo, "commit", "-q", "--amend", "--no-edit", "--author", "Else <else@example.org>");
    expect(await told("story.txt")).toEqual(turns);
    git(repo, "checkout", "-q", "-b", "side", "main~1");
    git(repo, "commit", "-q", "--allow-empty", "-m", "aside");
    git(repo, "checkout", "-q", "main");
    git(repo, "rebase", "-q", "side");
    expect(await told("story.txt")).toEqual(turns);
    git(repo, "mv", "story.txt", "renamed.txt");
    git(repo, "commit", "-qm", "rename");
    expect(await told("renamed.txt")).toEqual(turns);
    const moved = [...TWO, "the person wrote this line here", ...ONE];
    writeFileSync(join(repo, "renamed.txt"), `${moved.join("\n")}\n`);
    git(repo, "commit", "-qam", "move");
    expect((await blame(bench, "renamed.txt")).map(({ by, turnId }) => turnId ?? by)).toEqual([
      turns[1],
      "person",
      turns[0],
      turns[0],
      turns[0],
    ]);
    // All commits as one, with the messages that `git merge --squash` writes.
    git(repo, "checkout", "-q", "-b", "squashed", "side");
    git(repo, "merge", "-q", "--squash", "main");
    git(repo, "commit", "-q", "--no-edit");
    const squashed = await blame(bench, "renamed.txt");
    const proven = squashed.map((line) => (line.proven === true ? line.turnId : line.reason));
    const reason = "no landing of the session brought this line";
    expect(proven).toEqual([turns[1], reason, turns[0], turns[0], turns[0]]);
    // Without its trailers a line is known by its text alone, and only one that is like no other.
    git(repo, "commit", "-q", "--amend", "-m", "mine");
    const bare = await blame(bench, "renamed.txt");
    expect(bare.map(({ turnId, proven, by }) => [turnId ?? by, proven])).toEqual([
      [turns[1], false],
      ["person", undefined],
      [turns[0], false],
      [turns[0], false],
      ["person", undefined],
    ]);
  },
);

proves("BLAME-4", "a forged trailer is not believed, and the answer says why", async () => {
  using bench = setUpBench();
  const { repo, git } = bench;
  const { session, landed } = await twoTurns(bench);
  const trailers = git(repo, "log", "-1", "--format=%B")
    .split("\n")
    .filter((line) => line.startsWith("Nomos-"));
  const event = trailers.find((line) => line.startsWith("Nomos-Event"));
  const forge = async (lines: readonly string[], ...words: readonly string[]) => {
    writeFileSync(join(repo, "forged.txt"), `${lines.join("\n")}\n`);
    git(repo, "add", "-A");
    git(repo, "commit", "-qm", ["forged", "", ...words].join("\n"));
    return blame(bench, "forged.txt");
  };
  const real = await forge(["a person wrote all of this", "}"], ...trailers);
  expect(real.map(({ by, proven, reason }) => ({ by, proven, reason }))).toEqual(
    Array.from({ length: 2 }, () => ({
      by: "session",
      proven: false,
      reason: "no landing of the session brought this line",
    })),
  );
  const nobody = "01a1f0a2-0f1b-7026-83b2-e8baf17997ea";
  const other = await forge(["another one, by nobody"], `Nomos-Session: ${nobody}`, event ?? "");
  expect(other[0]).toMatchObject({
    sessionId: nobody,
    proven: false,
    reason: expect.stringContaining("not of that session"),
  });
  const unknown = await forge(["and a third one, by nobody"], `Nomos-Session: ${session.id}`, `Nomos-Event: ${nobody}`);
  expect(unknown[0]).toMatchObject({ proven: false, reason: expect.stringContaining("no event") });
  const none = await forge(["and a fourth one, by nobody"], `Nomos-Session: ${session.id}`);
  expect(none[0]).toMatchObject({ proven: false });
  expect(landed.commit).not.toBe(git(repo, "rev-parse", "HEAD"));
});

proves("BLAME-5", "lines that a person wrote in the worktree between turns are the person's", async () => {
  using bench = setUpBench();
  const session = await worked(daemon, bench.repo, put("story.txt", ONE));
  const { path } = expectOk(await daemon.call<{ path: string }>("GET", `/sessions/${session.id}/worktree`));
  writeFileSync(join(path, "story.txt"), `${["a person added this on top", ...ONE].join("\n")}\n`);
  await turn(daemon, session.id, put("other.txt", TWO));
  writeFileSync(join(path, "other.txt"), `${[...TWO, "and this after the last turn"].join("\n")}\n`);
  expect(await settled(daemon, (await land(daemon, session.id)).id)).toMatchObject({ state: "landed" });
  expect((await blame(bench, "story.txt")).map(({ by }) => by)).toEqual(["person", "session", "session", "session"]);
  expect((await blame(bench, "other.txt")).map(({ by }) => by)).toEqual(["session", "person"]);
});

/** The same document with one leaf or one list altered: at most a few alterations of each. */
function* alterations(value: unknown, path: readonly (string | number)[] = []): Generator<readonly [string, unknown]> {
  const at = path.join(".");
  if (typeof value === "string") {
    for (const place of new Set([0, value.length >> 1, value.length - 1].filter((one) => one >= 0)))
      yield [`${at}@${place}`, value.slice(0, place) + (value[place] === "0" ? "1" : "0") + value.slice(place + 1)];
    yield [`${at}+`, `${value}0`];
    yield [`${at} gone`, undefined];
  } else if (typeof value === "number") for (const by of [-1, 1, 0.5]) yield [`${at}${by}`, value + by];
  else if (value === null) yield [`${at}=`, "somebody"];
  else if (Array.isArray(value)) {
    if (value.length > 0) yield [`${at} shorter`, value.slice(1)];
    yield [`${at} longer`, [...value, value[0] ?? "00"]];
    for (const [n, one] of value.entries())
      for (const [what, altered] of alterations(one, [...path, n])) yield [what, value.with(n, altered)];
  } else if (typeof value === "object") {
    yield [`${at} more`, { ...value, more: 1 }];
    for (const [name, one] of Object.entries(value))
      for (const [what, altered] of alterations(one, [...path, name])) yield [what, { ...value, [name]: altered }];
  }
}

proves("BLAME-6", "a proof is checked by the verifier alone, and one that is altered anywhere is refused", async () => {
  using bench = setUpBench();
  const { session } = await twoTurns(bench);
  writeFileSync(join(bench.repo, "story.txt"), `${["not committed", ONE[0], ...TWO, ONE[1], ONE[2]].join("\n")}\n`);
  const query = `cwd=${encodeURIComponent(bench.repo)}&path=story.txt&proof=true`;
  const { proof, lines } = expectOk(
    await daemon.call<{ proof: Record<string, unknown> & { key: string }; lines: Line[] }>(
      "GET",
      `/api/blame?${query}`,
    ),
  );
  expect(lines.map(({ by }) => by)).toEqual(["local", "session", "session", "session", "session"]);
  const [path, file] = [join(bench.directory, "proof.json"), join(bench.repo, "story.txt")];
  writeFileSync(path, JSON.stringify(proof));
  const verdict = verifyBlame(path, { key: parseKey(proof.key), file });
  expect(verdict).toMatchObject({ ok: true, lines: 4, key: proof.key });
  expect(verdict.runs.map(({ lines: at, session: id }) => [at, id])).toEqual(
    ["2", "3", "4-5"].map((at) => [at, session.id]),
  );
  expect(await runVerifier("blame", path, file, "--key", proof.key)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`4-5: demo, session ${session.id}`),
  });
  const wrong: string[] = [];
  let tried = 0;
  for (const [what, altered] of alterations(proof)) {
    // A proof of fewer lines is a proof.
    if (what === "lines shorter") continue;
    writeFileSync(path, JSON.stringify(altered));
    tried += 1;
    try {
      verifyBlame(path, { key: null, file });
      wrong.push(what);
    } catch (thrown) {
      if (!(thrown instanceof BundleFault)) wrong.push(`${what}: ${thrown}`);
    }
  }
  expect(tried).toBeGreaterThan(200);
  expect(wrong).toEqual([]);
  const odd = JSON.stringify({ format: 1, turns: [], commits: [null] });
  for (const blobs of [[], [{ sha256: createHash("sha256").update(odd).digest("hex"), text: odd }]]) {
    writeFileSync(path, JSON.stringify({ ...proof, lines: [], events: [], blobs }));
    expect(() => verifyBlame(path, { key: null, file })).toThrow(BundleFault);
  }
  writeFileSync(path, JSON.stringify(proof));
  writeFileSync(file, readFileSync(file, "utf8").replace(TWO[0] ?? "", "other"));
  expect(await runVerifier("blame", path, file)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("line 3"),
  });
  expect((await runVerifier("blame", path, file, "more")).exitCode).toBe(2);
});
