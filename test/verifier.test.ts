import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BundleFault } from "../verifier/fault.js";
import { parseCheckpoint, parseKey } from "../verifier/note.js";
import { verifyBundle } from "../verifier/verify-bundle.js";
import {
  type Bundle,
  checkpointOf,
  type Draft,
  idOf,
  type Line,
  lineOf,
  linesOf,
  newSigner,
  rootOf,
  sha256,
  writeFolder,
  writeTar,
  ZEROS,
} from "./support/bundles.ts";
import { proves } from "./support/proves.ts";
import { runVerifier, VERIFIER, verdictOf } from "./support/verifier.ts";

const SESSION = "session/0197b3c1-0002-7000-8000-000000000002";
const FORK = "session/0197b3c1-0005-7000-8000-000000000005";
const LETTER = Buffer.from("a letter");
const PARCEL = Buffer.from("a parcel that is too large for an event");
const signer = newSigner("nomos/0a1b2c3d");

let root = "";
let bundles = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "nomos-verify-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** A log with everything: several streams, a fork, blobs, an erasure, texts that need escaping. */
const DRAFTS: readonly Draft[] = [
  { stream: "system", type: "lease.acquired@1", data: { fence: 1 } },
  { stream: SESSION, type: "session.opened@1", data: { label: 'größer "als" 1' } },
  { stream: SESSION, type: "session.started@1", data: { continuity: "fresh" } },
  { stream: SESSION, type: "turn.admitted@1", data: { prompt: "to be erased" }, erased: true },
  {
    stream: SESSION,
    type: "artifact.written@1",
    data: { path: "a.txt", blob: hashOf(LETTER) },
    blobs: [hashOf(LETTER)],
  },
  {
    stream: FORK,
    type: "session.forked@1",
    data: { from: { stream: SESSION, version: 2 }, view: { artifacts: { "a.txt": [{ blob: hashOf(LETTER) }] } } },
    blobs: [hashOf(LETTER)],
    from: 2,
  },
  { stream: "agent/claude", type: "agent.created@1", data: { slug: "claude" } },
  { stream: FORK, type: "message.completed@1", data: { text: "a", blob: hashOf(PARCEL) }, blobs: [hashOf(PARCEL)] },
  { stream: SESSION, type: "effect.intended@1", data: { detail: { blob: "00".repeat(32) } } },
  { stream: SESSION, type: "x.note@1", data: { payload: { blob: "11".repeat(32) } } },
  { stream: SESSION, type: "data.erased@1", data: { events: [idOf(3)], reason: "asked to" } },
  { stream: 'token/"quoted"\\', type: "token.revoked@1", data: {} },
];

function sound(drafts = DRAFTS): Bundle {
  const lines = linesOf(drafts);
  const blobs = new Map([LETTER, PARCEL].map((bytes) => [hashOf(bytes), bytes]));
  return { lines, blobs, checkpoint: checkpointOf(lines, signer), key: signer.vkey };
}

proves("T12", "a bundle whose names contain control characters: the verdict is printed without them", async () => {
  const evil = newSigner("nomos/\u001b[2J\u001b]52;c;eA==\u0007\u009b1A\u202e\u{e0041}");
  const lines = linesOf(DRAFTS);
  const bundle = { ...sound(), checkpoint: checkpointOf(lines, evil), key: evil.vkey };
  const path = await writeFolder(bundle, place());
  const wrong = [path, "--key", signer.vkey];
  for (const args of [[path], [path, "--json"], wrong, [...wrong, "--json"], ["/no\u001b[2Jwhere"]]) {
    const { stdout, stderr } = await runVerifier(...args);
    expect(stdout + stderr).not.toBe("");
    expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u);
  }
  expect(await verdictOf(path)).toMatchObject({ ok: true, origin: evil.name });
});

