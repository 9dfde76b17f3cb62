import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { fact, sessionStream } from "../../../src/kernel/index.ts";
import type { BundleRequest, RecordedEvent, Store } from "../../../src/store/index.ts";
import { checkpointOf, newSigner } from "../../support/bundles.ts";
import { proves } from "../../support/proves.ts";
import {
  admitted,
  appendTo,
  event,
  everyEvent,
  makeTestHome,
  newId,
  note,
  openSession,
  SPEC,
} from "../../support/store-home.ts";
import { verdictOf } from "../../support/verifier.ts";
import type { OpenStore } from "./describe-store.ts";

const signer = newSigner();
const WRITE_EVERY_MS = 5;

export function describeBundles(open: OpenStore): void {
  describe("bundles", () => {
    proves("AUD-1", "the hashes after any position are those of the events, in order and without a gap", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      await appendTo(
        at.store,
        stream,
        Array.from({ length: 30 }, (_, n) => note(n)),
      );
      const expected = (await everyEvent(at.store)).map(({ seq, hash }) => ({ seq, hash }));
      for (const seq of [0, 1, 17, 30, 31, 40])
        for (const limit of [1, 7, 100]) {
          const found = await at.store.hashesAfter(seq, limit);
          expect(found.map(({ hash, ...rest }) => ({ ...rest, hash: Buffer.from(hash).toString("hex") }))).toEqual(
            expected.slice(seq, seq + limit),
          );
        }
    });

    proves("AUD-6", "a bundle equals the log byte for byte, as a folder and as a tar, and verifies", async () => {
      await using at = await open();
      await using place = await makeTestHome();
      const { blob, fork } = await history(at.store);
      const events = await everyEvent(at.store);
      for (const name of ["bundle", "bundle.tar"]) {
        const path = join(place.path, name);
        const report = await at.store.exportBundle({ path, ...signed(at.store) });
        expect(report).toEqual({ size: events.length, blobs: 1, missingBlobs: 0 });
        expect(await verdictOf(path, "--key", signer.vkey)).toMatchObject({ ok: true, size: events.length, erased: 1 });
      }
      const folder = join(place.path, "bundle");
      const lines = (await readFile(join(folder, "events.jsonl"), "utf8")).trimEnd().split("\n");
      expect(lines.map((line) => shown(JSON.parse(line)))).toEqual(events);
      expect(await readFile(join(folder, "blobs", blob), "utf8")).toBe("a letter");
      expect(events.some(({ stream }) => stream === fork)).toBe(true);
      await promisify(execFile)("tar", ["-xf", `${folder}.tar`, "-C", await made(join(place.path, "unpacked"))]);
      for (const file of ["events.jsonl", `blobs/${blob}`, "checkpoint", "key.pub"])
        expect(await readFile(join(place.path, "unpacked", file), "utf8")).toBe(
          await readFile(join(folder, file), "utf8"),
        );
      expect((await readdir(place.path)).toSorted()).toEqual(["bundle", "bundle.tar", "unpacked"]);
    });

    proves("AUD-6", "a bundle holds the log of one moment while writers go on", async () => {
      await using at = await open();
      await using place = await makeTestHome();
      const streams = await Promise.all(Array.from({ length: 2 }, () => openSession(at.store)));
      let writing = true;
      const writers = streams.map(async (stream) => {
        while (writing) {
          await appendTo(at.store, stream, [note("more"), note("x".repeat(5000))]);
          await sleep(WRITE_EVERY_MS);
        }
      });
      for (const name of ["one", "two.tar", "three"]) {
        const path = join(place.path, name);
        const { size } = await at.store.exportBundle({ path, ...signed(at.store) });
        expect(await verdictOf(path)).toMatchObject({ ok: true, size });
      }
      writing = false;
      await Promise.all(writers);
    });

    proves(
      "AUD-6",
      "data erased while a bundle is written is erased in the bundle too, with the event that says so",
      async () => {
        for (const name of ["bundle", "bundle.tar"]) {
          await using at = await open();
          await using place = await makeTestHome();
          const { stream, prompt, artifact } = await history(at.store);
          const { checkpoint, key } = signed(at.store);
          let asked = 0;
          const report = await at.store.exportBundle({
            path: join(place.path, name),
            key,
            checkpoint: async () => {
              asked += 1;
              const first = await checkpoint();
              if (asked === 1) await erase(at.store, stream, [prompt, artifact]);
              return first;
            },
          });
          expect(asked).toBe(2);
          expect(report.size).toBe(await at.store.lastSeq());
          expect(await verdictOf(join(place.path, name))).toMatchObject({
            ok: true,
            size: report.size,
            erased: 3,
            blobs: 0,
          });
        }
      },
    );

    proves("AUD-6", "a bundle overwrites nothing, and a failed one leaves nothing behind", async () => {
      await using at = await open();
      await using place = await makeTestHome();
      await openSession(at.store);
      const taken = [await made(join(place.path, "folder")), join(place.path, "file"), join(place.path, "file.tar")];
      for (const path of taken.slice(1)) await writeFile(path, "mine");
      for (const path of [...taken, `${taken[0]}/`])
        await expect(at.store.exportBundle({ path, ...signed(at.store) })).rejects.toMatchObject({
          code: "export_exists",
        });
      for (const name of ["failed", "failed.tar"]) {
        const failing = { path: join(place.path, name), key: "", checkpoint: () => Promise.reject(new Error("no")) };
        await expect(at.store.exportBundle(failing)).rejects.toThrow("no");
      }
      const nowhere = { path: join(place.path, "nowhere", "bundle"), ...signed(at.store) };
      await expect(at.store.exportBundle(nowhere)).rejects.toMatchObject({ code: "store_failed" });
      expect((await readdir(place.path)).toSorted()).toEqual(["file", "file.tar", "folder"]);
      expect(await readFile(join(place.path, "file"), "utf8")).toBe("mine");
    });

    proves("AUD-6", "a damaged blob is left out and counted, and the verifier misses it", async () => {
      await using at = await open();
      await using place = await makeTestHome();
      const { blob } = await history(at.store);
      await at.damageBlob(blob);
      const path = join(place.path, "bundle");
      expect(await at.store.exportBundle({ path, ...signed(at.store) })).toMatchObject({ missingBlobs: 1 });
      expect(await verdictOf(path)).toMatchObject({ ok: false, problem: { why: expect.stringContaining(blob) } });
    });

    proves("AUD-6", "only one export runs at a time, and closing the store ends it", async () => {
      await using at = await open();
      await using place = await makeTestHome();
      await openSession(at.store);
      const never = { path: join(place.path, "never"), key: "", checkpoint: () => new Promise<never>(() => undefined) };
      const waiting = at.store.exportBundle(never);
      const second = { path: join(place.path, "second"), ...signed(at.store) };
      await expect(at.store.exportBundle(second)).rejects.toMatchObject({ code: "overloaded" });
      await Promise.all([expect(waiting).rejects.toMatchObject({ code: "store_closed" }), at.reopen()]);
      expect(await readdir(place.path)).toEqual([]);
      await at.store.exportBundle({ ...second, ...signed(at.store) });
    });
  });
}

