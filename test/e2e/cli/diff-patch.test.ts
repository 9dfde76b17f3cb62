import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startDaemon } from "../../support/daemon.ts";
import { start, turn } from "../support/talk.ts";

const SCRIPT = `#!/bin/sh
printf 'new\\nlines\\n' > added.txt
printf 'no newline' > 'with blank.txt'
: > empty
printf 'x\\n' > 'ümlaut "quoted"'
mkdir -p deep/er && printf 'deep\\n' > deep/er/file
rm gone.txt
sed -i 's/line 5/LINE 5/; s/line 15/LINE 15/' text.txt
chmod 755 run.sh
ln -s text.txt link
ln -sfn added.txt moved
rm becomes && ln -s text.txt becomes
rm link2 && printf 'file\\n' > link2
printf 'changed\\r\\nwindows\\r\\n' > crlf.txt
printf '\\033[31mred\\033[0m and \\342\\200\\256bidi\\n' > escapes
head -c 3000 /dev/urandom > random
head -c 100 /dev/zero > zeros
printf 'now text\\n' > bytes
printf '\\000' > becomes-binary && chmod 755 becomes-binary
rm old-bytes
printf 'a\\ttab, \\303\\274\\n' > tabs
printf 'x\\n' > "$(printf 'b\\342\\200\\256idi')"
rm -- "$0"
`;

test("the diff of a turn in a pipe is a patch, and git apply makes the same files of it", async () => {
  const place = mkdtempSync(join(tmpdir(), "nomos-patch-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const [cwd, copy] = [join(place, "work"), join(place, "copy")];
  mkdirSync(cwd);
  const write = (path: string, text: string) => writeFileSync(join(cwd, path), text);
  write("text.txt", Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join(""));
  for (const path of ["gone.txt", "run.sh", "becomes"]) write(path, `${path}\n`);
  write("crlf.txt", "windows\r\n");
  for (const path of ["bytes", "old-bytes"]) write(path, "\0\u0001".repeat(50));
  write("becomes-binary", "text\n");
  chmodSync(join(cwd, "run.sh"), 0o644);
  for (const link of ["moved", "link2"]) symlinkSync("text.txt", join(cwd, link));
  write("change.sh", SCRIPT);
  execFileSync("git", ["init", "-q"], { cwd });
  cpSync(cwd, copy, { recursive: true, verbatimSymlinks: true });
  const before = await portrait(copy);
  const daemon = await startDaemon();
  const { id } = await start(daemon, { adapter: "demo", cwd });
  expect(await turn(daemon, id, "run sh change.sh")).toMatchObject({ outcome: "completed" });
  const { stdout, stderr, exitCode } = await daemon.cli("diff", id);
  expect(stdout).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}]/u);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  execFileSync("git", ["apply", "--check"], { cwd: copy, input: stdout, stdio: ["pipe", "pipe", "pipe"] });
  execFileSync("git", ["apply", "--whitespace=nowarn"], { cwd: copy, input: stdout });
  expect(await portrait(copy)).toEqual(await portrait(cwd));
  execFileSync("git", ["apply", "-R", "--whitespace=nowarn"], { cwd: copy, input: stdout });
  expect(await portrait(copy)).toEqual(before);
  await turn(daemon, id, "run head -c 300000 /dev/zero > large; echo text > text");
  const partly = await daemon.cli("diff", id);
  expect(partly.stderr).toBe("warning: large is not in the patch: too large\n");
  expect(partly.stdout).toMatch(/^diff --git a\/text b\/text\nnew file mode 100644\n[^z]*$/);
});

/** Every file with what git keeps of it. */
async function portrait(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => !entry.isDirectory() && !entry.parentPath.includes("/.git"))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const shown = path.slice(folder.length);
      if (entry.isSymbolicLink()) return `${shown} -> ${readlinkSync(path)}`;
      return `${shown} ${(statSync(path).mode & 0o100) !== 0} ${JSON.stringify(readFileSync(path, "latin1"))}`;
    })
    .toSorted();
}
