import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import {
  ESCAPE_UNMARKED,
  eventually,
  type Rehearsal,
  readAll,
  rehearse,
  runningOf,
} from "../../../test/support/rehearsal.ts";
import { findBubblewrap } from "../sandbox/find-bubblewrap.ts";
import { createProcessHost } from "./process-host.ts";

const found = needs("bwrap") ? await findBubblewrap(process.env["PATH"] ?? "") : { missing: "bwrap" };
const bwrapPath = "path" in found ? found.path : "";

describe.skipIf(!needs("bwrap"))("the home cannot be read from inside", () => {
  const WAYS: readonly { way: string; script: (stage: Rehearsal) => string }[] = [
    { way: "by its name", script: ({ home }) => `cat ${home}/token; grep -r secret ${home}` },
    { way: "by a link", script: ({ home }) => `ln -s ${home} way; cat way/token; ln -s ${home}/token t; cat t` },
    {
      way: "by the root of a process",
      script: ({ home }) => `for p in /proc/[0-9]*/root /proc/self/root; do cat $p${home}/token; done`,
    },
    {
      way: "by the cwd or an open directory of a process",
      script: () => "cat /proc/[0-9]*/cwd/../home/token /proc/[0-9]*/fd/*/token",
    },
    { way: "by a hard link", script: ({ home }) => `ln ${home}/token hard; cat hard` },
    { way: "by unmounting the cover", script: ({ home }) => `umount ${home}; umount -l ${home}; cat ${home}/token` },
    {
      way: "by moving the cover",
      script: ({ home }) => `mkdir m; mount --move ${home} m; mv ${home} x; cat ${home}/token x/token`,
    },
    {
      way: "by binding its parent directory",
      script: ({ home }) => `mkdir m; mount --bind ${home}/.. m; cat m/home/token`,
    },
    {
      way: "as root of a user namespace of its own",
      script: ({ home }) =>
        `mkdir m; unshare -Urm sh -c 'umount -l ${home}; mount --bind ${home}/.. m; cat ${home}/token m/home/token'`,
    },
    {
      way: "by the mounts of another process",
      script: ({ home }) => `nsenter -t 1 -m cat ${home}/token; nsenter -t 2 -m cat ${home}/token`,
    },
    { way: "by a sandbox in the sandbox", script: ({ home }) => `bwrap --unshare-user --bind / / cat ${home}/token` },
    { way: "by a copy of the daemon's environment", script: () => "cat /proc/[0-9]*/environ" },
  ];

  test.each(WAYS)("the home cannot be read $way", async ({ script }) => {
    await using stage = rehearse({ bwrapPath });
    const { stdout, stderr, exit } = await readAll(stage.shell(`${script(stage)}; echo done`));
    expect(exit).toEqual({ exitCode: 0, signal: null, outputDroppedBytes: 0 });
    expect(stdout).toMatch(/done\n$/);
    expect(stdout + stderr).not.toContain(stage.secret);
  });

  test("the home cannot be read through the disk device below it", async () => {
    await using stage = rehearse({ bwrapPath });
    const script =
      "mknod disk b 254 0; find /dev . -type b | while read -r d; do head -c 1 $d > read && echo $d; done; echo done";
    expect((await readAll(stage.shell(script))).stdout).toBe("done\n");
  });

  test("the home cannot be read by a program that the kernel runs outside the sandbox", async () => {
    await using stage = rehearse({ bwrapPath });
    const handlers =
      "/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /sys/kernel/uevent_helper /sys/fs/cgroup/*";
    const script = `for f in ${handlers}; do [ -w $f ] && echo $f; done; echo done`;
    expect((await readAll(stage.shell(script))).stdout).toBe("done\n");
  });

  test("a home that the daemon knows by a symlink cannot be read", async () => {
    await using stage = rehearse({ bwrapPath });
    const link = join(stage.directory, "linked-home");
    symlinkSync(stage.home, link);
    await using host = createProcessHost({ home: link, bwrapPath });
    const script = `cat ${link}/token ${stage.home}/token`;
    const { stdout, stderr } = await readAll(host.spawn(stage.spec(["/bin/sh", "-c", script])));
    expect(stdout).toBe("");
    expect(stderr.match(/No such file/g)).toHaveLength(2);
    const own = join(link, "workspaces", "own");
    const inside = host.spawn(stage.spec(["/bin/pwd"], { cwd: own, readBack: [own] }));
    expect((await readAll(inside)).stdout).toBe(`${stage.home}/workspaces/own\n`);
  });

  test("the home cannot be read when it, a part of it or /proc is mounted a second time", async () => {
    await using stage = rehearse({ bwrapPath });
    for (const name of ["whole", "around", "part", "proc"]) mkdirSync(join(stage.directory, name));
    mkdirSync(join(stage.home, "vault"));
    writeFileSync(join(stage.home, "vault", "key"), stage.secret);
    writeFileSync(join(stage.directory, "token-file"), "");
    const inside = `
      cat ../whole/token ../around/home/token ../part/key ../token-file
      for p in ../proc/[0-9]*; do cat $p/root${stage.home}/token; done; echo done`;
    const program = `
      import { createProcessHost } from ${JSON.stringify(new URL("../index.ts", import.meta.url))};
      const host = createProcessHost(${JSON.stringify({ home: stage.home, bwrapPath })});
      const child = host.spawn(${JSON.stringify(stage.spec(["/bin/sh", "-c", inside]))});
      for await (const { bytes } of child.output) process.stdout.write(bytes);
      console.log(JSON.stringify(await child.exited));`;
    const mounts = `
      mount --bind home whole; mount --rbind . around; mount --bind home/vault part; mount --bind home/token token-file
      mount --rbind /proc proc; cat whole/token part/key token-file proc/self/root${stage.home}/token > before
      exec "$0" --input-type=module -`;
    const stdout = execFileSync(
      "/bin/sh",
      ["-c", 'exec unshare --user --map-root-user --mount -- /bin/sh -ec "$@"', "sh", mounts, process.execPath],
      { cwd: stage.directory, input: program, encoding: "utf8" },
    );
    expect(readFileSync(join(stage.directory, "before"), "utf8")).toBe(stage.secret.repeat(4));
    expect(stdout).toContain("done\n");
    expect(stdout).toContain('{"exitCode":0,"signal":null');
    expect(stdout).not.toContain(stage.secret);
  });

  proves("WL-6", "another sandbox moves the home's parent during a start: the home cannot be read", async () => {
    await using stage = rehearse({ bwrapPath });
    const deep = join(stage.directory, "deep", "er");
    mkdirSync(deep, { recursive: true });
    renameSync(stage.home, join(deep, "home"));
    const home = join(deep, "home");
    await using host = createProcessHost({ home, bwrapPath });
    const swap = `for i in 1 2 3 4 5 6 7 8; do for d in "$1" "$1/deep" "$1/deep/er"; do
      mv $d $d.away && mkdir -p $1/deep/er/home && echo moved; mv $d.away $d; done; done; echo tried`;
    const swapping = readAll(host.spawn(stage.spec(["/bin/sh", "-c", swap, "swap", stage.directory])));
    const looks = Array.from({ length: 4 }, () =>
      readAll(host.spawn(stage.spec(["/bin/sh", "-c", `cat ${stage.directory}*/deep*/er*/home/token; echo looked`]))),
    );
    for (const { stdout } of await Promise.all(looks)) expect(stdout).toBe("looked\n");
    const { stdout, stderr } = await swapping;
    expect(stdout).toBe("tried\n");
    expect(stderr).toContain("busy");
  });

  test("the home cannot be written from inside", async () => {
    await using stage = rehearse({ bwrapPath });
    const { stderr } = await readAll(
      stage.shell(`echo planted > ${stage.home}/config.json; mkdir ${stage.home}/x; rmdir ${stage.home}`),
    );
    expect(stderr.match(/Read-only file system|busy/g)).toHaveLength(3);
    expect(readdirSync(stage.home).sort()).toEqual(["token", "workspaces"]);
  });

  test("a directory shown again inside the home does not lead to the rest of the home", async () => {
    await using stage = rehearse({ bwrapPath });
    mkdirSync(join(stage.home, "workspaces", "other"));
    const own = join(stage.home, "workspaces", "own");
    const script = `ls ..; ls ../..; cat ../../token; echo mine > file; echo foreign > ../file`;
    const { stdout, stderr } = await readAll(stage.shell(script, { cwd: own, readBack: [own] }));
    expect(stdout).toBe("own\nworkspaces\n");
    expect(stderr).toContain("Read-only file system");
    expect(readdirSync(own)).toEqual(["file"]);
  });
});

