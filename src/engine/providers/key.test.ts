import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { resolveKey } from "./key.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nomos-key-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("a variable, trimmed; null when it is not set or empty", async () => {
  expect(await resolveKey({ env: "A" }, { A: "  sk-1\n" }, noVault)).toBe("sk-1");
  expect(await resolveKey({ env: "A" }, { A: "  " }, noVault)).toBeNull();
  expect(await resolveKey({ env: "A" }, {}, noVault)).toBeNull();
});

test("a file, trimmed", async () => {
  const file = join(folder, "key");
  await writeFile(file, "\n sk-2 \n");
  expect(await resolveKey({ file }, {}, noVault)).toBe("sk-2");
});

proves("MOD-3", "a file that is missing, empty or too large is named; its content is not", async () => {
  const empty = join(folder, "empty");
  const large = join(folder, "large");
  await writeFile(empty, " \n");
  await writeFile(large, "sk-secret ".repeat(10_000));
  await expect(resolveKey({ file: join(folder, "none") }, {}, noVault)).rejects.toThrow(
    /key file .*none cannot be read \(ENOENT\)/,
  );
  await expect(resolveKey({ file: folder }, {}, noVault)).rejects.toThrow(/EISDIR/);
  await expect(resolveKey({ file: empty }, {}, noVault)).rejects.toThrow(/empty is empty/);
  await expect(resolveKey({ file: large }, {}, noVault)).rejects.toThrow(
    /^The key file [^ ]*large is larger than 64 KB\.$/,
  );
});

proves("MOD-3", "a secret is read from the vault, trimmed; an error says which one and what to do", async () => {
  expect(await resolveKey({ secret: "openai" }, {}, async (name) => ` value of ${name}\n`)).toBe("value of openai");
  await expect(resolveKey({ secret: "openai" }, {}, noVault)).rejects.toThrow(
    "The key comes from the secret openai: The vault is locked. Run `nomos secret unlock`.",
  );
});

async function noVault(): Promise<string> {
  throw Object.assign(new Error("The vault is locked."), { remedy: "Run `nomos secret unlock`." });
}