describe("[AUD-7] a sound bundle", () => {
  test("a sound bundle verifies, as a folder, as a tar, and as a tar of a folder", async () => {
    const bundle = sound();
    const expected = { ok: true, size: 12, streams: 5, erased: 1, blobs: 2, origin: signer.name, key: signer.vkey };
    for (const path of [
      await writeFolder(bundle, place()),
      await writeTar(bundle, `${place()}.tar`),
      await writeTar(bundle, `${place()}.tar`, "./"),
      await writeTar(bundle, `${place()}.tar`, "bundle/"),
    ])
      expect(await verify(path)).toMatchObject({ exitCode: 0, verdict: expected });
  });

  test("a sound bundle verifies with its key given as text or as a file, and the key is named", async () => {
    const path = await writeFolder(sound(), place());
    expect(await verdictOf(path)).toMatchObject({ ok: true, trust: "bundle" });
    for (const key of [signer.vkey, join(path, "key.pub")])
      expect(await verdictOf(path, "--key", key)).toMatchObject({ ok: true, trust: "given" });
    const older = await written(checkpointOf(linesOf(DRAFTS).slice(0, 7), signer));
    expect(await verdictOf(path, "--checkpoint", older, "--checkpoint", join(path, "checkpoint"))).toMatchObject({
      ok: true,
    });
  });

  test("a sound bundle continues each older checkpoint of its log", async () => {
    const path = await writeFolder(sound(), place());
    const older = await Promise.all(
      [1, 2, 3, 7, 8, 12].map((size) => written(checkpointOf(linesOf(DRAFTS).slice(0, size), signer))),
    );
    const args = older.flatMap((file) => ["--checkpoint", file]);
    expect(await verify(path, ...args)).toMatchObject({ exitCode: 0 });
  });

  test("a sound bundle of any size has the root of the naive recursion", async () => {
    for (const size of [1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 100]) {
      const lines = linesOf(Array.from({ length: size }, (_, n) => note(`system`, n)));
      const leaves = lines.map(({ hash }) => sha256(Buffer.from([0]), Buffer.from(hash, "hex")));
      const bundle = { ...sound(), lines, blobs: new Map(), checkpoint: checkpointOf(lines, signer) };
      const { verdict } = await verify(await writeFolder(bundle, place()));
      expect(verdict).toMatchObject({ ok: true, size, root: rootOf(leaves).toString("hex") });
    }
  });

  test("a bundle spelled with spaces and in another order verifies: the hashed bytes are the same", async () => {
    const bundle = sound();
    const raw = bundle.lines
      .map(({ hash, ...rest }) => `${JSON.stringify({ hash, ...rest }, null, 1).replaceAll("\n", " ")}\n`)
      .join("");
    expect(await verify(await writeFolder({ ...bundle, raw }, place()))).toMatchObject({ exitCode: 0 });
  });

  test("signatures of witnesses in a bundle are skipped", async () => {
    const bundle = sound();
    const other = checkpointOf(bundle.lines, newSigner("witness.example/w1")).split("\n\n")[1];
    bundle.checkpoint += other;
    expect(await verify(await writeFolder(bundle, place()))).toMatchObject({ exitCode: 0 });
  });

  test("the published vectors' log verifies as a bundle, with the event erased and not", async () => {
    const vectors: { readonly events: readonly Line[]; readonly erased: Line; readonly roots: readonly string[] } =
      JSON.parse(await readFile(join(import.meta.dirname, "vectors/log-format.json"), "utf8"));
    const shown = ({ prev, header, hash, salt, data }: Line, at: number): Line => ({
      ...{ seq: at + 1, prev, header, hash, salt, data },
    });
    for (const events of [vectors.events, vectors.events.with(3, vectors.erased)]) {
      const lines = events.map(shown);
      const bundle = { lines, blobs: new Map(), checkpoint: checkpointOf(lines, signer), key: signer.vkey };
      const { exitCode, verdict } = await verify(await writeFolder(bundle, place()));
      expect({ exitCode, root: verdict["root"] }).toEqual({ exitCode: 0, root: vectors.roots.at(-1) });
    }
  });
});

interface Alteration {
  readonly what: string;
  readonly change: (bundle: Bundle) => void;
  readonly problem: object;
  readonly args?: readonly string[];
}

