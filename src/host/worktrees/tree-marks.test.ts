import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { setUpBench } from "../../../test/support/worktree-bench.ts";

proves(
  "WT-14",
  "whatever was changed is put back as it was: bytes, modes, links, odd names, folders for files",
  async () => {
    using bench = setUpBench();
    const odd = (root: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xfe, 0x41, 0x0a])]);
    writeFileSync(odd(bench.repo), "odd\r\n");
    bench.write(join(bench.repo, ".gitattributes"), "* text=auto eol=lf ident\n*.big filter=lfs\n");
    bench.write(join(bench.repo, "crlf.txt"), "one\r\ntwo $Id$\r\n");
    bench.write(join(bench.repo, "tool.sh"), "#!/bin/sh\n");
    execFileSync("chmod", ["+x", join(bench.repo, "tool.sh")]);
    symlinkSync("README.md", join(bench.repo, "link"));
    for (let n = 0; n < 1200; n += 1) bench.write(join(bench.repo, `many/${n}.txt`), `${n}\n`);
    bench.git(bench.repo, "add", "--all");
    bench.git(bench.repo, "commit", "--quiet", "-m", "odd");
    const { id, path } = await bench.worktree();
    writeFileSync(join(path, "crlf.txt"), "mixed\r\nand\n");
    const told = () =>
      execFileSync(
        "sh",
        [
          "-c",
          "find . -path ./.git -prune -o -printf '%P %m %l %y\\n' | sort; find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum",
        ],
        { cwd: path, encoding: "latin1" },
      );
    const before = told();
    const { marks } = bench.yard;
    await marks.set(id);
    rmSync(join(path, "many"), { recursive: true });
    symlinkSync("/etc", join(path, "many"));
    writeFileSync(odd(path), "changed");
    rmSync(join(path, "README.md"));
    mkdirSync(join(path, "README.md"));
    bench.write(join(path, "README.md/inside"), "x");
    rmSync(join(path, "link"));
    bench.write(join(path, "link"), "no link");
    execFileSync("chmod", ["-x", join(path, "tool.sh")]);
    bench.write(join(path, "crlf.txt"), "changed");
    bench.write(join(path, "-rf"), "x");
    bench.write(join(path, "new/deep.txt"), "x");
    const changed = await marks.changed(id);
    expect(changed).toHaveLength(1200 + 9);
    await marks.putBack(id, changed);
    rmSync(join(path, "new"), { recursive: true, force: true });
    expect(told()).toBe(before);
    expect(readFileSync("/etc/passwd", "utf8")).not.toBe("");
    expect(await marks.changed(id)).toEqual([]);
  },
);

proves("WT-14", "a mark stays until it is dropped", async () => {
  using bench = setUpBench();
  const { id, path } = await bench.worktree();
  const { marks } = bench.yard;
  await marks.set(id);
  bench.write(join(path, "one.txt"), "1");
  await marks.set(id);
  expect((await marks.changed(id)).map((one) => one.path)).toEqual(["one.txt"]);
  await marks.drop(id);
  await marks.set(id);
  expect(await marks.changed(id)).toEqual([]);
  expect(existsSync(join(path, "one.txt"))).toBe(true);
});
