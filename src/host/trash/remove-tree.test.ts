import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { systemClock } from "../machine/clock.ts";
import { removeTree } from "./remove-tree.ts";
import { openTrash } from "./trash.ts";

function newRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "nomos-trash-"));
  onTestFinished(() => void spawnSync("rm", ["-rf", "--", root]));
  return root;
}

/** A tree deeper than any path can name, with a closed folder at the end. */
const DEEP = `
import os, sys
os.chdir(sys.argv[1])
for step in range(int(sys.argv[2])):
    os.mkdir("d" * 180); os.chdir("d" * 180)
os.mkdir("closed"); open("closed/file", "w").close(); os.chmod("closed", 0)
`;

proves.skipIf(!needs("python3"))(
  "SV-1",
  "a tree deeper than the longest path is removed, unreadable folders included",
  async () => {
    const top = join(newRoot(), "top");
    mkdirSync(top);
    execFileSync("python3", ["-c", DEEP, top, "400"]);
    expect(await removeTree(top)).toEqual([]);
    expect(existsSync(top)).toBe(false);
  },
);

proves("SV-1", "links, pipes, sockets, odd names and unreadable folders are removed; link targets stay", async () => {
  const root = newRoot();
  const top = join(root, "top");
  const beside = join(root, "beside");
  for (const path of [beside, join(top, "closed", "inner"), join(top, "read-only")])
    mkdirSync(path, { recursive: true });
  for (const path of [join(beside, "kept"), join(top, "closed/inner/f"), join(top, "read-only/f")])
    writeFileSync(path, "x");
  symlinkSync(beside, join(top, "link"));
  symlinkSync(join(beside, "kept"), join(top, "file-link"));
  symlinkSync("nowhere", join(top, "dangling"));
  execFileSync("mkfifo", [join(top, "pipe")]);
  writeFileSync(Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff, 0xfe, 0x0a])]), "");
  for (let n = 0; n < 200; n += 1) writeFileSync(join(top, `f${n}`), "");
  chmodSync(join(top, "closed/inner"), 0);
  chmodSync(join(top, "closed"), 0);
  chmodSync(join(top, "read-only"), 0o555);
  expect(await removeTree(top)).toEqual([]);
  expect(existsSync(top)).toBe(false);
  expect(readFileSync(join(beside, "kept"), "utf8")).toBe("x");
  // A link at the top is removed, not its target.
  symlinkSync(beside, top);
  expect(await removeTree(top)).toEqual([]);
  expect(existsSync(join(beside, "kept"))).toBe(true);
  expect(await removeTree(top)).toEqual([]);
});

proves("SV-1", "at its limit, or when it is stopped, a removal leaves the rest and names it", async () => {
  const top = join(newRoot(), "top");
  mkdirSync(top);
  for (let n = 0; n < 100; n += 1) writeFileSync(join(top, `f${n}`), "");
  expect(await removeTree(top, { entriesMax: 40 })).toEqual([{ path: top, reason: "too_many" }]);
  expect(await removeTree(top, { signal: AbortSignal.abort() })).toEqual([{ path: top, reason: "stopped" }]);
  expect(await removeTree(top)).toEqual([]);
});

/** In a private mount namespace: a bind mount of a person's folder inside the tree to remove. */
proves.skipIf(!needs("smallDisk"))("SV-1", "a mount inside the tree is left alone and named", async () => {
  const root = newRoot();
  for (const name of ["top/a/mounted", "theirs"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "theirs/kept"), "x");
  writeFileSync(join(root, "top/a/gone"), "x");
  const script = `mount --bind "$1/theirs" "$1/top/a/mounted" && exec "$2" --input-type=module -e "
    const { removeTree } = await import(process.argv[1]);
    console.log(JSON.stringify(await removeTree(process.argv[2])));" "$3" "$1/top"`;
  const module = join(import.meta.dirname, "remove-tree.ts");
  const args = ["-rm", "sh", "-c", script, "sh", root, process.execPath, module];
  const { stdout, stderr } = spawnSync("unshare", args, { encoding: "utf8" });
  expect({ left: JSON.parse(stdout || "null"), stderr }).toMatchObject({
    left: [{ path: join(root, "top/a/mounted"), reason: "mount" }],
  });
  expect(existsSync(join(root, "theirs/kept"))).toBe(true);
  expect(existsSync(join(root, "top/a/gone"))).toBe(false);
});

proves.where(process.getuid?.() === 0)(
  "SV-1",
  "an ordinary user removes unreadable folders, and is told what belongs to others",
  () => {
    const root = newRoot();
    chmodSync(root, 0o777);
    const script = `
    mkdir -p "$1/top/a/b" "$1/top/none" && touch "$1/top/a/b/f" "$1/top/none/f" && chmod 0 "$1/top/none" && chmod 555 "$1/top/a/b" "$1/top/a" "$1/top"`;
    const as = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    execFileSync("setpriv", [...as, "sh", "-c", script, "sh", root]);
    mkdirSync(join(root, "top/a/foreign"), { mode: 0o755 });
    writeFileSync(join(root, "top/a/foreign/f"), "");
    const module = join(import.meta.dirname, "remove-tree.ts");
    const program =
      "const { removeTree } = await import(process.argv[1]); console.log(JSON.stringify(await removeTree(process.argv[2])));";
    const args = [...as, process.execPath, "--input-type=module", "-e", program, module, join(root, "top")];
    const { stdout, stderr } = spawnSync("setpriv", args, { encoding: "utf8" });
    expect({ left: JSON.parse(stdout || "null"), stderr }).toMatchObject({
      left: [{ path: join(root, "top/a/foreign/f"), reason: "EACCES" }],
    });
    expect(
      execFileSync("find", [join(root, "top"), "-mindepth", "1"], { encoding: "utf8" })
        .trim()
        .split("\n"),
    ).toHaveLength(3);
  },
);

proves("SV-2", "a discarded tree is out of the way at once; trash of an earlier daemon is removed too", async () => {
  const root = newRoot();
  const folder = join(root, "trash");
  mkdirSync(join(folder, "old/inner"), { recursive: true });
  mkdirSync(join(root, "filled/inner"), { recursive: true });
  chmodSync(join(root, "filled"), 0o555);
  const logged: string[] = [];
  const trash = openTrash({ folder, clock: systemClock(), log: (message) => void logged.push(message) });
  await trash.discard(join(root, "filled"));
  expect(existsSync(join(root, "filled"))).toBe(false);
  await trash.discard(join(root, "never-there"));
  await trash.settled();
  expect(spawnSync("ls", [folder], { encoding: "utf8" }).stdout).toBe("");
  expect([await trash.left(), logged]).toEqual([[], []]);
  await trash.stop();
  rmSync(root, { recursive: true });
});
