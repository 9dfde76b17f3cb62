import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { proves } from "../../../test/support/proves.ts";
import { type Rehearsal, readAll, rehearse } from "../../../test/support/rehearsal.ts";
import { createProcessHost } from "../processes/process-host.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import { runConfined } from "./run-confined.ts";
import type { Walls } from "./walls.ts";

const found = needs("bwrap") ? await findBubblewrap(process.env["PATH"] ?? "") : { missing: "bwrap" };
const bwrapPath = "path" in found ? found.path : "";
const provesWall = proves.skipIf(!needs("bwrap"));
const WALLS: Walls = { mounts: [], programs: [], home: null, temp: null, door: null };

function walled(stage: Rehearsal, script: string, walls: Partial<Walls> = {}, env: Record<string, string> = {}) {
  const spec = stage.spec([]);
  return readAll(stage.shell(script, { walls: { ...WALLS, ...walls }, env: { ...spec.env, ...env } }));
}

provesWall(
  "WL-1",
  "a strict process reads the system, writes one directory, and has its own home and temp directory",
  async () => {
    await using stage = rehearse({ bwrapPath });
    writeFileSync(join(stage.directory, "beside"), stage.secret);
    const script = `echo in > made; echo t > /tmp/t && echo h > ~/h && cat /tmp/t ~/h; cat ../beside; echo $HOME
    grep -q root /etc/passwd && echo system; git --version >/dev/null && echo git`;
    const { stdout, stderr } = await walled(stage, script);
    expect(stdout).toBe("t\nh\n/run/nomos/home\nsystem\ngit\n");
    expect(stderr).toMatch(/beside/);
    expect(readFileSync(join(stage.workspace, "made"), "utf8")).toBe("in\n");
    expect(readdirSync(stage.directory).sort()).toEqual(["beside", "home", "workspace"]);
  },
);

interface Attempt {
  readonly way: string;
  /** Prints ESCAPED if it got out; `$S` is a secret file outside, `$D` its directory. */
  readonly script: string;
  /** Whether the attack works without walls, as the control run checks; false for attacks that need a bare machine. */
  readonly control?: false;
}

const READ = (path: string) => `grep -q secret- "${path}" && echo ESCAPED`;

const ATTEMPTS: readonly Attempt[] = [
  { way: "reading a file beside", script: READ("$S") },
  { way: "reading by ..", script: READ("../outside/file") },
  { way: "reading by a link", script: `ln -s "$S" link; ${READ("link")}` },
  { way: "reading by the root of a process", script: `for p in /proc/[0-9]*/root; do ${READ("$p$S")}; done` },
  { way: "a hard link", script: `ln "$S" hard && ${READ("hard")}` },
  { way: "writing beside", script: `echo x > "$D/new" && echo ESCAPED` },
  { way: "writing to the system", script: `touch /usr/escaped 2>/dev/null && rm /usr/escaped && echo ESCAPED` },
  { way: "writing to /etc", script: `touch /etc/escaped 2>/dev/null && rm /etc/escaped && echo ESCAPED` },
  { way: "writing to the root directory", script: `mkdir /escaped 2>/dev/null && rmdir /escaped && echo ESCAPED` },
  { way: "reading what only root may", script: `[ -r /etc/shadow ] && [ -s /etc/shadow ] && echo ESCAPED` },
  {
    way: "the person's HOME",
    script: `[ -n "$(ls -A "$REAL_HOME" 2>/dev/null)" ] && [ -r "$REAL_HOME/$PROBE" ] && echo ESCAPED`,
  },
  { way: "a process of the host", script: `kill -0 "$DAEMON" && echo ESCAPED` },
  { way: "the environment of the daemon", script: `[ -r "/proc/$DAEMON/environ" ] && echo ESCAPED` },
  { way: "a user namespace", script: `unshare -U true && echo ESCAPED` },
  { way: "a mount namespace", script: `unshare -Urm true && echo ESCAPED` },
  { way: "a mount", script: `mkdir m; mount -t tmpfs none m && echo ESCAPED; umount m` },
  { way: "a sandbox in the sandbox", script: `bwrap --unshare-user --ro-bind / / true && echo ESCAPED` },
  {
    way: "changing a kernel setting",
    script: `cat /proc/sys/vm/swappiness > v; cat v > /proc/sys/vm/swappiness && echo ESCAPED`,
  },
  { way: "the program that core files go to", script: `[ -w /proc/sys/kernel/core_pattern ] && echo ESCAPED` },
  { way: "/sys", script: `[ -e /sys/kernel ] && echo ESCAPED` },
  { way: "a device file", script: `mknod d c 1 3 && echo ESCAPED` },
  {
    way: "a socket of the system",
    script: `ls /run/*.sock /run/*/*.sock /var/run/*.sock /run/dbus 2>/dev/null | grep -q . && echo ESCAPED`,
    control: false,
  },
  { way: "changing owner", script: `touch f; chown 12345 f && echo ESCAPED` },
  { way: "setuid programs", script: `su nobody -s /bin/sh -c 'echo ESCAPED'` },
  {
    way: "a TCP connection to the host",
    script: `curl -s -m 2 "http://127.0.0.1:$PORT/" | grep -q secret && echo ESCAPED`,
  },
  {
    way: "an abstract socket of the host",
    script: `python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect('\\0' + '$ABSTRACT'); print('ESCAPED')"`,
  },
  {
    way: "tracing a process",
    script: `sleep 9 & python3 -c "import ctypes; l = ctypes.CDLL(None); r = l.ptrace(16, $!, 0, 0); print('ESCAPED' if r == 0 else '')"; kill $!`,
  },
  {
    way: "the keyring",
    script: `python3 -c "import ctypes; print('ESCAPED' if ctypes.CDLL(None).syscall(250, 0, -3, 1) > 0 else '')"`,
  },
  { way: "vsock", script: `python3 -c "import socket; socket.socket(40, socket.SOCK_STREAM); print('ESCAPED')"` },
  {
    way: "raw packets",
    script: `python3 -c "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW); print('ESCAPED')"`,
  },
];

