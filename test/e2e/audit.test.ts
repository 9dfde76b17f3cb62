import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import { openLogKey } from "../../src/store/index.ts";
import { sha256 } from "../support/bundles.ts";
import { CHOSEN_STORE } from "../support/chosen-store.ts";
import { newHome, runCli, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { sampled } from "../support/sampled.ts";
import { verdictOf } from "../support/verifier.ts";
import { startWitness } from "../support/witness.ts";
import {
  type Event,
  eventually,
  expectOk,
  expectRefusal,
  newFolder,
  type Refused,
  start,
  turn,
} from "./support/talk.ts";

interface Proof {
  readonly seq: number;
  readonly leafIndex: number;
  readonly size: number;
  readonly leafHash: string;
  readonly hashes: readonly string[];
  readonly root: string;
  readonly checkpoint: string;
  readonly event: { readonly prev: string; readonly header: string; readonly salt: string; readonly data: string };
}

interface Status {
  readonly events: number;
  readonly tree: {
    readonly size: number;
    readonly lag: number;
    readonly checkpointSize: number | null;
    readonly checkpointAt: string | null;
    readonly problem: string | null;
    readonly anchors: readonly { readonly kind: string; readonly size: number | null; readonly problem: unknown }[];
  };
}

/** For what leaves the daemon as it was. */
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

proves(
  "AUD-9",
  "every event has a proof against a signed checkpoint at once, checkable with sha256 alone",
  async () => {
    await grow(daemon, 300);
    const { entries } = expectOk(
      await daemon.call<{ entries: readonly Event[] }>("GET", "/api/audit/entries?limit=1000"),
    );
    const newest = entries.at(-1)?.seq ?? 0;
    for (const { id, seq, hash } of [...entries.filter((_, at) => at % 37 === 0), ...entries.slice(-1)]) {
      const proof = expectOk(await daemon.call<Proof>("GET", `/api/audit/proof/${id}`));
      expect(proof).toMatchObject({ seq, leafIndex: seq - 1 });
      expect(proof.size).toBeGreaterThanOrEqual(Math.min(newest, seq));
      expect(proof.leafHash).toBe(sha256(Buffer.from([0]), Buffer.from(hash, "hex")).toString("hex"));
      expect(rootFrom(proof)).toBe(proof.root);
      const [, size, root] = proof.checkpoint.split("\n");
      expect([size, root]).toEqual([String(proof.size), Buffer.from(proof.root, "hex").toString("base64")]);
    }
    expectRefusal(
      await daemon.call("GET", "/api/audit/proof/0197b3c1-0000-7000-8000-000000000000"),
      404,
      "event_not_found",
    );
  },
);

proves("AUD-9", "the log is listed newest first, and by stream, actor and time", async () => {
  const list = async (query: string): Promise<readonly Event[]> =>
    expectOk(await daemon.call<{ entries: readonly Event[] }>("GET", `/api/audit/entries?${query}`)).entries;
  const seqs = (events: readonly Event[]): readonly number[] => events.map(({ seq }) => seq);
  const all = await list("limit=1000");
  const known = new Set(seqs(all));
  const back = (await list("limit=1000&order=desc")).filter(({ seq }) => known.has(seq));
  expect(seqs(back)).toEqual(seqs(all).toReversed());
  const [third] = all.slice(2);
  expect(seqs(await list(`limit=1000&order=desc&after=${third?.seq}`))).toEqual([2, 1]);
  for (const stream of new Set(all.map((event) => event.stream))) {
    const own = all.filter((event) => event.stream === stream && event.seq <= 1000);
    expect(seqs(await list(`limit=1000&stream=${stream}`)).filter((seq) => known.has(seq))).toEqual(seqs(own));
  }
  for (const actor of new Set(all.map((event) => event.actor))) {
    const own = all.filter((event) => event.actor === actor);
    const found = await list(`limit=1000&order=desc&actor=${encodeURIComponent(actor)}`);
    expect(seqs(found).filter((seq) => known.has(seq))).toEqual(seqs(own).toReversed());
  }
  const middle = all[Math.floor(all.length / 2)];
  const [since, before] = [await list(`limit=1000&from=${middle?.at}`), await list(`limit=1000&until=${middle?.at}`)];
  expect([...before, ...since].map(({ seq }) => seq).filter((seq) => known.has(seq))).toEqual(seqs(all));
  expectRefusal(await daemon.call("GET", "/api/audit/entries?from=yesterday"), 400, "invalid_request");
});

proves("AUD-9", "a proof brings the stored bytes of its event, from which its hash and leaf are computed", async () => {
  const { entries } = expectOk(await daemon.call<{ entries: readonly Event[] }>("GET", "/api/audit/entries?limit=3"));
  for (const { id, hash } of entries) {
    const { event, leafHash } = expectOk(await daemon.call<Proof>("GET", `/api/audit/proof/${id}`));
    expect(JSON.parse(event.header)).toMatchObject({ id });
    expect(sha256(Buffer.from(event.prev, "hex"), Buffer.from(event.header)).toString("hex")).toBe(hash);
    expect(sha256(Buffer.from([0]), Buffer.from(hash, "hex")).toString("hex")).toBe(leafHash);
    const data = [Buffer.from(event.salt, "hex"), Buffer.from(event.data, "base64")];
    expect(sha256(...data).toString("hex")).toBe(JSON.parse(event.header).dataHash);
  }
});

proves.onOneStore("AUD-9", "the checkpoint is a signed note as text, and as JSON it includes its key", async () => {
  const text = await daemon.call("GET", "/api/audit/checkpoint");
  expect(text.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(text.text).toMatch(/^nomos\/[0-9a-f]{8}\n\d+\n[A-Za-z0-9+/]{43}=\n\n— nomos\/[0-9a-f]{8} [A-Za-z0-9+/=]+\n$/);
  const json = await daemon.call<{ checkpoint: string; key: string }>("GET", "/api/audit/checkpoint", undefined, {
    accept: "application/json",
  });
  expect(json.body.key).toBe((await readFile(join(daemon.home, "keys/key.pub"), "utf8")).trim());
  expect(json.body.checkpoint.split("\n")[0]).toBe(text.text.split("\n")[0]);
  expect((await daemon.cli("audit", "checkpoint", "--json")).json<{ key: string }>().key).toBe(json.body.key);
});

proves.onOneStore("AUD-9", "status shows the tree's lag, which is zero soon after the last event", async () => {
  await grow(daemon, 20);
  const before = expectOk(await daemon.call<Status>("GET", "/api/status"));
  expect(before.tree.lag).toBe(before.events - before.tree.size);
  const { tree } = await eventually("no lag", async () => {
    const status = expectOk(await daemon.call<Status>("GET", "/api/status"));
    return status.tree.lag === 0 && status.tree.checkpointSize === status.events ? status : null;
  });
  expect(tree).toMatchObject({ problem: null, anchors: [], checkpointAt: expect.stringMatching(/^\d{4}-/) });
});

proves(
  "AUD-9",
  "a later checkpoint is proved to continue an earlier one, and tiles hold the hashes for proofs",
  async () => {
    const path = (query: string) => `/api/audit/consistency?${query}`;
    const proof = expectOk(
      await daemon.call<{ from: number; to: number; hashes: string[]; toRoot: string }>("GET", path("from=7")),
    );
    expect(proof.from).toBe(7);
    expect(proof.hashes.length).toBeGreaterThan(3);
    expect(expectOk(await daemon.call("GET", path("from=0&to=5")))).toMatchObject({ hashes: [] });
    expectRefusal(await daemon.call("GET", path("from=6&to=5")), 400, "invalid_request");
    expectRefusal(await daemon.call("GET", path("from=1&to=99999")), 400, "invalid_request");
    const tile = expectOk(await daemon.call<{ width: number; hashes: string[] }>("GET", "/api/audit/tile/0/0"));
    expect(tile).toMatchObject({ width: 256 });
    expect(expectOk(await daemon.call("GET", "/api/audit/tile/1/0"))).toMatchObject({ width: 1 });
    expectRefusal(await daemon.call("GET", "/api/audit/tile/0/9"), 404, "tile_not_found");
  },
);

proves("AUD-9", "an export verifies with the key alone, is recorded, and only the operator may make it", async () => {
  const { id } = await start(daemon);
  await turn(daemon, id, `say ${"long ".repeat(10_000)}`);
  const folder = await newFolder();
  const key = join(daemon.home, "keys/key.pub");
  for (const to of [join(folder, "bundle"), join(folder, "bundle.tar")]) {
    const headers = { "idempotency-key": to };
    const made = expectOk(
      await daemon.call<{ path: string; size: number }>("POST", "/api/audit/export", { to }, headers),
    );
    expect(made.path).toBe(to);
    expect(expectOk(await daemon.call("POST", "/api/audit/export", { to }, headers))).toEqual(made);
    expectRefusal(await daemon.call("POST", "/api/audit/export", { to }), 409, "export_exists");
    const verdict = await verdictOf(to, "--key", key, "--checkpoint", join(folder, "bundle/checkpoint"));
    expect(verdict).toMatchObject({ ok: true, size: made.size });
    expect(verdict["blobs"]).toBeGreaterThan(0);
    const [, entry] = expectOk(
      await daemon.call<{ entries: readonly Event[] }>("GET", `/api/audit/entries?after=${made.size - 1}&limit=2`),
    ).entries;
    expect(entry).toMatchObject({ type: "log.exported@1", actor: "operator", data: made });
  }
  const own = expectOk(await daemon.call<{ path: string }>("POST", "/api/audit/export", {}));
  expect(own.path.startsWith(join(daemon.home, "exports/"))).toBe(true);
  for (const to of [
    "relative",
    join(daemon.home, "bundle"),
    join(daemon.home, "tree/bundle"),
    join(folder, "no/where"),
  ])
    expectRefusal(await daemon.call("POST", "/api/audit/export", { to }), 400, "export_refused");
  const issued = { capabilities: ["audit.read", "system.read"] };
  const { secret } = expectOk(await daemon.call<{ secret: string }>("POST", "/api/tokens", issued), 201);
  const viewer = { authorization: `Bearer ${secret}` };
  expectRefusal(await daemon.call("POST", "/api/audit/export", { to: join(folder, "x") }, viewer), 403, "denied");
  expect(expectOk(await daemon.call("GET", "/api/audit/verify", undefined, viewer))).toMatchObject({ ok: true });
});

proves("AUD-9", "an agent's sessions are found by its name, page by page, forgotten ones too", async () => {
  const [one, two] = [await start(daemon), await start(daemon)];
  await turn(daemon, one.id, "say one");
  await turn(daemon, two.id, "say two");
  expectOk(await daemon.call("DELETE", `/sessions/${two.id}`));
  const all = expectOk(await daemon.call<{ entries: Event[] }>("GET", "/api/audit/entries?limit=1000")).entries;
  const expected = all.filter(({ stream }) => stream === "agent/demo" || stream.startsWith("session/"));
  const found: Event[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const path: string = `/api/audit/agent/demo?limit=50&after=${after}`;
    const page: { entries: Event[]; next: number | null } = expectOk(await daemon.call("GET", path));
    found.push(...page.entries);
    after = page.next;
  }
  expect(found).toEqual(expected);
  const newest = expectOk(
    await daemon.call<{ entries: Event[]; next: number }>("GET", "/api/audit/agent/demo?limit=5&order=desc"),
  );
  expect(newest.entries).toEqual(expected.toReversed().slice(0, 5));
  const path = `/api/audit/agent/demo?limit=5&order=desc&after=${newest.next}`;
  expect(expectOk(await daemon.call<{ entries: Event[] }>("GET", path)).entries).toEqual(
    expected.toReversed().slice(5, 10),
  );
  expect(expectOk(await daemon.call("GET", "/api/audit/agent/script"))).toMatchObject({ next: null });
  expectRefusal(await daemon.call("GET", "/api/audit/agent/nobody"), 404, "agent_not_found");
});

proves.where(CHOSEN_STORE === "sqlite")(
  "AUD-3",
  "a log replaced by an earlier copy: the start is refused with a remedy, and the log left as it is",
  async () => {
    const home = await newHome();
    const first = await startDaemon({ home });
    await grow(first, 5);
    await first.stop();
    const log = join(home, "log.db");
    await copyFile(log, `${log}.old`);
    const second = await startDaemon({ home });
    await grow(second, 5);
    await second.stop();
    await copyFile(`${log}.old`, log);
    const before = await digest(log);
    const { exitCode, error } = await failedStart(home);
    expect({ exitCode, code: error.code }).toEqual({ exitCode: 1, code: "log_rolled_back" });
    expect(error.remedy).toContain("backup");
    expect(await digest(log)).toBe(before);
    expect((await runCli(["doctor", "--json"], { home })).exitCode).toBe(1);
    // A person accepts the loss by moving away the checkpoint that shows it.
    for (const name of ["checkpoint", "tree"]) await rm(join(home, name), { recursive: true });
    const after = await startDaemon({ home });
    expect(expectOk(await after.call("GET", "/api/audit/verify"))).toMatchObject({ ok: true });
  },
);

proves.where(CHOSEN_STORE === "sqlite")(
  "AUD-3",
  "an event replaced together with its hashes stops the start; on a running daemon the check names it",
  async () => {
    const home = await newHome();
    const daemon = await startDaemon({ home });
    await grow(daemon, 5);
    expect(expectOk(await daemon.call("GET", "/api/audit/verify"))).toMatchObject({ ok: true, problems: [] });
    const seq = forge(join(home, "log.db"), "agent/demo");
    expect(expectOk(await daemon.call("GET", "/api/doctor"))).toMatchObject({ ok: false, log: { ok: true } });
    const report = expectOk(await daemon.call<{ problems: unknown[] }>("GET", "/api/audit/verify"));
    expect(report).toMatchObject({ ok: false });
    expect(report.problems[0]).toEqual({ problem: "event_altered", seq });
    await daemon.stop();
    const { error } = await failedStart(home);
    expect(error).toMatchObject({ code: "log_rolled_back", details: { seq } });
  },
);

proves.onOneStore("AUD-3", "a changed checkpoint, or a missing key, stops the start by name", async () => {
  const home = await newHome();
  await (await startDaemon({ home })).stop();
  const path = join(home, "checkpoint");
  const note = await readFile(path, "utf8");
  await writeFile(path, note.replace(/\n\d+\n/, "\n1\n"));
  expect((await failedStart(home)).error.code).toBe("checkpoint_invalid");
  await writeFile(path, note);
  await rm(join(home, "keys"), { recursive: true });
  expect((await failedStart(home)).error.code).toBe("checkpoint_invalid");
});

proves("AUD-2", "a missing tile is named by proofs and by the doctor, which restores it", async () => {
  await grow(daemon, 300);
  const [event] = expectOk(
    await daemon.call<{ entries: readonly Event[] }>("GET", "/api/audit/entries?limit=1&after=300"),
  ).entries;
  await eventually("no lag", async () => expectOk(await daemon.call<Status>("GET", "/api/status")).tree.lag === 0);
  await rm(join(daemon.home, "tree/tile/0/001"));
  const refused = expectRefusal(await daemon.call("GET", `/api/audit/proof/${event?.id}`), 500, "tile_missing");
  expect(refused.details).toMatchObject({ level: 0, index: 1 });
  const wrong = { ok: false, tree: { ok: false, problems: [{ problem: "tile_missing", level: 0, index: 1 }] } };
  expect(expectOk(await daemon.call("GET", "/api/doctor"))).toMatchObject(wrong);
  expect(await daemon.cli("doctor")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("tile 0/1: tile_missing"),
  });
  expect(await daemon.cli("doctor", "--repair")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("rebuilt"),
  });
  expect(expectOk(await daemon.call("GET", "/api/doctor"))).toMatchObject({ ok: true });
  expectOk(await daemon.call("GET", `/api/audit/proof/${event?.id}`));
});

