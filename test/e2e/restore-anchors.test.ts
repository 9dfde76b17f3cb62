import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { openLogKey } from "../../src/store/index.ts";
import { CHOSEN_STORE } from "../support/chosen-store.ts";
import { runCliHere } from "../support/cli-here.ts";
import { newHome, runCli, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { startWitness, type Witness } from "../support/witness.ts";
import { type Event, eventually, expectOk, newFolder, PATIENCE, start, turn } from "./support/talk.ts";

/** Each test starts several daemons, one after the other. */
const TEST_MAX_MS = 240_000;
vi.setConfig({ ...PATIENCE, testTimeout: TEST_MAX_MS });

const REF = "refs/nomos/log";
const provesWithGit = proves.skipIf(!needs("git"));

/** A backup of a daemon that went on, so that its anchors remember more, and was stopped. */
let scene: Scene;
let path: string;
/** How many events are in the backup, and how many the anchors remember. */
let size: number;
let hidden: number;
beforeAll(async () => {
  scene = await openScene();
  ({ path, size } = await backup(scene.daemon, join(scene.folder, "backup")));
  hidden = await scene.say("something to hide");
  await scene.daemon.stop();
});
afterAll(() => scene[Symbol.asyncDispose]());

provesWithGit(
  "KEEP-8",
  "an older backup, restored to hide events: output, log and doctor say how many an anchor remembers",
  async () => {
    const home = await newHome();
    const { exitCode, stdout } = await runCli(["restore", path], { home });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Anchor git ${scene.repo} ${REF}: remembers ${hidden} events, ${hidden - size} more`);
    expect(stdout).toContain(`Anchor witness ${scene.witness.url}: remembers ${hidden} events, ${hidden - size} more`);
    expect(stdout).toContain(`${hidden - size} events are lost. The log records this`);

    expect((await runCli(["doctor"], { home })).stdout).toContain(`${hidden - size} are missing`);
    const again = await startDaemon({ home });
    const [, restored, compared] = await entriesAfter(again, size);
    expect(restored).toMatchObject({ type: "log.restored@1", data: { newer: { size: hidden } } });
    expect(compared).toMatchObject({
      type: "log.compared@1",
      actor: "operator",
      data: {
        size,
        forced: false,
        answers: [
          { kind: "git", verdict: "newer", size: hidden },
          { kind: "witness", verdict: "newer", size: hidden, root: null },
        ],
      },
    });
    const found = expectOk(await again.call("GET", "/api/audit/entries?types=log.compared"));
    expect(found).toMatchObject({ entries: [{ type: "log.compared@1" }] });
    await eventually("the anchors disagree", async () => {
      const { anchors } = expectOk(await again.call<Doctor>("GET", "/api/doctor"));
      return anchors.length === 2 && anchors.every(({ problem }) => problem?.code === "anchor_disagrees");
    });
    const doctor = await again.cli("doctor");
    expect(doctor.exitCode).toBe(1);
    expect(doctor.stdout).toContain(`although an anchor remembered ${hidden}: ${hidden - size} are missing`);
  },
);

provesWithGit(
  "KEEP-8",
  "a backup whose configuration was changed to name no anchor: those of the home and of the command line are asked",
  async () => {
    const forged = join(await newFolder(), "forged");
    await cp(path, forged, { recursive: true });
    await forgeConfig(forged, {});
    const restore = (home: string, ...args: readonly string[]) => runCliHere("restore", [forged, ...args], home);

    const bare = await runCli(["restore", forged, "--json"], { home: await newHome() });
    expect(bare.json<Report>()).toMatchObject({ anchors: [], newer: null });
    const given = join(scene.folder, "anchors.json");
    await writeFile(given, JSON.stringify(scene.anchors));
    const home = await newHome();
    const asked = await runCli(["restore", forged, "--anchors", given, "--json"], { home });
    expect(asked.json<Report>()).toMatchObject({ anchors: [{ verdict: "newer" }, { verdict: "newer" }] });

    const own = scene.daemon.home;
    for (const name of ["log.db", "log.db-wal", "log.db-shm", "checkpoint", "checkpoint.cosigned", "tree"])
      await rm(join(own, name), { recursive: true, force: true });
    if (CHOSEN_STORE === "sqlite") {
      const here: Report = JSON.parse((await restore(own)).stdout);
      expect(here.newer).toMatchObject({ size: hidden });
      expect(here.newer?.size).toBeGreaterThan(size);
    }

    await writeFile(given, '{"git":{}}');
    const wrong: Refusal = JSON.parse((await restore(await newHome(), "--anchors", given)).stdout);
    expect(wrong.error.code).toBe("invalid_request");
    await writeFile(given, "no JSON");
    expect((await restore(await newHome(), "--anchors", given)).exitCode).toBe(2);
  },
);

provesWithGit(
  "KEEP-8",
  "a backup that an anchor contradicts is refused and leaves nothing; with --despite-anchors the log says so",
  async () => {
    // Somebody with the key goes on from the backup, out of the anchors' sight, and brings that as the backup.
    const copy = join(await newFolder(), "copy");
    await cp(path, copy, { recursive: true });
    await forgeConfig(copy, {});
    const elsewhere = await newHome();
    expect((await runCliHere("restore", [copy], elsewhere)).exitCode).toBe(0);
    const forger = await startDaemon({ home: elsewhere });
    for (const word of ["another", "history", "altogether", "and more"])
      await turn(forger, await idOf(forger), `say ${word}`);
    const forged = await backup(forger, join(dirname(copy), "forged"));
    await forger.stop();

    const given = join(scene.folder, "anchors.json");
    await writeFile(given, JSON.stringify(scene.anchors));
    const home = await newHome();
    const refused = await runCli(["restore", forged.path, "--anchors", given, "--json"], { home });
    expect(refused.exitCode).toBe(5);
    expect(refused.json<Refusal>().error).toMatchObject({
      code: "restore_contradicted",
      details: { size: forged.size },
    });
    expect(await readdir(home).catch(() => [])).toEqual([]);

    const forced = await runCli(["restore", forged.path, "--anchors", given, "--despite-anchors"], { home });
    expect(forced.exitCode).toBe(0);
    expect(forced.stdout).toContain("remembers other events than this backup holds");
    const again = await startDaemon({ home });
    const compared = (await entriesAfter(again, forged.size)).find(({ type }) => type === "log.compared@1");
    expect(compared?.data).toMatchObject({ forced: true });
    expect(expectOk(await again.call<Doctor>("GET", "/api/doctor")).compared).toMatchObject({ isContradicted: true });
  },
);

provesWithGit("KEEP-8", "anchors that are down or empty are told and recorded, and the restore goes on", async () => {
  scene.witness.behaviour = "down";
  await promisify(execFile)("git", ["-C", scene.repo, "update-ref", "-d", REF]);
  const home = await newHome();
  const { exitCode, stdout } = await runCli(["restore", path], { home });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`Anchor git ${scene.repo} ${REF}: remembers nothing of this log.`);
  expect(stdout).toMatch(/Anchor witness \S+: could not be asked: the witness refused: not today/);
  expect((await runCli(["doctor"], { home })).stdout).toContain("anchors that could not be asked: 1");
  const again = await startDaemon({ home });
  const [, , compared] = await entriesAfter(again, size);
  expect(compared?.data).toMatchObject({ answers: [{ verdict: "knows nothing" }, { verdict: "unreachable" }] });
});

interface Report {
  readonly newer: { readonly size: number } | null;
  readonly anchors: readonly { readonly verdict: string }[];
}

interface Refusal {
  readonly error: { readonly code: string };
}

interface Doctor {
  readonly anchors: readonly { readonly problem: { readonly code: string } | null }[];
  readonly compared: object | null;
}

interface Scene extends AsyncDisposable {
  readonly daemon: TestDaemon;
  readonly folder: string;
  readonly repo: string;
  readonly witness: Witness;
  readonly anchors: object;
  /** Resolves with how many events both anchors remember then. */
  readonly say: (text: string) => Promise<number>;
}

/** A daemon whose checkpoints go to a git repository and to a witness. */
async function openScene(): Promise<Scene> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-anchors-")));
  const home = join(folder, "home");
  const repo = join(folder, "repo");
  await promisify(execFile)("git", ["init", "-q", "--bare", repo]);
  await mkdir(home, { recursive: true, mode: 0o700 });
  // The witness has to know the log's key before the first checkpoint is signed.
  const { verifier } = await openLogKey(join(home, "keys"));
  const witness = await startWitness(verifier.text);
  const anchors = { git: { repo, ref: REF }, witness: { url: witness.url, key: witness.vkey } };
  await writeFile(join(home, "config.json"), JSON.stringify({ anchors }));
  const daemon = await startDaemon({ home });
  const say = async (text: string): Promise<number> => {
    await turn(daemon, await idOf(daemon), `say ${text}`);
    return eventually("both anchors have it all", async () => {
      const { tree } = expectOk(await daemon.call<Status>("GET", "/api/status"));
      const isThere = tree.lag === 0 && tree.anchors.every(({ size }) => size !== null && size === tree.checkpointSize);
      return isThere && tree.checkpointSize === tree.size ? tree.size : null;
    });
  };
  await say("something harmless");
  const dispose = async (): Promise<void> => {
    await daemon[Symbol.asyncDispose]();
    await witness[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  };
  return { daemon, folder, repo, witness, anchors, say, [Symbol.asyncDispose]: dispose };
}

interface Status {
  readonly tree: {
    readonly size: number;
    readonly lag: number;
    readonly checkpointSize: number | null;
    readonly anchors: readonly { readonly size: number | null }[];
  };
}

async function idOf(daemon: TestDaemon): Promise<string> {
  const { sessions } = expectOk(await daemon.call<{ sessions: { id: string }[] }>("GET", "/sessions"));
  return sessions[0]?.id ?? (await start(daemon, { cwd: dirname(daemon.home) })).id;
}

async function backup(daemon: TestDaemon, to: string): Promise<{ readonly path: string; readonly size: number }> {
  return expectOk(await daemon.call("POST", "/api/backup", { to }));
}

/** As somebody would who can write the backup: the manifest is made to fit. */
async function forgeConfig(path: string, config: object): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(config));
  const manifest: Record<string, unknown> = JSON.parse(await readFile(join(path, "backup.json"), "utf8"));
  const before = createHash("sha256")
    .update(await readFile(join(path, "config.json")))
    .digest("hex");
  const after = createHash("sha256").update(bytes).digest("hex");
  await writeFile(join(path, "config.json"), bytes);
  await writeFile(join(path, "backup.json"), JSON.stringify(manifest).replaceAll(before, after));
}

async function entriesAfter(daemon: TestDaemon, seq: number): Promise<readonly Event[]> {
  const path = `/api/audit/entries?after=${seq}&limit=1000`;
  return expectOk(await daemon.call<{ entries: readonly Event[] }>("GET", path)).entries;
}