const at = (line: number): object => ({ line, seq: line });
const ALTERATIONS: readonly Alteration[] = [
  {
    what: "data edited",
    change: ({ lines }) => edit(lines, 1, { data: base64('{"label":"another"}') }),
    problem: { ...at(2), stream: SESSION, version: 1, why: /dataHash/ },
  },
  {
    what: "data edited with its dataHash",
    change: ({ lines }) => edit(lines, 6, withData(lines, 6, '{"slug":"codex"}')),
    problem: { ...at(7), stream: "agent/claude", version: 1, why: /hash is not sha256/ },
  },
  {
    what: "data edited with its hashes, the stream goes on",
    change: ({ lines }) => edit(lines, 2, rehashed(lines, 2, '{"continuity":"native"}')),
    problem: { ...at(4), stream: SESSION, version: 3, why: /prev is not the hash/ },
  },
  {
    what: "data edited with its hashes, the last of its stream",
    change: ({ lines }) => edit(lines, 6, rehashed(lines, 6, '{"slug":"codex"}')),
    problem: { file: "events.jsonl", why: /come to the root/ },
  },
  {
    what: "data edited, and everything computed anew and signed by another key",
    change: (bundle) => resign(bundle, linesOf(DRAFTS.with(6, note("agent/claude", 0))), newSigner(signer.name)),
    problem: { file: "key.pub", why: /expected is/ },
    args: ["--key", signer.vkey],
  },
  {
    what: "everything computed anew and signed by the same key, against an older checkpoint",
    change: (bundle) => resign(bundle, linesOf(DRAFTS.with(6, note("agent/claude", 0))), signer),
    problem: { why: /the older checkpoint over 9 events says/ },
    args: ["--checkpoint", "OLDER"],
  },
  {
    what: "the header edited",
    change: ({ lines }) => edit(lines, 4, { header: (lines[4]?.header ?? "").replace("operator", "somebody") }),
    problem: { ...at(5), why: /hash is not sha256/ },
  },
  {
    what: "the stored hash edited",
    change: ({ lines }) => edit(lines, 4, { hash: "ab".repeat(32) }),
    problem: { ...at(5), why: /hash is not sha256/ },
  },
  {
    what: "a line dropped",
    change: ({ lines }) => void lines.splice(4, 1),
    problem: { line: 5, seq: 6, why: /seq is 6, 5 comes next/ },
  },
  {
    what: "a line dropped and the rest counted anew",
    change: ({ lines }) => renumber(lines.toSpliced(4, 1), lines),
    problem: { line: 8, version: 5, why: /version 4 of the stream comes next, not 5/ },
  },
  {
    what: "a whole stream dropped and the rest counted anew",
    change: ({ lines }) => renumber(lines.toSpliced(6, 1), lines),
    problem: { file: "events.jsonl", why: /there are 11 events, the checkpoint is over 12/ },
  },
  {
    what: "two lines exchanged",
    change: ({ lines }) => lines.splice(5, 2, ...[lines[6], lines[5]].filter((line) => line !== undefined)),
    problem: { line: 6, seq: 7, why: /comes next/ },
  },
  {
    what: "the order of leaves changed, each chain whole",
    change: ({ lines }) =>
      renumber(lines.toSpliced(5, 2, ...[lines[6], lines[5]].filter((line) => line !== undefined)), lines),
    problem: { why: /come to the root/ },
  },
  {
    what: "a line twice",
    change: ({ lines }) => lines.splice(6, 0, ...lines.slice(6, 7)),
    problem: { line: 8, seq: 7, why: /comes next/ },
  },
  {
    what: "an event twice, counted anew and linked",
    change: (bundle) => {
      const twice = { ...note("agent/claude", 0), type: "x.note@1" };
      const lines = linesOf([...DRAFTS, note("agent/claude", 1)]);
      const last = lines.at(-1);
      if (last === undefined) return;
      lines[lines.length - 1] = lineOf(twice, { seq: 13, version: 2, prev: last.prev, id: idOf(6) });
      resign(bundle, lines, signer);
    },
    problem: { line: 13, why: /with the id .* was there before/ },
  },
  {
    what: "lines cut off the end",
    change: ({ lines }) => void lines.splice(9),
    problem: { file: "events.jsonl" },
  },
  {
    what: "cut off the end and signed anew, against an older checkpoint",
    change: (bundle) => resign(bundle, bundle.lines.slice(0, 8), signer),
    problem: { why: /there are 8 events, the older checkpoint is over 9: events are lost/ },
    args: ["--checkpoint", "OLDER"],
  },
  {
    what: "the older checkpoint is another log's",
    change: () => undefined,
    problem: { why: /of the older checkpoint: it is of the log nomos\/other/ },
    args: ["--checkpoint", "OTHER"],
  },
  {
    what: "the key exchanged",
    change: (bundle) => {
      bundle.key = newSigner(signer.name).vkey;
    },
    problem: { file: "checkpoint", why: /not signed by the key/ },
  },
  {
    what: "the key given is another one",
    change: () => undefined,
    problem: { file: "key.pub", why: /expected is/ },
    args: ["--key", newSigner(signer.name).vkey],
  },
  {
    what: "the signature forged",
    change: (bundle) => {
      bundle.checkpoint = bundle.checkpoint.replace(/.{8}\n$/, "AAAAAAA=\n");
    },
    problem: { file: "checkpoint", why: /the signature is not that of the key/ },
  },
  {
    what: "the signature of another text",
    change: (bundle) => {
      const [, signature] = checkpointOf(bundle.lines.slice(0, 5), signer).split("\n\n");
      bundle.checkpoint = `${bundle.checkpoint.split("\n\n")[0]}\n\n${signature}`;
    },
    problem: { file: "checkpoint", why: /the signature is not that of the key/ },
  },
  {
    what: "the checkpoint without a signature",
    change: (bundle) => {
      bundle.checkpoint = `${bundle.checkpoint.split("\n\n")[0]}\n`;
    },
    problem: { file: "checkpoint", why: /no checkpoint/ },
  },
  {
    what: "a blob exchanged",
    change: ({ blobs }) => void blobs.set(hashOf(PARCEL), Buffer.from("another parcel")),
    problem: { ...at(8), stream: FORK, version: 2, why: /has other bytes/ },
  },
  {
    what: "a blob missing",
    change: ({ blobs }) => void blobs.delete(hashOf(LETTER)),
    problem: { ...at(5), stream: SESSION, version: 4, why: /is not there/ },
  },
  {
    what: "a blob missing, and the line's word for it too",
    change: ({ lines, blobs }) => {
      blobs.delete(hashOf(PARCEL));
      const { blobs: _named, ...rest } = lines[7] ?? expect.fail();
      lines[7] = rest;
    },
    problem: { ...at(8), why: /blobs are not those that the data names/ },
  },
  {
    what: "a blob that the data does not name",
    change: ({ lines }) => edit(lines, 6, { blobs: [hashOf(LETTER)] }),
    problem: { ...at(7), why: /blobs are not those/ },
  },
  {
    what: "data gone without an erasure",
    change: ({ lines }) => edit(lines, 2, { salt: null, data: null }),
    problem: { ...at(3), stream: SESSION, version: 2, why: /no later data.erased/ },
  },
  {
    what: "data gone, named by an erasure of another stream",
    change: (bundle) =>
      resign(
        bundle,
        linesOf([
          ...DRAFTS.with(6, { ...note("agent/claude", 0), erased: true }),
          { stream: SESSION, type: "data.erased@1", data: { events: [idOf(6)] } },
        ]),
        signer,
      ),
    problem: { ...at(7), why: /no later data.erased/ },
  },
  {
    what: "data gone, named by an erasure before it",
    change: (bundle) =>
      resign(
        bundle,
        linesOf([
          { stream: SESSION, type: "data.erased@1", data: { events: [idOf(1)] } },
          { ...note(SESSION, 0), erased: true },
        ]),
        signer,
      ),
    problem: { ...at(2), why: /no later data.erased/ },
  },
  {
    what: "half an erasure: the salt is still there",
    change: ({ lines }) => edit(lines, 2, { data: null }),
    problem: { ...at(3), why: /one of salt and data is gone/ },
  },
  {
    what: "a fork that continues another event than it names",
    change: (bundle) =>
      resign(bundle, linesOf(DRAFTS.map((draft) => (draft.from === 2 ? { ...draft, from: 1 } : draft))), signer),
    problem: { ...at(6), stream: FORK, version: 1, why: /not the hash of the event that it names/ },
  },
  {
    what: "a fork out of nowhere",
    change: (bundle) => {
      const { from: _from, ...orphan } = DRAFTS[5] ?? expect.fail();
      resign(bundle, linesOf(DRAFTS.with(5, orphan)), signer);
    },
    problem: { ...at(6), why: /prev of a fork is not the hash of an event before it/ },
  },
  {
    what: "a new stream that claims to continue another",
    change: (bundle) => resign(bundle, linesOf(DRAFTS.with(6, { ...note("agent/claude", 0), from: 1 })), signer),
    problem: { ...at(7), why: /prev of a new stream is not zero/ },
  },
  {
    what: "a stream that begins in the middle",
    change: (bundle) => {
      const lines = [lineOf(note(SESSION, 0), { seq: 1, version: 2, prev: ZEROS, id: idOf(0) })];
      resign(bundle, lines, signer);
    },
    problem: { ...at(1), stream: SESSION, version: 2, why: /version 1 of the stream comes next/ },
  },
  {
    what: "a line more than the checkpoint is over",
    change: ({ lines }) => lines.push(...linesOf([...DRAFTS, note("system", 1)]).slice(-1)),
    problem: { line: 13, why: /beyond the checkpoint/ },
  },
  {
    what: "an empty line at the end",
    change: (bundle) => {
      bundle.raw = `${rawOf(bundle)}\n`;
    },
    problem: { line: 13, why: /no JSON object/ },
  },
  {
    what: "lines that end as on Windows",
    change: (bundle) => {
      bundle.raw = rawOf(bundle).replaceAll("\n", "\r\n");
    },
    problem: { line: 1, why: /carriage return/ },
  },
  {
    what: "the last line cut",
    change: (bundle) => {
      bundle.raw = rawOf(bundle).slice(0, -20);
    },
    problem: { line: 12, why: /no end/ },
  },
  {
    what: "no events at all",
    change: (bundle) => {
      bundle.raw = "";
    },
    problem: { file: "events.jsonl", why: /there are 0 events/ },
  },
  {
    what: "a line that never ends",
    change: (bundle) => {
      bundle.raw = Buffer.concat([Buffer.from(rawOf(bundle)), Buffer.alloc(70 * 1024 * 1024, "x")]);
    },
    problem: { line: 13, why: /longer than/ },
  },
  {
    what: "a line with a megabyte that does not belong there",
    change: ({ lines }) => edit(lines, 1, { data: "A".repeat(4_000_000) }),
    problem: { ...at(2), why: /dataHash/ },
  },
  {
    what: "bytes that are no UTF-8",
    change: (bundle) => {
      const raw = Buffer.from(rawOf(bundle));
      raw[raw.indexOf("operator")] = 0xff;
      bundle.raw = raw;
    },
    problem: { line: 1, why: /not UTF-8/ },
  },
  {
    what: "a member twice",
    change: (bundle) => {
      bundle.raw = rawOf(bundle).replace('{"seq":1,', '{"data":"e30=","seq":1,');
    },
    problem: { ...at(1), why: /the member data stands there twice/ },
  },
  {
    what: "a member that bundles do not have",
    change: (bundle) => {
      bundle.raw = rawOf(bundle).replace('{"seq":1,', '{"seq":1,"note":"trust me",');
    },
    problem: { ...at(1), why: /there is no member note/ },
  },
  {
    what: "a hash in capital letters",
    change: ({ lines }) => edit(lines, 0, { hash: (lines[0]?.hash ?? "").toUpperCase() }),
    problem: { ...at(1), why: /hash is not/ },
  },
  {
    what: "prev in capital letters",
    change: ({ lines }) => edit(lines, 2, { prev: (lines[2]?.prev ?? "").toUpperCase() }),
    problem: { ...at(3), why: /prev is not the hash/ },
  },
  {
    what: "a fork's prev in capital letters",
    change: ({ lines }) => edit(lines, 5, { prev: (lines[5]?.prev ?? "").toUpperCase() }),
    problem: { ...at(6), why: /prev/ },
  },
  {
    what: "a hash that is no text",
    change: (bundle) => {
      bundle.raw = rawOf(bundle).replace(/"hash":"[0-9a-f]+"/, '"hash":7');
    },
    problem: { ...at(1), why: /hash is not 64 hex digits/ },
  },
  {
    what: "a seq that is spelled another way, with room for a member more",
    change: (bundle) => {
      bundle.raw = rawOf(bundle).replace('{"seq":10,', '{"seq":1e1,"seq":10,');
    },
    problem: { line: 10, why: /twice/ },
  },
  {
    what: "data that is no base64",
    change: ({ lines }) => edit(lines, 0, { data: "e30" }),
    problem: { ...at(1), why: /base64/ },
  },
  ...(
    [
      ["with a space", (header: string) => header.replace(",", ", ")],
      ["in another order", (header: string) => header.replace(/("actor":"operator"),("at":"[^"]*")/, "$2,$1")],
      ["with a ninth member", (header: string) => header.replace('"version"', '"trust":true,"version"')],
      ["with a member less", (header: string) => header.replace('"cause":null,', "")],
      ["with an escape that is not needed", (header: string) => header.replace("operator", "oper\\u0061tor")],
      ["with a version 1.0", (header: string) => header.replace('"version":1}', '"version":1.0}')],
      ["with a local time", (header: string) => header.replace("00.048Z", "00.048+01:00")],
      ["with a member twice", (header: string) => header.replace('"version"', '"version":7,"version"')],
    ] as const
  ).map(([how, spell]): Alteration => {
    return {
      what: `a header ${how}, hashed as it stands`,
      change: (bundle) => {
        const first = bundle.lines[0] ?? expect.fail();
        const header = spell(first.header);
        const lines = bundle.lines.with(0, { ...first, header, hash: hashOf(Buffer.from(ZEROS, "hex"), header) });
        resign(bundle, lines, signer);
      },
      problem: { ...at(1), why: /header/ },
    };
  }),
];

describe("[AUD-7] an altered bundle", () => {
  for (const form of ["folder", "tar"] as const)
    test.each(ALTERATIONS)(
      `an altered bundle is refused as a ${form}: $what`,
      async ({ change, problem, args = [] }) => {
        const bundle = sound();
        change(bundle);
        const path =
          form === "folder" ? await writeFolder(bundle, place()) : await writeTar(bundle, `${place()}.tar`, "bundle/");
        const older = await written(checkpointOf(linesOf(DRAFTS).slice(0, 9), signer));
        const other = await written(checkpointOf(linesOf(DRAFTS).slice(0, 9), newSigner("nomos/other")));
        const given = args.map((arg) => (arg === "OLDER" ? older : arg === "OTHER" ? other : arg));
        const { exitCode, verdict } = await verify(path, ...given);
        const expected = Object.fromEntries(
          Object.entries(problem).map(([key, value]) => [
            key,
            value instanceof RegExp ? expect.stringMatching(value) : value,
          ]),
        );
        expect({ exitCode, verdict }).toMatchObject({ exitCode: 1, verdict: { ok: false, problem: expected } });
      },
    );

  test("a bundle with any one byte of its events changed is refused", async () => {
    const bundle = sound();
    const raw = Buffer.from(rawOf(bundle));
    const spots = Array.from({ length: 60 }, (_, n) => Math.floor((raw.length * n) / 60) + (n % 7));
    const answers = await Promise.all(
      spots.map(async (spot) => {
        const changed = Buffer.from(raw);
        changed[spot] = (changed[spot] ?? 0) ^ 1;
        return verify(await writeFolder({ ...bundle, raw: changed }, place()));
      }),
    );
    expect(answers.filter(({ exitCode }) => exitCode !== 1)).toEqual([]);
  });

  test.each(["events.jsonl", "checkpoint", "key.pub"])("a bundle without its %s is refused", async (name) => {
    const path = await writeFolder(sound(), place());
    await rm(join(path, name));
    expect(await verify(path)).toMatchObject({ exitCode: 1, verdict: { problem: { file: name } } });
  });

  test("an archive that is cut, or holds a file twice, is refused", async () => {
    const path = await writeTar(sound(), `${place()}.tar`);
    const whole = await readFile(path);
    await writeFile(path, whole.subarray(0, 3000));
    expect(await verify(path)).toMatchObject({ exitCode: 1 });
    await writeFile(path, Buffer.concat([whole.subarray(0, -1024), whole]));
    expect(await verify(path)).toMatchObject({
      exitCode: 1,
      verdict: { problem: { why: expect.stringMatching(/twice/) } },
    });
    await writeFile(path, "no archive at all".repeat(100));
    expect(await verify(path)).toMatchObject({ exitCode: 1 });
  });
});

describe("[AUD-7] the program", () => {
  test("the verifier says in words which event is wrong", async () => {
    const bundle = sound();
    edit(bundle.lines, 4, { data: base64("{}") });
    const { stdout, exitCode } = await runVerifier(await writeFolder(bundle, place()));
    expect(exitCode).toBe(1);
    expect(stdout).toBe(
      `NOT OK: line 5, seq 5, stream "${SESSION}", version 4: dataHash is not sha256(salt || data)\n`,
    );
    expect((await runVerifier(await writeFolder(sound(), place()))).stdout).toMatch(
      /^ok: 12 events of nomos\/0a1b2c3d in 5 streams/,
    );
  });

  test("the verifier exits 2 when it is called wrongly", async () => {
    const path = await writeFolder(sound(), place());
    for (const args of [
      [],
      [path, path],
      [`${path}-nowhere`],
      [path, "--nonsense"],
      [path, "--key", "nonsense"],
      [path, "--checkpoint", path],
      [path, "--checkpoint", join(path, "key.pub")],
    ])
      expect(await runVerifier(...args)).toMatchObject({ exitCode: 2, stdout: "" });
    expect(await runVerifier("--help")).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("the verifier works through a link, as npm installs it, and imports only Node and its own folder", async () => {
    const link = join(root, "nomos-verify");
    await symlink(VERIFIER, link);
    expect((await promisify(execFile)(process.execPath, [link, "--help"])).stdout).toMatch(/^nomos-verify BUNDLE/);
    const folder = join(VERIFIER, "..");
    for (const name of (await readdir(folder)).filter((file) => file.endsWith(".js")))
      for (const [, from] of (await readFile(join(folder, name), "utf8")).matchAll(/(?:from|import\() ?"([^"]+)"/g))
        expect(from).toMatch(/^(node:[a-z]+|\.\/[a-z-]+\.js)$/);
  });
});

function place(): string {
  bundles += 1;
  return join(root, `bundle-${bundles}`);
}

async function written(text: string): Promise<string> {
  const path = `${place()}.note`;
  await writeFile(path, text);
  return path;
}

/** In this process; the program itself is tested above. */
async function verify(path: string, ...args: readonly string[]): Promise<Judged> {
  const options = args.flatMap((arg, n) => (n % 2 === 0 ? [[arg, args[n + 1] ?? ""] as const] : []));
  const given = async (name: string) =>
    Promise.all(options.filter(([option]) => option === name).map(([, value]) => textOf(value)));
  const [keys, notes] = [await given("--key"), await given("--checkpoint")];
  const key = keys[0] === undefined ? null : (parseKey(keys[0]) ?? expect.fail("no key"));
  const older = notes.map((text) => parseCheckpoint(text) ?? expect.fail("no checkpoint"));
  try {
    return { exitCode: 0, verdict: { ...verifyBundle(path, { key, older }) } };
  } catch (thrown) {
    if (!(thrown instanceof BundleFault)) throw thrown;
    return { exitCode: 1, verdict: { ok: false, problem: { ...thrown.place, why: thrown.why } } };
  }
}

interface Judged {
  readonly exitCode: number;
  readonly verdict: Record<string, unknown>;
}

function textOf(fileOrText: string): Promise<string> {
  return readFile(fileOrText, "utf8").catch(() => fileOrText);
}

function note(stream: string, n: number): Draft {
  return { stream, type: "x.note@1", data: { n } };
}

function rawOf({ lines }: Bundle): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function resign(bundle: Bundle, lines: readonly Line[], by: ReturnType<typeof newSigner>): void {
  bundle.lines = [...lines];
  bundle.checkpoint = checkpointOf(lines, by);
  bundle.key = by.vkey;
}

function edit(lines: Line[], index: number, change: Partial<Line>): void {
  lines[index] = { ...(lines[index] ?? expect.fail()), ...change };
}

function renumber(changed: readonly Line[], lines: Line[]): void {
  lines.splice(0, lines.length, ...changed.map((line, index) => ({ ...line, seq: index + 1 })));
}

/** Other data with a matching header, but the old hash. */
function withData(lines: readonly Line[], index: number, data: string): Partial<Line> {
  const { header, salt } = lines[index] ?? expect.fail();
  const dataHash = hashOf(Buffer.from(salt ?? "", "hex"), data);
  return { data: base64(data), header: header.replace(/"dataHash":"[0-9a-f]+"/, `"dataHash":"${dataHash}"`) };
}

function rehashed(lines: readonly Line[], index: number, data: string): Partial<Line> {
  const changed = withData(lines, index, data);
  const prev = Buffer.from(lines[index]?.prev ?? "", "hex");
  return { ...changed, hash: hashOf(prev, changed.header ?? "") };
}

function hashOf(...parts: readonly (Buffer | string)[]): string {
  return sha256(...parts).toString("hex");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
