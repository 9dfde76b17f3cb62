import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, vi } from "vitest";
import { type MemoryLog, memoryLog } from "../../../test/support/hashed-log.ts";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { makeTestHome } from "../../../test/support/store-home.ts";
import { startWitness, type Witness } from "../../../test/support/witness.ts";
import { hex } from "../../domains/index.ts";
import { systemClock } from "../../host/index.ts";
import { isSignedBy, parseCheckpoint, parseVerifierKey, type SignedCheckpoint } from "../../store/index.ts";
import { type LogKey, openLogKey } from "../../store/tree/log-key.ts";
import { type LogTree, newLogTree } from "../../store/tree/log-tree.ts";
import { createTileFiles } from "../../store/tree/tile-files.ts";
import type { Anchor } from "./anchor.ts";
import { askAnchors } from "./ask-anchors.ts";
import { createGitAnchor } from "./git-anchor.ts";
import { keepAnchored } from "./keep-anchored.ts";
import { createWitnessAnchor } from "./witness-anchor.ts";

const REF = "refs/nomos/log";
const NEVER = new AbortController().signal;
const provesWithGit = proves.skipIf(!needs("git"));

describe("anchor: git", () => {
  provesWithGit(
    "AUD-8",
    "each checkpoint is one commit on the ref, with the note as its file; nothing else is changed",
    async () => {
      await using at = await open();
      const repo = await newRepository(at.path);
      const anchor = at.git(repo);
      for (const size of [3, 3, 10, 700]) await anchor.put(await at.checkpoint(size), NEVER);
      const log = await git(repo, "log", "--format=%s", REF);
      expect(log.split("\n")).toEqual([
        "checkpoint over 700 events",
        "checkpoint over 10 events",
        "checkpoint over 3 events",
      ]);
      expect(await git(repo, "ls-tree", "--name-only", REF)).toBe("checkpoint");
      expect(`${await git(repo, "show", `${REF}:checkpoint`)}\n`).toBe((await at.checkpoint(700)).note);
      expect(await git(repo, "status", "--porcelain")).toBe("");
      expect(await git(repo, "for-each-ref", "--format=%(refname)")).toBe(`refs/heads/main\n${REF}`);
    },
  );

  provesWithGit(
    "AUD-8",
    "a git anchor that remembers more events than the log has, or other events, is reported as disagreeing",
    async () => {
      await using at = await open();
      const repo = await newRepository(at.path);
      await at.git(repo).put(await at.checkpoint(500), NEVER);
      await expect(at.git(repo).put(await at.checkpoint(400), NEVER)).rejects.toMatchObject({
        code: "anchor_disagrees",
        details: { anchorSize: 500, size: 400 },
      });
      at.log.exchange(250);
      await at.tree.renew();
      await expect(at.git(repo).put(await at.checkpoint(600), NEVER)).rejects.toMatchObject({
        code: "anchor_disagrees",
      });
      await using other = await open();
      await expect(other.git(repo).put(await other.checkpoint(900), NEVER)).rejects.toMatchObject({
        code: "anchor_disagrees",
        message: expect.stringContaining("another log"),
      });
    },
  );

  provesWithGit(
    "AUD-8",
    "a ref that holds something else is left alone, and no hook of the repository runs",
    async () => {
      await using at = await open();
      const repo = await newRepository(at.path);
      const main = await git(repo, "rev-parse", "main");
      const onMain = createGitAnchor({ repo, ref: "refs/heads/main", environment: process.env }, at.anchored);
      await expect(onMain.put(await at.checkpoint(5), NEVER)).rejects.toMatchObject({ code: "anchor_failed" });
      expect(await git(repo, "rev-parse", "main")).toBe(main);
      for (const hook of ["reference-transaction", "post-commit", "post-update"])
        await writeFile(join(repo, ".git/hooks", hook), `#!/bin/sh\ntouch ${at.path}/hooked\n`, { mode: 0o755 });
      await at.git(repo).put(await at.checkpoint(5), NEVER);
      await expect(readFile(join(at.path, "hooked"))).rejects.toMatchObject({ code: "ENOENT" });
      await expect(at.git(join(at.path, "nowhere")).put(await at.checkpoint(6), NEVER)).rejects.toMatchObject({
        code: "anchor_failed",
      });
    },
  );
});

