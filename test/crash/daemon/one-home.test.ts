import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { daemonNote, newHome, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";

/** 201 when it was recorded. */
async function spawned(daemon: TestDaemon): Promise<number> {
  const cwd = join(dirname(daemon.home), "ground");
  return (await daemon.call("POST", "/sessions/agent", { adapter: "demo", cwd })).status;
}

async function refused(home: string, through: readonly string[] = []): Promise<string> {
  const second = startDaemon({ home, through });
  return second.then(
    () => "it came up",
    (error: Error) => /\((\w+)\)$/m.exec(error.message)?.[1] ?? error.message,
  );
}

proves.skipIf(!needs("mount"))(
  "NB-1",
  "a second daemon on one home by another name, in other namespaces, or after the lock file was removed or replaced: refused, and the first goes on",
  async () => {
    const first = await startDaemon();
    const beside = dirname(first.home);
    const [link, alias] = [join(beside, "link"), join(beside, "alias")];
    await symlink(first.home, link);
    await mkdir(alias);
    const bound = `mount --bind '${first.home}' '${alias}' && exec "$0" "$@"`;
    expect(await refused(link)).toBe("home_in_use");
    expect(await refused(`/proc/self/root${first.home}`)).toBe("home_in_use");
    expect(await refused(alias, ["unshare", "--mount", "sh", "-c", bound])).toBe("home_in_use");
    expect(await refused(first.home, ["unshare", "--mount", "--pid", "--fork", "--mount-proc"])).toBe("home_in_use");

    const lock = join(first.home, "lock.db");
    await rm(lock);
    expect(await refused(first.home)).toBe("home_in_use");
    await rm(lock, { force: true });
    await writeFile(lock, "put here by a clean-up");
    expect(await refused(alias, ["unshare", "--mount", "sh", "-c", bound])).toBe("home_in_use");
    for (const name of await readdir(first.home)) if (name.startsWith("lock.db")) await rm(join(first.home, name));
    expect(await refused(first.home)).toBe("home_in_use");

    expect(await spawned(first)).toBe(201);
    expect(await daemonNote(first.home)).toMatchObject({ pid: first.pid });
    expect(await first.stop()).toBe(0);
    expect(await refused(first.home)).toBe("it came up");
  },
);

proves(
  "NB-2",
  "where directories cannot be locked, a paused daemon whose home was taken over ends by itself and writes nothing",
  async () => {
    const env = { PATH: await pathWithout("flock") };
    const home = await newHome();
    const first = await startDaemon({ home, env });
    const ended = once(first.child, "exit");
    expect(await spawned(first)).toBe(201);
    const second = await takeOver(first, () => startDaemon({ home, env }));
    expect(await spawned(second)).toBe(201);
    first.child.kill("SIGCONT");
    expect(await spawned(first).catch(() => 0)).not.toBe(201);
    expect(await ended).toEqual([6, null]);
    expect(await daemonNote(home)).toMatchObject({ pid: second.pid });
    expect(await spawned(second)).toBe(201);
    const { body } = await second.call<{ ok: boolean }>("GET", "/api/doctor");
    expect(body.ok).toBe(true);
  },
);

proves("NB-2", "where directories cannot be locked, a removed lock file is created again within seconds", async () => {
  const env = { PATH: await pathWithout("flock") };
  const first = await startDaemon({ env });
  await rm(join(first.home, "lock.db"));
  await expect.poll(() => readdir(first.home), { timeout: 20_000 }).toContain("lock.db");
  await expect(startDaemon({ home: first.home, env })).rejects.toThrow("home_in_use");
  expect(await spawned(first)).toBe(201);
});

proves("NB-3", "rubbish in place of the lock file: the daemon starts and moves it aside", async () => {
  const home = await newHome();
  await mkdir(home, { mode: 0o700 });
  const lock = join(home, "lock.db");
  const plant: Readonly<Record<string, () => unknown>> = {
    text: () => writeFile(lock, "x".repeat(5000)),
    folder: () => mkdir(join(lock, "below"), { recursive: true }),
    pipe: () => spawnSync("mkfifo", [lock]),
    "link to nothing": () => symlink(join(home, "nowhere", "lock"), lock),
  };
  for (const put of Object.values(plant)) {
    await rm(lock, { force: true });
    await put();
    const daemon = await startDaemon({ home });
    expect(await spawned(daemon)).toBe(201);
    expect(await daemon.stop()).toBe(0);
  }
  const aside = (await readdir(home)).filter((name) => name.startsWith("aside-") && name.endsWith("-lock.db"));
  expect(aside).toHaveLength(Object.keys(plant).length);
});

const TAKE_OVER_TRIES = 20;

/**
 * Pauses the first daemon and starts the second. If the first was paused during a write it holds the log: try again.
 */
async function takeOver(first: TestDaemon, start: () => Promise<TestDaemon>): Promise<TestDaemon> {
  for (let tries = 1; ; tries += 1) {
    first.child.kill("SIGSTOP");
    for (const name of await readdir(first.home))
      if (name.startsWith("lock.db")) await rm(join(first.home, name), { force: true });
    try {
      return await start();
    } catch (thrown) {
      if (tries === TAKE_OVER_TRIES || !String(thrown).includes("database is locked")) throw thrown;
      first.child.kill("SIGCONT");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** A PATH with everything except one program. */
async function pathWithout(program: string): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-path-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const folders = (process.env["PATH"] ?? "").split(":").toReversed();
  for (const place of folders)
    for (const name of await readdir(place).catch(() => []))
      if (name !== program) {
        await rm(join(folder, name), { force: true });
        await symlink(join(place, name), join(folder, name));
      }
  return folder;
}
