import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect } from "vitest";
import { needs } from "../../../../test/support/needs.ts";
import { proves } from "../../../../test/support/proves.ts";
import { eventually, type Rehearsal, readAll, rehearse } from "../../../../test/support/rehearsal.ts";
import { systemClock } from "../../machine/clock.ts";
import { findBubblewrap } from "../find-bubblewrap.ts";
import type { Walls } from "../walls.ts";
import { createHeldFiles } from "./held-files.ts";

const found = needs("bwrap") ? await findBubblewrap(process.env["PATH"] ?? "") : { missing: "bwrap" };
const bwrapPath = "path" in found ? found.path : "";
const provesWall = proves.skipIf(!needs("bwrap"));
const WALLS: Walls = { mounts: [], programs: [], home: null, temp: null, door: null };

/** A store outside, with hard links to its files in the workspace. */
function storeOf(stage: Rehearsal) {
  const store = join(stage.directory, "store");
  mkdirSync(store);
  let count = 0;
  const at = (path: string) => join(stage.workspace, path);
  const link = (path: string): string => {
    count += 1;
    const file = join(store, String(count));
    writeFileSync(file, "theirs\n");
    mkdirSync(join(at(path), ".."), { recursive: true });
    linkSync(file, at(path));
    return file;
  };
  return { link, at };
}

function held(stage: Rehearsal, limits = { entriesMax: 10_000, mountsMax: 32 }, apart: readonly string[] = []) {
  const ground = { roots: [stage.workspace], apart: new Set(apart) };
  const list = createHeldFiles(systemClock(), limits).list(ground);
  return list.map(({ path }) => relative(stage.workspace, path)).toSorted();
}

describe("files held read-only in a writable directory", () => {
  proves("WL-21", "files with hard links outside are held; files with all their links inside are not", async () => {
    await using stage = rehearse({ bwrapPath: null });
    const { link, at } = storeOf(stage);
    link("a/linked");
    link("three");
    linkSync(at("three"), at("a/again"));
    writeFileSync(at("own"), "");
    linkSync(at("own"), at("a/own-again"));
    expect(held(stage)).toEqual(["a/again", "a/linked", "three"]);
  });

  proves("WL-21", "a link in a read-only part counts as a link outside", async () => {
    await using stage = rehearse({ bwrapPath: null });
    const { at } = storeOf(stage);
    mkdirSync(at(".git"));
    writeFileSync(at(".git/config"), "");
    linkSync(at(".git/config"), at("config"));
    expect(held(stage, undefined, [at(".git")])).toEqual(["config"]);
  });

  proves("WL-21", "thousands of linked files: their folder is held instead", async () => {
    await using stage = rehearse({ bwrapPath: null });
    const { link } = storeOf(stage);
    for (let n = 0; n < 60; n += 1) link(`node_modules/.pnpm/p${n}/node_modules/p/index.js`);
    link("src/deep/one");
    expect(held(stage)).toEqual(["node_modules/.pnpm", "src/deep/one"]);
  });

  proves("WL-21", "a file name that is not valid text: its folder is held", async () => {
    await using stage = rehearse({ bwrapPath: null });
    const { link, at } = storeOf(stage);
    link("odd/plain");
    renameSync(at("odd/plain"), Buffer.concat([Buffer.from(`${at("odd")}/`), Buffer.from([0xff, 0xfe])]));
    expect(held(stage)).toEqual(["odd"]);
  });

  proves("WL-21", "folders beyond the search limit are held, installed packages before others", async () => {
    await using stage = rehearse({ bwrapPath: null });
    const { at } = storeOf(stage);
    for (let n = 0; n < 20; n += 1) {
      for (const folder of ["node_modules/p", "src"]) mkdirSync(at(`${folder}/${n}`), { recursive: true });
      writeFileSync(at(`src/${n}/file`), "");
    }
    expect(held(stage, { entriesMax: 45, mountsMax: 8 })).toEqual(["node_modules/p"]);
    for (let n = 0; n < 40; n += 1) mkdirSync(at(`top-${n}`));
    expect(() => held(stage, { entriesMax: 10, mountsMax: 32 })).toThrow(
      expect.objectContaining({ code: "sandbox_unavailable", remedy: expect.stringContaining("worktree") }),
    );
  });

  proves("WL-20", "an existing set-id program is held: writing it through memory would keep its bits", async () => {
    await using stage = rehearse({ bwrapPath: null });
    const { at } = storeOf(stage);
    writeFileSync(at("tool"), "");
    chmodSync(at("tool"), 0o4755);
    expect(held(stage)).toEqual(["tool"]);
  });
});

