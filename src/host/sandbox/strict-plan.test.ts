import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { HiddenPath } from "../processes/hidden-paths.ts";
import type { Ground, HeldFiles } from "./ground/held-files.ts";
import type { Planned } from "./planned.ts";
import { isShown, type PlanInput, strictPlan } from "./strict-plan.ts";
import type { Mount, Walls } from "./walls.ts";

const provesHere = proves.where(process.platform === "linux");
const WALLS: Walls = { mounts: [], programs: [], home: null, temp: null, door: null };

/** A workspace beside a person's HOME, with real directories. */
function setUp() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "nomos-plan-")));
  const at = (path: string) => join(top, path);
  for (const path of ["work/a/b/c", "work/dark", "person", "tools/bin", "other/inner"])
    mkdirSync(at(path), { recursive: true });
  writeFileSync(at("work/key"), "");
  const plan = (mounts: readonly Mount[] = [], more: Partial<PlanInput> = {}, walls: Partial<Walls> = {}) =>
    strictPlan({
      cwd: at("work"),
      searchPath: "",
      walls: { ...WALLS, mounts, ...walls },
      etc: "/etc",
      closed: [],
      hidden: [],
      personHome: at("person"),
      heldFiles: { list: () => [] },
      ...more,
    });
  const short = (one: Planned): string => {
    const path = one.path.replace(`${top}/`, "");
    if (one.kind === "cover") return `cover ${one.of} ${path}`;
    if (one.kind === "link") return `link ${path}`;
    return `${one.access} ${path}${one.from === one.path ? "" : ` from ${one.from.replace(`${top}/`, "")}`}`;
  };
  const shown = (...given: Parameters<typeof plan>) => plan(...given).shown.map(short);
  return { at, plan, shown, [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }) };
}

provesHere("WL-1", "the working directory is writable, the system readable, and nothing else is shown", () => {
  using stage = setUp();
  const { system, shown, ...rest } = stage.plan([], { etc: stage.at("other") }, { temp: "/t", home: "/h" });
  expect(shown).toMatchObject([
    { kind: "bind", path: stage.at("work"), access: "write", why: "the working directory" },
  ]);
  expect(system.filter((one) => one.kind === "bind" && one.access !== "read")).toEqual([]);
  expect(system).toContainEqual(expect.objectContaining({ path: "/etc", from: stage.at("other") }));
  expect(system).toContainEqual(expect.objectContaining({ path: "/usr", from: "/usr" }));
  expect(rest).toEqual({ etc: stage.at("other"), cwd: stage.at("work"), temp: "/t", home: "/h", door: null });
  const door = { socket: "/d", ports: [], environment: {} };
  expect(stage.plan([], {}, { door }).door).toBe("/d");
});

provesHere("WL-2", "the innermost mount counts, the last of several, and every directory on the way is pinned", () => {
  using stage = setUp();
  const { at, shown } = stage;
  expect(shown([{ path: at("work/a/b/c"), access: "read" }])).toEqual([
    ...["write work", "write work/a", "write work/a/b", "read work/a/b/c"],
  ]);
  const why = `on the way to a mount in ${at("work")}`;
  expect(stage.plan([{ path: at("work/a/b"), access: "read" }]).shown[1]).toMatchObject({ path: at("work/a"), why });
  expect(
    shown([
      { path: at("work/a"), access: "read" },
      { path: at("work/a"), access: "write" },
    ]),
  ).toEqual([...["write work", "write work/a"]]);
  const named = { path: "/seen", from: at("other"), access: "write" } as const;
  const inner = { path: "/seen/inner/x", from: at("work/a"), access: "read" } as const;
  expect(shown([named, inner]).filter((line) => line.includes("/seen"))).toEqual([
    ...["write /seen from other", "write /seen/inner from other/inner", "read /seen/inner/x from work/a"],
  ]);
});

provesHere("WL-2", "a directory on the way through a read-only or hidden one does not become writable", () => {
  using stage = setUp();
  const { at, shown } = stage;
  const deep: Mount = { path: at("work/a/b/c"), access: "write" };
  // As a scope has it: the worktree is read-only, and so is all of it but one directory.
  expect(shown([{ path: at("work"), access: "read" }, deep])).toEqual(["read work", "write work/a/b/c"]);
  expect(shown([{ path: at("work/a"), access: "read" }, deep])).toEqual([
    ...["write work", "read work/a", "write work/a/b/c"],
  ]);
  expect(shown([{ path: at("work/a"), access: "hidden" }, deep])).toEqual([
    ...["write work", "cover directory work/a", "write work/a/b/c"],
  ]);
});

provesHere("WL-1", "what is hidden is covered wherever it is shown, also under another name", () => {
  using stage = setUp();
  const { at, shown } = stage;
  const hidden: readonly HiddenPath[] = [
    { path: at("work/dark"), kind: "directory" },
    { path: at("work/key"), kind: "file" },
    { path: at("work/gone"), kind: "file" },
    { path: at("person"), kind: "directory" },
  ];
  expect(shown([], { hidden })).toEqual(["write work", "cover directory work/dark", "cover file work/key"]);
  const again: Mount = { path: "/seen", from: at("work"), access: "read" };
  expect(shown([again], { hidden }).filter((line) => line.includes("/seen"))).toEqual([
    ...["read /seen from work", "cover directory /seen/dark", "cover file /seen/key"],
  ]);
  // A part of it may be shown by a mount of its own.
  mkdirSync(at("work/dark/own"));
  expect(shown([{ path: at("work/dark/own"), access: "read" }], { hidden }).slice(1)).toEqual([
    ...["cover directory work/dark", "cover file work/key", "read work/dark/own"],
  ]);
  expect(shown([{ path: at("work/a"), access: "hidden" }])).toEqual(["write work", "cover directory work/a"]);
});

