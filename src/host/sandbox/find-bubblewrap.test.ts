import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { needs } from "../../../test/support/needs.ts";
import { findProgram } from "../processes/find-program.ts";
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
  [
    "refuses",
    "echo 'bwrap: No permissions to create a new namespace' >&2; exit 1",
    /here: bwrap: No permissions to create/,
  ],
  ["hangs", "exec sleep 1000", /does not work here: ./],
])("a bubblewrap that %s counts as missing", async (_, script, reason) => {
  writeFileSync(join(directory, "bwrap"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(directory, "bwrap"), 0o755);
  const startMs = performance.now();
  expect(await findBubblewrap(directory, undefined, 500)).toEqual({
    missing: expect.stringMatching(reason),
    remedy: expect.stringContaining("user namespaces"),
  });
  expect(performance.now() - startMs).toBeLessThan(9_000);
});

test.skipIf(!needs("bwrap"))("walls that are not up in time are said to be late, not broken", async () => {
  const real = findProgram("bwrap", { searchPath: process.env["PATH"] ?? "", cwd: "/" })[0] ?? "";
  // The trial without walls makes no network namespace of its own.
  const script = `#!/bin/sh\ncase "$*" in *--unshare-net*|*--unshare-all*) sleep 30;; esac\nexec ${real} "$@"\n`;
  writeFileSync(join(directory, "bwrap"), script);
  chmodSync(join(directory, "bwrap"), 0o755);
  const found = await findBubblewrap(directory, undefined, 1_500);
  expect(found).toMatchObject({ strict: { missing: "its trial took more than 1500 ms" } });
});

describe("a bubblewrap that worked at the last start", () => {
  /** Works like the real one, and counts how often it is started. */
  const setUp = () => {
    const folder = mkdtempSync(join(directory, "counted-"));
    const [program, starts, file] = ["bwrap", "starts", "works"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const real = findProgram("bwrap", { searchPath: process.env["PATH"] ?? "", cwd: "/" })[0];
    const write = (before = "") => {
      writeFileSync(program, `#!/bin/sh\n${before}\necho >> ${starts}\nexec ${real} "$@"\n`);
      chmodSync(program, 0o755);
    };
    write();
    const find = (version = "1") => findBubblewrap(`${folder}:${process.env["PATH"]}`, { file, version });
    const tried = () => (existsSync(starts) ? readFileSync(starts, "utf8").length : 0);
    return { file, write, find, tried, works: { path: program, strict: null } };
  };

  test.skipIf(!needs("bwrap"))("is not tried again, until the program or our version changes", async () => {
    const { find, tried, write, works } = setUp();
    expect(await find()).toEqual(works);
    const once = tried();
    expect(once).toBeGreaterThan(0);
    expect(await find()).toEqual(works);
    expect(tried()).toBe(once);
    expect(await find("2")).toEqual(works);
    expect(tried()).toBe(2 * once);
    write("exit 1");
    expect(await find("2")).toHaveProperty("missing");
  });

  test.skipIf(!needs("bwrap"))("is tried again when what was remembered is torn", async () => {
    const { file, find, tried, works } = setUp();
    await find();
    const once = tried();
    writeFileSync(file, readFileSync(file, "utf8").slice(0, 20));
    expect(await find()).toEqual(works);
    expect(tried()).toBe(2 * once);
  });
});

describe.skipIf(!needs("bwrap"))("a bubblewrap whose walls cannot be trusted", () => {
  const real = findProgram("bwrap", { searchPath: process.env["PATH"] ?? "", cwd: "/" })[0];
  /** The real one, started without some of its arguments. */
  const without = (argument: string): string => {
    const folder = mkdtempSync(join(directory, "without-"));
    const script = `for arg do shift; [ "$arg" = ${argument} ] || set -- "$@" "$arg"; done\nexec ${real} "$@"\n`;
    writeFileSync(join(folder, "bwrap"), `#!/bin/sh\n${script}`);
    chmodSync(join(folder, "bwrap"), 0o755);
    return folder;
  };

  const interfaces = process.platform === "linux" ? readFileSync("/proc/net/dev", "utf8").split(":").length - 1 : 0;
  test.skipIf(interfaces < 2)(
    "may not run strict sandboxes, says which wall is missing, and is tried again at the next start",
    async () => {
      const folder = without("--unshare-net");
      const file = join(folder, "works");
      for (let start = 0; start < 2; start += 1)
        expect(await findBubblewrap(folder, { file, version: "1" })).toEqual({
          path: join(folder, "bwrap"),
          strict: { missing: "its walls do not hold: there is a network", remedy: expect.stringContaining("0.8") },
        });
      expect(existsSync(file)).toBe(false);
    },
  );

  test("is not trusted where it cannot be tried, and the answer names the temp directory", async () => {
    vi.stubEnv("TMPDIR", join(directory, "no-such-folder"));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await findBubblewrap(process.env["PATH"] ?? "")).toMatchObject({
      strict: {
        missing: expect.stringContaining(`it cannot be tried in ${join(directory, "no-such-folder")}`),
        remedy: expect.stringContaining("TMPDIR"),
      },
    });
  });
});