/** Ways to write to `linked`, a hard link to a file outside. */
const WAYS = {
  appending: "echo planted >> linked",
  truncating: "echo planted > linked",
  "a third name": "ln linked third; echo planted >> third",
  "another name": "mv linked other; echo planted >> other; mv a b; echo planted >> b/linked",
  "its mode": "chmod 777 linked a/linked",
  memory: `python3 -c "
import mmap; f = open('linked', 'r+b'); mmap.mmap(f.fileno(), 0)[:3] = b'pla'"`,
  "another process": `sh -c 'exec 3<>linked; echo planted >&3'`,
  "a folder of many": "for f in many/*/x; do echo planted >> $f; done; mv many more; echo planted >> more/1/x",
};

describe.skipIf(!needs("bwrap"))("held files behind walls", () => {
  provesWall("WL-21", "a file with a link outside cannot be written in any of these ways", async () => {
    await using stage = rehearse({ bwrapPath });
    await using open = rehearse({ bwrapPath: null });
    const [walled, control] = [storeOf(stage), storeOf(open)];
    const isKept = async (on: Rehearsal, { link, at }: ReturnType<typeof storeOf>, n: number, script: string) => {
      const files = [link(`${n}/linked`), link(`${n}/a/linked`)];
      for (let m = 0; script.includes("many") && m < 140; m += 1) files.push(link(`${n}/many/${m}/x`));
      const { exit } = await readAll(
        on.shell(script, { cwd: at(String(n)), ...(on === stage ? { walls: WALLS } : {}) }),
      );
      expect(exit.failure).toBeUndefined();
      return files.every(
        (file) => readFileSync(file, "utf8") === "theirs\n" && (statSync(file).mode & 0o777) !== 0o777,
      );
    };
    for (const [n, [way, script]] of Object.entries(WAYS).entries()) {
      const kept = { control: await isKept(open, control, n, script), walled: await isKept(stage, walled, n, script) };
      expect({ way, ...kept }).toEqual({ way, control: false, walled: true });
    }
  });

  provesWall("WL-21", "unlinked files are writable as before, and the plan lists the held ones", async () => {
    await using stage = rehearse({ bwrapPath });
    const { link, at } = storeOf(stage);
    link("a/linked");
    writeFileSync(at("a/own"), "");
    const { stdout } = await readAll(
      stage.shell("cat a/linked; echo x > a/own && ln a/own a/two && mv a/two a/b && echo y >> a/b && cat a/own", {
        walls: WALLS,
      }),
    );
    expect(stdout).toBe("theirs\nx\ny\n");
    const { shown } = stage.host.plan({ ...stage.spec(["/bin/sh"]), walls: WALLS });
    expect(shown.find(({ path }) => path === at("a/linked"))).toMatchObject({ access: "read" });
  });

  const REPLACED = {
    "a guarded git dir by a new one": (at: (path: string) => string) => {
      renameSync(at("sub/.git"), at("sub/old"));
      mkdirSync(at("sub/.git"));
    },
    "the folder around it": (at: (path: string) => string) => {
      renameSync(at("sub"), at("old"));
      mkdirSync(at("sub/.git"), { recursive: true });
    },
    "a linked file by another": (at: (path: string) => string, link: (path: string) => string) => {
      link("new");
      renameSync(at("new"), at("linked"));
    },
  };
  for (const [what, replace] of Object.entries(REPLACED))
    provesWall("WL-24", `somebody outside replaces ${what}: the process behind the walls is ended`, async () => {
      await using stage = rehearse({ bwrapPath });
      const { link, at } = storeOf(stage);
      link("linked");
      mkdirSync(at("sub/.git"), { recursive: true });
      const walls: Walls = { ...WALLS, mounts: [{ path: at("sub/.git"), access: "read" }] };
      const running = readAll(stage.shell(": > ready; sleep 60", { walls }));
      await eventually(() => existsSync(at("ready")));
      replace(at, link);
      const { exit } = await running;
      expect(exit.failure).toMatchObject({
        code: "sandbox_failed",
        message: expect.stringContaining("replaced from outside"),
      });
    });

  provesWall(
    "WL-24",
    "a held file moved away stays read-only, a plain file replaces a linked one: the process runs on",
    async () => {
      await using stage = rehearse({ bwrapPath });
      const { at } = storeOf(stage);
      mkdirSync(at("sub/.git"), { recursive: true });
      const walls: Walls = { ...WALLS, mounts: [{ path: at("sub/.git"), access: "read" }] };
      const script = ": > ready; while [ ! -e go ]; do sleep 0.02; done; sleep 0.6; touch sub/old/x; echo ended";
      const running = readAll(stage.shell(script, { walls }));
      await eventually(() => existsSync(at("ready")));
      renameSync(at("sub/.git"), at("sub/old"));
      writeFileSync(at("go"), "");
      expect((await running).stdout).toBe("ended\n");
      expect(existsSync(at("sub/old/x"))).toBe(false);
    },
  );
});