/** Something that a process inside walls must not see. It runs without walls first, to show that the attack works. */
async function attempt(stage: Rehearsal, script: string, isWalled: boolean, env: Record<string, string>) {
  const spec = stage.spec([]);
  const more = { env: { ...spec.env, ...env }, ...(isWalled ? { walls: WALLS } : {}) };
  const { stdout, exit } = await readAll(stage.shell(script, more));
  return { escaped: stdout.includes("ESCAPED"), started: exit.failure === undefined };
}

describe.skipIf(!needs("bwrap"))("attacks that work without walls fail behind them", () => {
  test.each(ATTEMPTS.map((one) => ({ control: true, ...one })))(
    "fails behind walls: $way",
    async ({ script, control }) => {
      await using stage = rehearse({ bwrapPath: null });
      await using wall = rehearse({ bwrapPath, copiesEtc: script.includes("/etc/") });
      const outside = join(stage.directory, "outside");
      mkdirSync(outside);
      writeFileSync(join(outside, "file"), stage.secret);
      await using served = await serveSecret(stage.instance);
      const personHome = process.env["HOME"] ?? "/";
      const env = {
        S: join(outside, "file"),
        D: outside,
        DAEMON: String(process.pid),
        PORT: String(served.port),
        ABSTRACT: served.abstract,
        REAL_HOME: personHome,
        PROBE: readdirSync(personHome)[0] ?? "",
        PATH: process.env["PATH"] ?? "",
      };
      if (control && process.getuid?.() === 0)
        expect(await attempt(stage, script, false, env)).toEqual({ escaped: true, started: true });
      symlinkSync(outside, join(wall.workspace, "there"));
      expect(await attempt(wall, script, true, env)).toEqual({ escaped: false, started: true });
    },
  );
});

async function serveSecret(name: string) {
  const abstract = `nomos-test-${createHash("sha256").update(name).digest("hex").slice(0, 12)}`;
  const answer = (socket: import("node:net").Socket) =>
    socket.on("error", () => undefined).end("HTTP/1.0 200 OK\r\n\r\nsecret");
  const [tcp, local] = [createServer(answer), createServer(answer)];
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => local.listen(`\0${abstract}`, resolve));
  const address = tcp.address();
  return {
    abstract,
    port: typeof address === "object" && address !== null ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      tcp.close();
      local.close();
    },
  };
}