describe("anchor: witness", () => {
  proves(
    "AUD-8",
    "a witness cosigns each checkpoint after a consistency proof, and its signature is stored",
    async () => {
      await using at = await open();
      await using witness = await startWitness(at.key.verifier.text);
      const anchor = at.witness(witness);
      for (const size of [1, 5, 256, 700]) await anchor.put(await at.checkpoint(size), NEVER);
      expect(witness.requests.map((body) => body.split("\n")[0])).toEqual(["old 0", "old 1", "old 5", "old 256"]);
      const cosigned = parseCheckpoint(await readFile(at.cosigned, "utf8")) ?? expect.fail("nothing was kept");
      const key = parseVerifierKey(witness.vkey) ?? expect.fail("no key");
      expect(cosigned.size).toBe(700);
      expect([isSignedBy(cosigned, key), isSignedBy(cosigned, at.key.verifier)]).toEqual([true, true]);
      // After a restart it continues from the kept checkpoint; without one, from what the witness answers.
      await at.witness(witness).put(await at.checkpoint(701), NEVER);
      await createWitnessAnchor({ ...witness, key: witness.vkey, keptAt: join(at.path, "new") }, at.anchored).put(
        await at.checkpoint(702),
        NEVER,
      );
      expect(witness.requests.map((body) => body.split("\n")[0]).slice(4)).toEqual(["old 700", "old 0", "old 701"]);
    },
  );

  proves("AUD-8", "a witness that has seen more events, or other events, is reported as disagreeing", async () => {
    await using at = await open();
    await using witness = await startWitness(at.key.verifier.text);
    await at.witness(witness).put(await at.checkpoint(500), NEVER);
    await expect(at.witness(witness).put(await at.checkpoint(400), NEVER)).rejects.toMatchObject({
      code: "anchor_disagrees",
      details: { witnessSize: 500, size: 400 },
    });
    at.log.exchange(250);
    await at.tree.renew();
    await expect(at.witness(witness).put(await at.checkpoint(600), NEVER)).rejects.toMatchObject({
      code: "anchor_disagrees",
    });
  });

  proves("AUD-8", "a witness that answers with anything but its own signature is not believed", async () => {
    await using at = await open();
    await using witness = await startWitness(at.key.verifier.text);
    const checkpoint = await at.checkpoint(5);
    for (const behaviour of ["down", "nonsense", "endless", "wrong-signature"] as const) {
      witness.behaviour = behaviour;
      await expect(at.witness(witness).put(checkpoint, NEVER)).rejects.toMatchObject({ code: "anchor_failed" });
    }
    await expect(readFile(at.cosigned)).rejects.toMatchObject({ code: "ENOENT" });
    const unknown = createWitnessAnchor(
      { url: "http://127.0.0.1:9", key: witness.vkey, keptAt: at.cosigned },
      at.anchored,
    );
    await expect(unknown.put(checkpoint, NEVER)).rejects.toMatchObject({ code: "anchor_failed" });
    const noKey = createWitnessAnchor(
      { url: witness.url, key: at.key.verifier.text, keptAt: at.cosigned },
      at.anchored,
    );
    await expect(noKey.put(checkpoint, NEVER)).rejects.toMatchObject({ code: "anchor_failed" });
  });
});

