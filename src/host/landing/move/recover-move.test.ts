import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { copyTree, filesOf, flawsOf, pictureOf } from "../../../../test/support/landing-repository.ts";
import { type LandingScene, landingScene } from "../../../../test/support/landing-scene.ts";
import { proves } from "../../../../test/support/proves.ts";
import { sampled } from "../../../../test/support/sampled.ts";

const CHILD = join(import.meta.dirname, "../../../../test/support/landing-child.ts");
const KILLS = 12;

interface Cut {
  readonly all: LandingScene;
  readonly run: (at: number) => { readonly commit: string; readonly calls: number };
  readonly recover: (commit: string) => Promise<boolean>;
  /** All of it, or nothing. */
  readonly expectWhole: (hasLanded: boolean, commit: string) => void;
}

async function cutMoves(): Promise<Cut> {
  const all = await landingScene();
  const { git, repo, directory, folder, scratch, person } = all;
  const capture = await all.capture(all.id);
  const clean = join(directory, "clean");
  copyTree(repo, clean);
  const before = { files: filesOf(repo), picture: pictureOf(all, "main") };
  const tip = git(repo, "rev-parse", "main");
  const place = { root: repo, gitDir: join(repo, ".git") };
  const move = { branch: "main", reason: "nomos: land", owner: "landing-cut", folder: folder("cut") };
  const said = join(directory, "said");
  return {
    all,
    run: (at) => {
      all.restore(clean);
      rmSync(move.folder, { recursive: true, force: true });
      folder("cut");
      writeFileSync(said, "");
      const environment = { PATH: process.env["PATH"], HOME: person, LC_ALL: "C" };
      const { work } = capture;
      const order = {
        ...{ at, said, tip, place, captured: [capture], move },
        options: { environment, scratch },
        work: { head: work.head, tree: work.tree },
      };
      writeFileSync(join(directory, "order.json"), JSON.stringify(order));
      const ended = spawnSync(process.execPath, [CHILD, join(directory, "order.json")], { encoding: "utf8" });
      if (ended.status !== 0 && ended.signal !== "SIGKILL") throw new Error(ended.stderr);
      const [commit = "", last = ""] = readFileSync(said, "utf8").split("\n");
      return { commit, calls: Number.parseInt(last, 10) };
    },
    recover: async (to) => {
      await using landing = await all.open([capture]);
      return await landing.recover({ ...move, to });
    },
    expectWhole: (hasLanded, commit) => {
      expect(git(repo, "rev-parse", "main")).toBe(hasLanded ? commit : tip);
      expect(git(repo, "status", "--porcelain")).toBe("");
      expect(flawsOf(all)).toEqual([]);
      if (hasLanded) {
        git(repo, "checkout-index", "-a", "--prefix", join(directory, "expected/"));
        const files = filesOf(repo);
        expect(files).toEqual(filesOf(join(directory, "expected")));
        rmSync(join(directory, "expected"), { recursive: true });
      } else expect({ files: filesOf(repo), picture: pictureOf(all, "main") }).toEqual(before);
    },
  };
}

proves(
  "LH-3",
  "killed at any step of a move: all of it or nothing, and no lock, pack or file of ours is left",
  async () => {
    const { all, run, recover, expectWhole } = await cutMoves();
    using _ = all;
    const { calls } = run(-1);
    expect(calls).toBeGreaterThan(50);
    const steps = Array.from({ length: calls }, (_one, at) => at + 1);
    const few = Array.from({ length: KILLS }, (_one, n) => Math.ceil(((n + 1) * calls) / KILLS));
    const seen = new Set<boolean>();
    for (const at of sampled(steps, few)) {
      const { commit } = run(at);
      const hasLanded = await recover(commit);
      seen.add(hasLanded);
      try {
        expectWhole(hasLanded, commit);
      } catch (cause) {
        throw new Error(`killed at ${at} of ${calls}, ${hasLanded ? "landed" : "not landed"}`, { cause });
      }
    }
    expect(seen.size).toBe(2);
  },
);

proves("LH-3", "what the person does between the crash and the recovery is kept", async () => {
  const { all, run, recover } = await cutMoves();
  using _ = all;
  const { at, git, repo } = all;
  const { calls } = run(-1);
  // All files are placed, the branch is not moved yet.
  let inPlace = calls;
  do {
    inPlace -= 4;
    run(inPlace);
  } while (git(repo, "rev-parse", "main") !== git(repo, "rev-parse", "HEAD") || !isHalf());
  function isHalf(): boolean {
    return (
      existsSync(at(".git/index.lock")) && git(repo, "log", "-1", "--format=%s") === "second" && existsSync(at("new"))
    );
  }
  const cut = run(inPlace);
  expect(isHalf()).toBe(true);
  writeFileSync(at("uncommitted.txt"), "the person's own");
  writeFileSync(at("a.txt"), "the person's a");
  appendFileSync(at("keep.txt"), "more\n");
  rmSync(at(".git/index.lock"));
  expect(await recover(cut.commit)).toBe(false);
  expect(readFileSync(at("uncommitted.txt"), "utf8")).toBe("the person's own");
  expect(readFileSync(at("a.txt"), "utf8")).toBe("the person's a");
  expect(git(repo, "status", "--porcelain").split("\n").toSorted()).toEqual(
    [" M a.txt", " M keep.txt", "?? uncommitted.txt"].toSorted().map((line) => line),
  );
  run(inPlace);
  writeFileSync(at(".git/index.lock"), "somebody else's");
  await recover(cut.commit);
  expect(readFileSync(at(".git/index.lock"), "utf8")).toBe("somebody else's");
});