describe.skipIf(!needs("bwrap"))("mounts of a strict process", () => {
  provesWall("WL-2", "a mount is readable, writable or hidden as asked; the innermost mount wins", async () => {
    await using stage = rehearse({ bwrapPath });
    const at = (...parts: string[]) => join(stage.workspace, ...parts);
    for (const name of ["src/deep", "docs", "secrets"]) mkdirSync(at(name), { recursive: true });
    writeFileSync(at("secrets", "key"), stage.secret);
    writeFileSync(at("file"), stage.secret);
    const script = `touch src/a; touch src/deep/b; touch docs/c; ls -A secrets; cat secrets/key file
      mv src/deep src/gone; mv secrets s2; mv src src2; ln -s /etc src/deep/link`;
    const { stdout } = await walled(stage, script, {
      mounts: [
        { path: at("src"), access: "read" },
        { path: at("src", "deep"), access: "write" },
        { path: at("docs"), access: "read" },
        { path: at("secrets"), access: "hidden" },
        { path: at("file"), access: "hidden" },
      ],
    });
    expect(stdout).toBe("");
    expect(readdirSync(at()).sort()).toEqual(["docs", "file", "secrets", "src"]);
    expect(readdirSync(at("src"))).toEqual(["deep"]);
    expect(readdirSync(at("src", "deep")).sort()).toEqual(["b", "link"]);
    expect(readdirSync(at("docs"))).toEqual([]);
  });

  provesWall("WL-2", "between a read-only directory and a writable one in it nothing can be written", async () => {
    await using stage = rehearse({ bwrapPath });
    const deep = join(stage.workspace, "a/b");
    mkdirSync(deep, { recursive: true });
    const mounts = [{ path: stage.workspace, access: "read" } as const, { path: deep, access: "write" } as const];
    const script = "touch a/b/x && echo in; touch a/x 2>/dev/null || echo shut; touch x 2>/dev/null || echo shut";
    expect((await walled(stage, script, { mounts })).stdout).toBe("in\nshut\nshut\n");
  });

  provesWall("WL-2", "a parent directory of a hidden one cannot be renamed from inside", async () => {
    await using stage = rehearse({ bwrapPath });
    mkdirSync(join(stage.workspace, "a", "b", "hidden"), { recursive: true });
    writeFileSync(join(stage.workspace, "a", "b", "hidden", "key"), stage.secret);
    const script = "mv a x; mv a/b a/x; rmdir a/b/hidden; cat */*/hidden/key x/*/*/key; ls";
    const mounts = [{ path: join(stage.workspace, "a", "b", "hidden"), access: "hidden" as const }];
    const { stdout, stderr } = await walled(stage, script, { mounts });
    expect(stdout).toBe("a\n");
    expect(stderr.match(/busy/g)).toHaveLength(3);
  });

  provesWall(
    "WL-2",
    "a directory that was replaced by a link is not mounted, whatever the link points to",
    async () => {
      await using stage = rehearse({ bwrapPath });
      const outside = join(stage.directory, "outside");
      mkdirSync(outside);
      const tree = join(stage.workspace, "tree");
      const swapped = [{ path: tree, access: "write" as const }];
      symlinkSync(outside, tree);
      const refusal = expect.objectContaining({ code: "sandbox_unavailable" });
      expect(() => stage.shell("touch made", { cwd: tree, walls: WALLS })).toThrow(refusal);
      expect(() => stage.shell("touch tree/made", { walls: { ...WALLS, mounts: swapped } })).toThrow(refusal);
      await expect(runConfined(stage.host, { tree, argv: ["touch", "made"], timeMaxMs: 5000 })).rejects.toThrow(
        refusal,
      );
      expect(readdirSync(outside)).toEqual([]);
    },
  );

  const SWAPS = {
    "for good": (tree: string, outside: string) => `mv ${tree} ${tree}.away; ln -s ${outside} ${tree}; exec`,
    "for a moment": (tree: string, outside: string) =>
      `mv ${tree} ${tree}.away; ln -s ${outside} ${tree}; (sleep 0.05; rm ${tree}; mv ${tree}.away ${tree}) & exec`,
  };
  for (const [how, swap] of Object.entries(SWAPS))
    provesWall("WL-2", `a directory replaced by a link ${how} while the sandbox starts is not mounted`, async () => {
      await using stage = rehearse({ bwrapPath });
      const outside = join(stage.directory, "outside");
      const tree = join(stage.workspace, "tree");
      for (const one of [outside, tree]) mkdirSync(one);
      writeFileSync(join(outside, "file"), stage.secret);
      // Forces the race between plan and mounts.
      const late = join(stage.directory, "late-bwrap");
      writeFileSync(late, `#!/bin/sh\n${swap(tree, outside)} ${bwrapPath} "$@"\n`, { mode: 0o755 });
      await using host = createProcessHost({ home: stage.home, bwrapPath: late, closedRoots: [], copiesEtc: false });
      const argv = ["/bin/sh", "-c", "cat file; touch made; echo ran"];
      const ran = runConfined(host, { tree, argv, timeMaxMs: 10_000 });
      await expect(ran).rejects.toThrow(expect.objectContaining({ code: "sandbox_failed" }));
      expect(existsSync(join(outside, "made"))).toBe(false);
    });

  provesWall("WL-1", "the Nomos home is hidden even where the working directory contains it", async () => {
    await using stage = rehearse({ bwrapPath });
    const script = `ls -A home; cat home/token; mv home h2; mkdir -p home/x; cat h2/token; ls`;
    const { stdout } = await readAll(stage.shell(script, { cwd: stage.directory, walls: WALLS }));
    expect(stdout).toBe("home\nworkspace\n");
  });

  provesWall("WL-1", "a working directory that is the system or a person's home is refused", async () => {
    await using stage = rehearse({ bwrapPath });
    for (const cwd of ["/", "/usr/lib", "/etc"])
      expect(() => stage.shell("true", { cwd, walls: WALLS })).toThrow(
        expect.objectContaining({ code: "sandbox_unavailable" }),
      );
    const env = { ...stage.spec([]).env, HOME: stage.workspace };
    expect(() => stage.shell("true", { env, walls: WALLS })).toThrow(
      expect.objectContaining({ code: "sandbox_unavailable" }),
    );
  });

  proves.skipIf(!needs("bwrap") || process.getuid?.() !== 0)(
    "WL-22",
    "a mount that shows the system or a person's home under another name is refused as working directory",
    async () => {
      await using stage = rehearse({ bwrapPath });
      const at = (name: string) => join(stage.directory, name);
      for (const name of ["person/project", "alias", "above", "system"]) mkdirSync(at(name), { recursive: true });
      const env = { ...stage.spec([]).env, HOME: at("person") };
      const mounted: string[] = [];
      const bind = (from: string, to: string): void => {
        execFileSync("mount", ["--bind", from, to]);
        mounted.push(to);
      };
      try {
        bind(at("person"), at("alias"));
        bind(stage.directory, at("above"));
        bind("/usr", at("system"));
        for (const cwd of ["alias", "above", "above/person", "system", "system/lib"])
          expect(() => stage.shell("true", { cwd: at(cwd), env, walls: WALLS }), cwd).toThrow(
            expect.objectContaining({ code: "sandbox_unavailable" }),
          );
        const { exit } = await readAll(stage.shell("true", { cwd: at("alias/project"), env, walls: WALLS }));
        expect(exit).toMatchObject({ exitCode: 0 });
      } finally {
        for (const path of mounted.toReversed()) execFileSync("umount", [path]);
      }
    },
  );

  provesWall("WL-1", "without bubblewrap, strict does not start", async () => {
    await using stage = rehearse({ bwrapPath: null });
    expect(() => stage.shell("true", { walls: WALLS })).toThrow(
      expect.objectContaining({ code: "sandbox_unavailable", remedy: expect.stringContaining("bubblewrap") }),
    );
  });

  provesWall(
    "WL-3",
    "variables that would load code into every program, and the person's own services, are not passed in",
    async () => {
      await using stage = rehearse({ bwrapPath });
      const env = {
        LD_PRELOAD: "/x.so",
        BASH_ENV: "/x",
        SSH_AUTH_SOCK: "/x",
        XDG_RUNTIME_DIR: "/run/user/0",
        HTTPS_PROXY: "http://u:s3cret@proxy.test",
        npm_config_registry: "https://u:s3cret@npm.test/",
        KEPT: "1",
      };
      const { stdout } = await walled(stage, "env", {}, env);
      expect(stdout).toContain("KEPT=1");
      expect(stdout).not.toMatch(/LD_PRELOAD|BASH_ENV|SSH_AUTH|XDG_RUNTIME|s3cret/);
    },
  );
});