describe.skipIf(!needs("bwrap"))("programs and files that lie in the home", () => {
  test("a program inside the home is refused, by name and by link", async () => {
    await using stage = rehearse({ bwrapPath });
    const program = join(stage.home, "tool");
    copyFileSync("/bin/true", program);
    chmodSync(program, 0o755);
    symlinkSync(program, join(stage.workspace, "link"));
    for (const argv of [[program], ["./link"], ["/bin/true", program]]) {
      expect(() => stage.host.spawn(stage.spec(argv))).toThrow(expect.objectContaining({ code: "program_hidden" }));
    }
  });

  test("of two programs on the PATH the visible one runs", async () => {
    await using stage = rehearse({ bwrapPath });
    writeFileSync(join(stage.home, "env"), "#!/bin/sh\necho hidden\n", { mode: 0o755 });
    const child = stage.host.spawn(stage.spec(["env"], { env: { PATH: `${stage.home}:/usr/bin:/bin` } }));
    expect((await readAll(child)).stdout).toContain("PWD=");
  });

  test("this Node runs inside the sandbox", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.host.spawn(stage.spec([process.execPath, "-p", "6 * 7"]));
    expect(await readAll(child)).toMatchObject({ stdout: "42\n", exit: { exitCode: 0 } });
  });
});

