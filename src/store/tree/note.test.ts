import { chmod, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { makeTestHome } from "../../../test/support/store-home.ts";
import { openLogKey } from "./log-key.ts";
import { isSignedBy, parseCheckpoint, parseSignatures, parseVerifierKey } from "./note.ts";

const HEAD = { size: 20852163, root: Buffer.from("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=", "base64") };

proves("AUD-5", "the example of C2SP signed-note verifies", () => {
  const key = parseVerifierKey("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k");
  const line =
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";
  const signatures = parseSignatures(line) ?? [];
  const note = { origin: "", ...HEAD, signatures };
  if (key === null) return expect.fail("no key");
  expect(key.text).toBe("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k");
  expect(isSignedBy({ ...note, text: "This is an example message.\n" }, key)).toBe(true);
  expect(isSignedBy({ ...note, text: "This is another message.\n" }, key)).toBe(false);
  expect(isSignedBy({ ...note, text: "This is an example message.\n", signatures: [] }, key)).toBe(false);
});

proves("AUD-5", "the example of C2SP tlog-checkpoint parses, and its signature covers its three lines", () => {
  const note = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`;
  const parsed = parseCheckpoint(note) ?? expect.fail("it does not parse");
  expect(parsed).toMatchObject({
    ...HEAD,
    origin: "example.com/behind-the-sofa",
    text: note.split("\n\n")[0]?.concat("\n"),
  });
  expect(parsed.signatures.map(({ name, keyId }) => [name, keyId])).toEqual([
    ["example.com/behind-the-sofa", "033de0ae"],
    ["witness.example.com/w1", "8d66cf3f"],
  ]);
});

proves("AUD-5", "a signed checkpoint verifies with the verifier key, and fails after any change", async () => {
  await using home = await makeTestHome();
  const key = await openLogKey(home.path);
  const note = key.sign(HEAD);
  expect(note.startsWith(`${key.verifier.name}\n20852163\n`)).toBe(true);
  const verifier = parseVerifierKey(await readFile(join(home.path, "key.pub"), "utf8")) ?? expect.fail("no key");
  const isGood = (text: string): boolean => {
    const parsed = parseCheckpoint(text);
    return parsed !== null && isSignedBy(parsed, verifier);
  };
  expect(isGood(note)).toBe(true);
  for (let at = 0; at < note.length; at += 1)
    expect(isGood(note.slice(0, at) + String.fromCharCode(note.charCodeAt(at) ^ 1) + note.slice(at + 1))).toBe(false);
  for (const text of ["", "\n\n", note.slice(0, -1), `${note}\n`, `\n${note}`, note.replace("\n\n", "\nmore\n\n")])
    expect(isGood(text)).toBe(false);
});

proves("AUD-5", "a verifier key with another name, id, type or length is refused", () => {
  const good = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
  const bad = [
    "",
    good.replace("foo", "bar"),
    good.replace("530d", "530e"),
    good.replace("+Ae", "+Be"),
    `${good}A`,
    "a+b",
  ];
  expect(bad.map(parseVerifierKey)).toEqual(bad.map(() => null));
});

proves("AUD-5", "the signing key is readable by its owner only, is made once, and keeps its name", async () => {
  await using home = await makeTestHome();
  const path = join(home.path, "log.key");
  const first = await openLogKey(home.path);
  expect(first.verifier.name).toMatch(/^nomos\/[0-9a-f]{8}$/);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await chmod(path, 0o644);
  await rm(join(home.path, "key.pub"));
  const again = await openLogKey(home.path);
  expect(again.verifier.text).toBe(first.verifier.text);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await readFile(join(home.path, "key.pub"), "utf8")).trim()).toBe(first.verifier.text);
  await writeFile(path, (await readFile(path, "utf8")).replace("nomos/", "nomad/"));
  await expect(openLogKey(home.path)).rejects.toMatchObject({ code: "checkpoint_invalid" });
});
