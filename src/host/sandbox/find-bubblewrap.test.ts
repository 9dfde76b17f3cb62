import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";

const directory = mkdtempSync(join(tmpdir(), "bubblewrap-"));
afterAll(() => rmSync(directory, { recursive: true }));

test.skipIf(!needs("bwrap"))("a working bubblewrap is found", async () => {
  expect(await findBubblewrap(`/no/such/place:${process.env["PATH"]}`)).toEqual({
    path: expect.stringMatching(/^\/.*bwrap$/),
    strict: null,
  });
});

test("without bubblewrap the answer says how to install it; a relative PATH entry does not count", async () => {
  const answer = { missing: "bwrap is not on PATH", remedy: "run: apt-get install bubblewrap" };
  expect(await findBubblewrap("")).toEqual(answer);
  expect(await findBubblewrap("/no/such/place:.:usr/bin")).toEqual(answer);
});

test.each([
  ["refuses", "echo 'bwrap: No permissions to create a new namespace' >&2; exit 1", /No permissions to create/],
  ["hangs", "exec sleep 1000", /does not work here/],
])("a bubblewrap that %s counts as missing", async (_, script, reason) => {
  writeFileSync(join(directory, "bwrap"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(directory, "bwrap"), 0o755);
  const startMs = performance.now();
  expect(await findBubblewrap(directory)).toEqual({
    missing: expect.stringMatching(reason),
    remedy: expect.stringContaining("user namespaces"),
  });
  expect(performance.now() - startMs).toBeLessThan(4_000);
});