describe.skipIf(!needs("bwrap"))("a pid namespace of its own", () => {
  test("no process of the host is visible, also not the daemon", async () => {
    await using stage = rehearse({ bwrapPath });
    const script = `ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid} || echo unseen`;
    const { stdout } = await readAll(stage.shell(script));
    expect(Number(stdout.split("\n")[0])).toBeLessThan(6);
    expect(stdout).toContain("unseen");
  });

  test("stop ends a double fork with its own session, deaf to SIGTERM, with a cleaned environment", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell(`${ESCAPE_UNMARKED} while :; do sleep 1; done`);
    await eventually(() => existsSync(join(stage.workspace, "escaped")));
    await child.stop({ graceMs: 100 });
    expect(runningOf(stage.instance)).toEqual([]);
  });

  test("a program can use bubblewrap itself", async () => {
    await using stage = rehearse({ bwrapPath });
    const child = stage.shell(
      "bwrap --unshare-user --unshare-pid --die-with-parent --ro-bind / / --dev /dev sh -c 'echo nested; sleep 1000'",
    );
    await child.output[Symbol.asyncIterator]().next();
    await child.stop();
    expect(runningOf(stage.instance)).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0)("root inside can still install packages and switch users", async () => {
    await using stage = rehearse({ bwrapPath });
    const { stdout } = await readAll(
      stage.shell("touch f; chown 1:1 f; stat -c %u f; su nobody -s /bin/sh -c 'id -un'"),
    );
    expect(stdout).toBe("1\nnobody\n");
  });

  test("a sandbox that cannot be made fails with bubblewrap's own message", async () => {
    await using stage = rehearse({ bwrapPath });
    const broken = join(stage.directory, "broken-bwrap");
    writeFileSync(broken, "#!/bin/sh\necho 'bwrap: no' >&2; exit 1\n", { mode: 0o755 });
    await using host = createProcessHost({ home: stage.home, bwrapPath: broken });
    const { stderr, exit } = await readAll(host.spawn(stage.spec(["/bin/true"])));
    expect(stderr).toBe("bwrap: no\n");
    expect(exit).toMatchObject({ exitCode: 1, failure: { code: "sandbox_failed" } });
  });
});
