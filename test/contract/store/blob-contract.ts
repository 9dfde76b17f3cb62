import { createHash, randomBytes } from "node:crypto";
import { describe, expect } from "vitest";
import { LIMITS } from "../../../src/kernel/index.ts";
import { proves } from "../../support/proves.ts";
import type { OpenStore } from "./describe-store.ts";

export function describeBlobs(open: OpenStore): void {
  describe("blobs", () => {
    proves("LOG-7", "bytes are found by their hash, also when stored concurrently and after a restart", async () => {
      await using at = await open();
      const all = [new Uint8Array(0), Buffer.from("hello"), randomBytes(100_000), Buffer.alloc(1_000_000, "ab")];
      const names = await Promise.all([...all, ...all].map((bytes) => at.store.putBlob(bytes)));
      expect(names).toEqual([...all, ...all].map((bytes) => createHash("sha256").update(bytes).digest("hex")));
      await at.reopen();
      for (const [n, bytes] of all.entries())
        expect(Buffer.from((await at.store.blob(names[n] ?? "")) ?? []).equals(bytes)).toBe(true);
    });

    proves("LOG-7", "an unknown hash, or a name that is not a hash, is not found", async () => {
      await using at = await open();
      for (const name of ["0".repeat(64), "", "../log.db", "A".repeat(64), "xyz"])
        expect(await at.store.blob(name)).toBeNull();
    });

    proves("LOG-7", "a damaged blob is named, never returned, and repaired by storing it again", async () => {
      await using at = await open();
      const bytes = randomBytes(5000);
      const name = await at.store.putBlob(bytes);
      await at.damageBlob(name);
      await expect(at.store.blob(name)).rejects.toMatchObject({ code: "log_corrupt", details: { blob: name } });
      expect(await at.store.putBlob(bytes)).toBe(name);
      expect(Buffer.from((await at.store.blob(name)) ?? []).equals(bytes)).toBe(true);
    });

    proves("LOG-20", "a blob over the size limit is refused", async () => {
      await using at = await open();
      const tooLarge = new Uint8Array(LIMITS.artifactBytes + 1);
      await expect(at.store.putBlob(tooLarge)).rejects.toMatchObject({ code: "payload_too_large" });
    });
  });
}