function signed(store: Store): Pick<BundleRequest, "key" | "checkpoint"> {
  return {
    key: signer.vkey,
    checkpoint: async () => {
      const events = await everyEvent(store);
      return { size: events.length, note: checkpointOf(events, signer) };
    },
  };
}

/** A session with a prompt, an artifact, an erasure and text that only looks like a blob's name, and a fork of it. */
async function history(store: Store) {
  const stream = await openSession(store);
  const blob = await store.putBlob(Buffer.from("a letter"));
  const artifactId = newId();
  const [prompt, artifact, secret] = await appendTo(store, stream, [
    admitted(newId(), "größer 😀\u0000"),
    fact("artifact.written@1", {
      path: "a.txt",
      artifactId,
      turnId: null,
      version: 1,
      blob,
      bytes: 8,
      mediaType: "text/plain",
    }),
    note({ secret: true }),
    note({ blob: "00".repeat(32) }),
  ]);
  if (prompt === undefined || artifact === undefined || secret === undefined) throw new Error("nothing was appended");
  await erase(store, stream, [secret]);
  const sessionId = stream.slice(sessionStream("").length);
  const from = { sessionId, stream, version: 2, eventId: prompt.id };
  const fork = sessionStream(newId());
  const view = { path: [], artifacts: {}, todo: [] };
  const forked = event(fact("session.forked@1", { spec: SPEC, label: null, from, root: sessionId, view }));
  const continues = { stream, version: 2 };
  await store.append([{ stream: fork, expectedVersion: 0, events: [forked], continues }], { fence: 0 });
  return { stream, blob, fork, prompt, artifact };
}

async function erase(store: Store, stream: string, events: readonly RecordedEvent[]): Promise<void> {
  const ids = events.map(({ id }) => id);
  await store.erase(stream, ids, event(fact("data.erased@1", { events: ids, reason: "asked to" })), { fence: 0 });
}

interface Line {
  readonly seq: number;
  readonly prev: string;
  readonly header: string;
  readonly hash: string;
  readonly data: string | null;
}

function shown({ seq, prev, header, hash, data }: Line): unknown {
  const { dataHash: _dataHash, ...members } = JSON.parse(header);
  return {
    seq,
    ...members,
    data: data === null ? null : JSON.parse(Buffer.from(data, "base64").toString()),
    hash,
    prev,
  };
}

async function made(path: string): Promise<string> {
  await mkdir(path);
  return path;
}