const KILLS_MAX_MS = 90_000;
proves(
  "AUD-4",
  "after kill -9 at any moment the tree goes on, and a deleted tree is rebuilt",
  async () => {
    const home = await newHome();
    for (const round of sampled([0, 1, 2, 3], [0, 1])) {
      const daemon = await startDaemon({ home });
      const growing = grow(daemon, 2000).catch(() => undefined);
      await new Promise((later) => setTimeout(later, 300 + 600 * round));
      await daemon.kill9();
      await growing;
      if (round === 1) await rm(join(home, "tree"), { recursive: true, force: true });
    }
    const daemon = await startDaemon({ home });
    expect(expectOk(await daemon.call("GET", "/api/audit/verify"))).toMatchObject({ ok: true, problems: [] });
    await daemon.stop();
    const [, size] = (await readFile(join(home, "checkpoint"), "utf8")).split("\n");
    const examined = (await runCli(["doctor", "--json"], { home })).json<{ log: { events: number } }>();
    expect(Number(size)).toBe(examined.log.events);
  },
  KILLS_MAX_MS,
);

proves.skipIf(!needs("git"))(
  "AUD-8",
  "configured anchors get each checkpoint, and status shows which one",
  async () => {
    const home = await newHome();
    const repo = await newFolder();
    await promisify(execFile)("git", ["init", "-q", "--bare", repo]);
    await mkdir(home, { mode: 0o700 });
    // The witness has to know the log's key before the first checkpoint is signed.
    const { verifier } = await openLogKey(join(home, "keys"));
    await using witness = await startWitness(verifier.text);
    const anchors = { git: { repo, ref: "refs/nomos/log" }, witness: { url: witness.url, key: witness.vkey } };
    await writeFile(join(home, "config.json"), JSON.stringify({ anchors }));
    witness.behaviour = "down";
    const daemon = await startDaemon({ home });
    await grow(daemon, 3);
    const anchored = (kind: string) =>
      eventually(`${kind} anchored`, async () => {
        const { tree } = expectOk(await daemon.call<Status>("GET", "/api/status"));
        const found = tree.anchors.find((anchor) => anchor.kind === kind);
        return found?.problem === null && found.size === tree.checkpointSize && tree.lag === 0 ? found.size : null;
      });
    const size = await anchored("git");
    const { stdout } = await promisify(execFile)("git", ["-C", repo, "show", "refs/nomos/log:checkpoint"]);
    expect(stdout.split("\n")[1]).toBe(String(size));
    const { tree } = expectOk(await daemon.call<Status>("GET", "/api/status"));
    expect(tree.anchors).toMatchObject([{ kind: "git" }, { kind: "witness", problem: { code: "anchor_failed" } }]);
    witness.behaviour = "good";
    await anchored("witness");
    const { cosigned } = expectOk(
      await daemon.call<{ cosigned: string }>("GET", "/api/audit/checkpoint", undefined, {
        accept: "application/json",
      }),
    );
    expect(cosigned).toContain("— witness.example/w1 ");
  },
);