provesHere("WL-2", "a path that is missing or a link is not mounted", () => {
  using stage = setUp();
  const { at, plan } = stage;
  symlinkSync(at("person"), at("work/link"));
  for (const [path, words] of [
    [at("work/nothing"), /does not exist/],
    [at("work/link"), /is a link, or lies behind one/],
    [at("work/link/deeper"), /does not exist|is a link/],
  ] as const)
    expect(() => plan([{ path, access: "read" }])).toThrow(
      expect.objectContaining({ code: "sandbox_unavailable", message: expect.stringMatching(words) }),
    );
});

provesHere("WL-21", "files with a name outside are read-only: only writable directories are searched", () => {
  using stage = setUp();
  const { at, plan } = stage;
  const asked: Ground[] = [];
  const { dev, ino } = statSync(at("work/key"));
  const heldFiles: HeldFiles = {
    list: (ground) => {
      asked.push(ground);
      return [{ path: at("work/key"), is: { dev, ino } }];
    },
  };
  const mounts: readonly Mount[] = [
    { path: at("work/a"), access: "read" },
    { path: at("other"), access: "write" },
    { path: "/named", from: at("tools"), access: "write" },
    { path: at("other/inner"), from: at("tools"), access: "write" },
    { path: at("work/single"), access: "write" },
    { path: at("work/dark"), access: "hidden" },
  ];
  writeFileSync(at("work/single"), "");
  const { shown } = plan(mounts, { heldFiles });
  expect(asked.map(({ roots }) => roots)).toEqual([[at("work"), at("other")]]);
  expect([...(asked[0]?.apart ?? [])].toSorted()).toEqual(
    [...["work", "work/a", "other", "other/inner", "work/single", "work/dark"].map(at), "/named"].toSorted(),
  );
  expect(shown).toContainEqual(
    expect.objectContaining({ kind: "bind", path: at("work/key"), access: "read", is: { dev, ino } }),
  );
});

provesHere("WL-1", "the system and a person's HOME are no working directory; a directory below HOME is", () => {
  using stage = setUp();
  const { at, plan } = stage;
  mkdirSync(at("person/project"));
  for (const cwd of [
    "/",
    "/usr",
    "/usr/lib",
    "/etc",
    "/var",
    "/home",
    "/proc",
    "/dev",
    at("person"),
    dirname(at("person")),
    realpathSync(userInfo().homedir),
  ])
    expect(() => plan([], { cwd }), cwd).toThrow(
      expect.objectContaining({
        code: "sandbox_unavailable",
        message: expect.stringContaining(`cannot wall off ${cwd}:`),
      }),
    );
  expect(plan([], { cwd: at("person/project") }).cwd).toBe(at("person/project"));
  expect(plan([], { personHome: null }).cwd).toBe(at("work"));
  expect(plan([], { personHome: "/" }).cwd).toBe(at("work"));
});

provesHere(
  "WL-3",
  "programs are shown read-only, unless they lie in the workspace, the system or hold a secret",
  () => {
    using stage = setUp();
    const { at, shown } = stage;
    writeFileSync(at("tools/bin/tool"), "");
    mkdirSync(at("work/bin"));
    const searchPath = [at("tools/bin"), at("work/bin"), "/usr/bin", at("person"), "relative/bin"].join(":");
    expect(shown([], { searchPath }).toSorted()).toEqual(["read tools/bin", "write work"]);
    expect(shown([], { searchPath, hidden: [{ path: at("tools/bin/tool"), kind: "file" }] })).toEqual(["write work"]);
  },
);

provesHere(
  "WL-3",
  "an entry of the PATH shows neither the person's HOME, by any name, nor what is around the workspace",
  () => {
    using stage = setUp();
    const { at, shown } = stage;
    symlinkSync(at("person"), at("alias"));
    for (const personHome of [at("person"), at("alias")])
      expect(shown([], { personHome, searchPath: [at("person"), at("alias")].join(":") })).toEqual(["write work"]);
    expect(shown([], { cwd: at("other/inner"), searchPath: at("other") })).toEqual(["write other/inner"]);
  },
);

provesHere("WL-1", "in the system, hidden and closed paths are covered as well", () => {
  using stage = setUp();
  const { at, plan, shown } = stage;
  expect(shown([], { hidden: [{ path: "/usr/lib", kind: "directory" }] })).toEqual([
    ...["cover directory /usr/lib", "write work"].toSorted(),
  ]);
  writeFileSync(at("other/closed"), "", { mode: 0o600 });
  const { system } = plan([], { closed: [{ path: at("other/closed"), kind: "file" }] });
  expect(system).toContainEqual(expect.objectContaining({ kind: "cover", path: at("other") }));
  expect(system.map(({ path }) => path)).not.toContain(at("other/closed"));
});

provesHere("WL-1", "whether a path can be seen: by the mount closest to it", () => {
  using stage = setUp();
  const { at, plan } = stage;
  const made = plan([{ path: at("work/dark"), access: "hidden" }]);
  expect(
    [at("work/a"), at("work/dark"), at("work/dark/x"), at("other"), "/usr/bin/env"].map((path) => isShown(made, path)),
  ).toEqual([...[true, false, false, false, true]]);
});