describe.skipIf(!needs("bwrap"))("ordinary work behind walls", () => {
  const PATH = process.env["PATH"] ?? "";
  test.each([
    [
      "node",
      `node -e 'require("node:fs").writeFileSync("n", "1"); new (require("node:worker_threads").Worker)("1", {eval: true}); setTimeout(() => console.log("fine"), 50)'`,
    ],
    [
      "python3",
      `python3 -c 'import subprocess, threading; threading.Thread(target=print, args=("fine",)).start(); subprocess.run(["true"], check=True)'`,
    ],
    [
      "git",
      `git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git fsck && echo fine`,
    ],
    ["a pipe of programs", `seq 1000 | sort -R | sort -n | tail -1 | grep -q 1000 && echo fine`],
    [
      "a local socket and a loopback server",
      `python3 -c "
import socket, threading
s = socket.create_server(('127.0.0.1', 0)); threading.Thread(target=lambda: s.accept()[0].sendall(b'fine')).start()
print(socket.create_connection(s.getsockname()).recv(9).decode())"`,
    ],
  ])("works behind walls: %s", async (_name, script) => {
    await using stage = rehearse({ bwrapPath });
    const { stdout, stderr } = await walled(stage, script, { programs: [process.execPath] }, { PATH });
    expect(stderr).not.toMatch(/not permitted|Read-only|not found/i);
    expect(stdout).toContain("fine");
  });
});