describe("asked what they remember", () => {
  provesWithGit("AUD-10", "a git ref: nothing, the same, less, more, other events, another log", async () => {
    await using at = await open();
    const repo = await newRepository(at.path);
    const ask = async (size: number) => (await at.git(repo).ask(await at.checkpoint(size), NEVER)).verdict;
    expect(await ask(400)).toBe("knows nothing");
    expect(await git(repo, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
    for (const size of [100, 200, 300, 400, 500]) await at.git(repo).put(await at.checkpoint(size), NEVER);
    const tip = await git(repo, "rev-parse", REF);
    expect([await ask(500), await ask(700)]).toEqual(["agrees", "agrees"]);
    const newer = await at.git(repo).ask(await at.checkpoint(350), NEVER);
    expect(newer).toEqual({ verdict: "newer", size: 500, root: hex(await at.tree.rootAt(500)) });
    expect([await ask(50), await ask(99), await ask(100), await ask(499)]).toEqual(Array(4).fill("newer"));
    await using other = await open();
    expect(await other.git(repo).ask(await other.checkpoint(900), NEVER)).toMatchObject({ verdict: "contradicts" });
    // The newest anchored checkpoint covers more than this log; only an older one shows that the log is not a part of it.
    at.log.exchange(250);
    await at.tree.renew();
    expect([await ask(240), await ask(350), await ask(500), await ask(700)]).toEqual([
      "newer",
      "contradicts",
      "contradicts",
      "contradicts",
    ]);
    expect(await git(repo, "rev-parse", REF)).toBe(tip);
  });

  proves("AUD-10", "a witness: nothing, the same, less, more, other events", async () => {
    await using at = await open();
    await using witness = await startWitness(at.key.verifier.text);
    const ask = async (size: number) => at.witness(witness).ask(await at.checkpoint(size), NEVER);
    expect(await ask(400)).toEqual({ verdict: "knows nothing", size: null, root: null });
    expect(witness.seen.size).toBe(0);
    await at.witness(witness).put(await at.checkpoint(500), NEVER);
    expect(await ask(500)).toEqual({ verdict: "agrees", size: 500, root: null });
    expect(await ask(400)).toEqual({ verdict: "newer", size: 500, root: null });
    expect(await ask(600)).toEqual({ verdict: "agrees", size: 500, root: null });
    at.log.exchange(250);
    await at.tree.renew();
    expect(await ask(600)).toMatchObject({ verdict: "contradicts" });
    expect(await ask(700)).toMatchObject({ verdict: "contradicts", size: 600 });
  });

  proves(
    "AUD-10",
    "a witness's answer of an earlier day, replayed by somebody on the way, is not believed",
    async () => {
      await using at = await open();
      await using witness = await startWitness(at.key.verifier.text);
      const checkpoint = await at.checkpoint(500);
      await at.witness(witness).put(checkpoint, NEVER);
      const later = Date.now() + 86_400_000;
      const clock = vi.spyOn(Date, "now").mockReturnValue(later);
      witness.behaviour = "replay";
      await expect(at.witness(witness).ask(checkpoint, NEVER)).rejects.toMatchObject({ code: "anchor_failed" });
      clock.mockRestore();
      expect(await at.witness(witness).ask(checkpoint, NEVER)).toMatchObject({ verdict: "agrees" });
    },
  );

  proves("AUD-10", "one that is down, or signs with another key, is told apart from one that agrees", async () => {
    await using at = await open();
    await using witness = await startWitness(at.key.verifier.text);
    await at.witness(witness).put(await at.checkpoint(500), NEVER);
    for (const behaviour of ["down", "nonsense", "endless", "wrong-signature"] as const) {
      witness.behaviour = behaviour;
      const anchors = [at.witness(witness), at.git(join(at.path, "nowhere"))];
      const answers = await askAnchors(anchors, await at.checkpoint(500));
      expect(answers).toMatchObject([
        { kind: "witness", verdict: "unreachable", size: null, problem: expect.any(String) },
        { kind: "git", verdict: "unreachable", size: null, problem: expect.any(String) },
      ]);
    }
  });
});

proves(
  "AUD-8",
  "a checkpoint is sent until it arrives, a newer one replaces older ones, and no caller waits",
  async () => {
    await using at = await open();
    const sleeps: number[] = [];
    const arrived: number[] = [];
    let failures = 4;
    const anchor: Pick<Anchor, "kind" | "where" | "put"> = {
      kind: "witness",
      where: "nowhere",
      put: async ({ size }) => {
        failures -= 1;
        if (failures >= 0) throw new Error("not now");
        arrived.push(size);
      },
    };
    const said: string[] = [];
    const clock = {
      ...systemClock(),
      sleep: async (ms: number) => {
        sleeps.push(ms);
      },
    };
    const anchors = keepAnchored([anchor], { clock, log: (message) => said.push(message) });
    for (const size of [1, 2, 3]) anchors.put(await at.checkpoint(size));
    await vi.waitFor(() => expect(anchors.status()).toMatchObject([{ size: 3, problem: null }]));
    expect(sleeps).toEqual([1000, 2000, 4000, 8000]);
    expect(arrived).toEqual([3]);
    expect(said).toHaveLength(1);
    await anchors.stop();
  },
);

proves("AUD-8", "an anchor that hangs does not delay the daemon's stop", async () => {
  await using at = await open();
  const put: Anchor["put"] = (_checkpoint, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const anchors = keepAnchored([{ kind: "git", where: "here", put }], { clock: systemClock(), log: () => undefined });
  anchors.put(await at.checkpoint(1));
  await new Promise((soon) => setImmediate(soon));
  await anchors.stop();
  expect(anchors.status()).toMatchObject([{ size: null, problem: null }]);
});

interface Opened extends AsyncDisposable {
  readonly path: string;
  readonly log: MemoryLog;
  readonly tree: LogTree;
  readonly key: LogKey;
  readonly anchored: Parameters<typeof createGitAnchor>[1];
  readonly cosigned: string;
  readonly git: (repo: string) => Anchor;
  readonly witness: (witness: Witness) => Anchor;
  /** A checkpoint of the log at this size, past or future. */
  readonly checkpoint: (size: number) => Promise<SignedCheckpoint>;
}

async function open(): Promise<Opened> {
  const home = await makeTestHome();
  const log = memoryLog(1000);
  const tree = newLogTree(log, createTileFiles(join(home.path, "tree")));
  await tree.advance();
  const key = await openLogKey(join(home.path, "keys"));
  const anchored = { tree, key: key.verifier };
  const cosigned = join(home.path, "cosigned");
  return {
    path: home.path,
    log,
    tree,
    key,
    anchored,
    cosigned,
    git: (repo) => createGitAnchor({ repo, ref: REF, environment: process.env }, anchored),
    witness: ({ url, vkey }) => createWitnessAnchor({ url, key: vkey, keptAt: cosigned }, anchored),
    checkpoint: async (size) => {
      const note = key.sign({ size, root: await tree.rootAt(size) });
      return { ...(parseCheckpoint(note) ?? expect.fail("it does not parse")), note, signedAtMs: 0 };
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

async function newRepository(path: string): Promise<string> {
  const repo = join(path, "repo");
  await mkdir(repo);
  await git(repo, "init", "-q", "-b", "main");
  await writeFile(join(repo, "work.txt"), "work");
  await git(repo, "add", ".");
  await git(repo, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-qm", "work");
  return repo;
}

async function git(repo: string, ...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)("git", ["-C", repo, ...args])).stdout.trimEnd();
}