async function grow(daemon: TestDaemon, count: number): Promise<void> {
  const { id } = await start(daemon);
  for (let left = count; left > 0; left -= 100) {
    const events = Array.from({ length: Math.min(100, left) }, (_, n) => ({ type: "note", payload: { n } }));
    expectOk(await daemon.call("POST", `/sessions/${id}/events`, { events }), 201);
  }
}

async function failedStart(home: string): Promise<{ exitCode: number | null; error: Refused["error"] }> {
  const answer = await runCli(["up", "--json", "--port", "0"], { home });
  return { exitCode: answer.exitCode, error: answer.json<Refused>().error };
}

/** Changes the data of a stream's last event and recomputes every hash: the chain still verifies. */
function forge(path: string, stream: string): number {
  const db = new DatabaseSync(path, { timeout: 5000 });
  const row = db
    .prepare(
      "SELECT e.seq, e.prev, e.header, e.salt FROM events e JOIN streams s ON s.no = e.stream WHERE s.name = ? ORDER BY e.version DESC LIMIT 1",
    )
    .get(stream);
  const seq = Number(row?.["seq"]);
  const [prev, header, salt] = ["prev", "header", "salt"].map((name) => Buffer.from(row?.[name] as Uint8Array));
  if (prev === undefined || header === undefined || salt === undefined) throw new Error("no such event");
  const data = '{"slug":"demo","name":"demo","driver":"demo","tools":{"run":"auto"},"builtIn":true}';
  const dataHash = sha256(salt, data).toString("hex");
  const forged = header.toString().replace(/"dataHash":"[0-9a-f]+"/, `"dataHash":"${dataHash}"`);
  db.prepare("UPDATE events SET data = ?, header = ?, hash = ? WHERE seq = ?").run(
    Buffer.from(data),
    Buffer.from(forged),
    sha256(prev, forged),
    seq,
  );
  db.close();
  return seq;
}

/** RFC 6962 verification, from the proof alone. */
function rootFrom({ leafIndex, size, leafHash, hashes }: Proof): string {
  let hash: Buffer = Buffer.from(leafHash, "hex");
  let at = leafIndex;
  let last = size - 1;
  for (const text of hashes) {
    const sibling = Buffer.from(text, "hex");
    const isRight = at % 2 === 1 || at === last;
    hash = sha256(Buffer.from([1]), ...(isRight ? [sibling, hash] : [hash, sibling]));
    while (isRight && at % 2 === 0 && at > 0) {
      at = Math.floor(at / 2);
      last = Math.floor(last / 2);
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return hash.toString("hex");
}

async function digest(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}