describe.skipIf(!needs("bwrap"))("a command with one writable tree", () => {
  provesWall("WL-4", "a program runs to its end with its input, and writes only in its tree", async () => {
    await using stage = rehearse({ bwrapPath });
    const argv = ["sh", "-c", `cat > got; touch ../beside; echo out; echo err >&2; exit 3`];
    const answer = await runConfined(stage.host, { tree: stage.workspace, argv, input: ["a", "b"], timeMaxMs: 10_000 });
    expect(answer).toMatchObject({ exitCode: 3, timedOut: false });
    expect(answer.stdout.toString()).toBe("out\n");
    expect(answer.stderr).toContain("err\n");
    expect(readFileSync(join(stage.workspace, "got"), "utf8")).toBe("ab");
    expect(existsSync(join(stage.directory, "beside"))).toBe(false);
  });

  provesWall("WL-4", "a program in a tree inside the Nomos home sees nothing else of that home", async () => {
    await using stage = rehearse({ bwrapPath });
    const tree = join(stage.home, "workspaces", "own");
    const argv = ["sh", "-c", `ls ../..; cat ../../token; touch made`];
    const answer = await runConfined(stage.host, { tree, argv, timeMaxMs: 10_000 });
    expect(answer.stdout.toString()).toBe("workspaces\n");
    expect(readdirSync(tree)).toEqual(["made"]);
  });

  provesWall("WL-4", "a program that takes too long is ended, and the result says so", async () => {
    await using stage = rehearse({ bwrapPath });
    // After one millisecond it has not even started.
    for (const timeMaxMs of [1, 500]) {
      const answer = await runConfined(stage.host, { tree: stage.workspace, argv: ["sleep", "60"], timeMaxMs });
      expect(answer.timedOut).toBe(true);
    }
  });
});

describe.skipIf(!needs("bwrap") || process.getuid?.() !== 0)("walls as an ordinary user", () => {
  provesWall("WL-1", "the walls hold for an ordinary user too", async () => {
    await using stage = rehearse({ bwrapPath });
    const program = `
      import { createProcessHost } from ${JSON.stringify(new URL("../index.ts", import.meta.url))};
      import { runConfined } from ${JSON.stringify(new URL("./run-confined.ts", import.meta.url))};
      const host = createProcessHost(${JSON.stringify({ home: stage.home, bwrapPath })});
      const script = "id -u; touch made; touch ../beside; cat ../home/token; unshare -U true; echo 1 > /proc/sys/kernel/core_pattern; ls /";
      const answer = await runConfined(host, { tree: ${JSON.stringify(stage.workspace)}, argv: ["sh", "-c", script], timeMaxMs: 10000 });
      console.log(answer.stdout.toString()); console.error(answer.stderr);`;
    execFileSync("chown", ["-R", "65534:65534", stage.directory]);
    execFileSync("chmod", ["755", stage.directory]);
    const argv = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, "--input-type=module", "-"];
    const stdout = execFileSync("setpriv", argv, { input: program, encoding: "utf8", cwd: "/" });
    expect(stdout).toMatch(/^65534\n/);
    expect(stdout).not.toContain("home\n");
    expect(readdirSync(stage.workspace)).toEqual(["made"]);
    expect(readdirSync(stage.directory).sort()).toEqual(["home", "workspace"]);
  });
});
