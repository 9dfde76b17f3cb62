import { execFileSync } from "node:child_process";
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import { afterEach, beforeEach, expect } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { readArchive } from "./archive/archive-file.ts";
import { copyBlobs } from "./backup/copy-blobs.ts";
import { takeCopy } from "./backup/take-copy.ts";
import { BLOB_BYTES_MAX, blobPath, createBlobs } from "./files/blobs.ts";

const MEBIBYTE = Buffer.alloc(1_048_576, "x");
const NAME = "ab".repeat(32);

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bombs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a small file that unpacks to `head` and the given number of MiB. */
async function packedBomb(path: string, head: string, mebibytes: number): Promise<void> {
  function* content() {
    yield head;
    for (let n = 0; n < mebibytes; n += 1) yield MEBIBYTE;
  }
  mkdirSync(dirname(path), { recursive: true });
  await pipeline(Readable.from(content()), createZstdCompress(), createWriteStream(path));
  expect(readFileSync(path).length).toBeLessThan(1_048_576);
}

proves("KEEP-9", "a blob of a few bytes that unpacks to more than any blob is refused, and named", async () => {
  await packedBomb(blobPath(folder, NAME), "", BLOB_BYTES_MAX / MEBIBYTE.length + 8);
  await expect(createBlobs(folder).get(NAME)).rejects.toMatchObject({
    code: "log_corrupt",
    details: { blob: NAME, problem: expect.stringContaining("unpacks to more than") },
  });
});

proves("KEEP-9", "an archive of a few bytes with an endless line is refused, and says which line", async () => {
  const path = join(folder, "bomb.jsonl.zst");
  await packedBomb(path, '{"nomos":"archive","format":1,"session":"s"}\n', 600);
  const reading = async () => {
    for await (const _line of readArchive(path));
  };
  await expect(reading()).rejects.toMatchObject({
    code: "archive_invalid",
    details: { line: 2, problem: expect.stringContaining("the line has more than") },
  });
});

proves(
  "KEEP-9",
  "a pipe or a link in the place of a backup's blob is no blob: it is missing, and nobody waits",
  async () => {
    const [from, to] = [join(folder, "from"), join(folder, "to")];
    const other = "cd".repeat(32);
    for (const name of [NAME, other]) mkdirSync(dirname(blobPath(from, name)), { recursive: true });
    execFileSync("mkfifo", [blobPath(from, NAME)]);
    writeFileSync(join(folder, "secret"), "secret");
    symlinkSync(join(folder, "secret"), blobPath(from, other));
    const { blobs, missing } = await copyBlobs([NAME, other], from, to);
    expect({ blobs, missing: missing.toSorted() }).toEqual({ blobs: 0, missing: [NAME, other] });
  },
);

proves("KEEP-9", "a backup whose log is longer than the disk is refused before it is copied", async () => {
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  for (const path of [from, to]) mkdirSync(path);
  writeFileSync(join(from, "log.db"), "");
  truncateSync(join(from, "log.db"), 8 * 1024 ** 4);
  const manifest = { format: 1, version: "0", madeAt: "", size: 1, root: "", missingBlobs: [], files: {} };
  await expect(takeCopy(from, manifest, to)).rejects.toMatchObject({ code: "disk_full", details: { file: "log.db" } });
});
