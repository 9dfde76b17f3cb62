import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { createVirtualClock } from "../../../../test/sim/virtual-clock.ts";
import { proves } from "../../../../test/support/proves.ts";
import type { Planned } from "../planned.ts";
import { watchClosedPaths } from "./closed-paths.ts";
import { withoutClosed } from "./without-closed.ts";

function setUp() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "nomos-closed-")));
  chmodSync(top, 0o755);
  const at = (path: string) => join(top, path);
  const file = (path: string, mode: number) => {
    writeFileSync(at(path), "");
    chmodSync(at(path), mode);
  };
  const folder = (path: string, mode: number) => {
    mkdirSync(at(path));
    chmodSync(at(path), mode);
  };
  const short = (path: string) => path.replace(`${top}/`, "");
  return { top, at, file, folder, short, [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }) };
}

proves(
  "WL-23",
  "files and folders that not everybody may read are found at any depth, and links are not followed",
  () => {
    using stage = setUp();
    const { top, at, file, folder, short } = stage;
    folder("open", 0o755);
    for (const [name, mode] of [
      ["shut", 0o700],
      ["entered", 0o711],
      ["listed", 0o754],
      ["sticky", 0o1777],
    ] as const)
      folder(name, mode);
    for (const [name, mode] of [
      ["key", 0o600],
      ["group", 0o640],
      ["plain", 0o644],
      ["open/deep", 0o660],
      ["shut/inner", 0o600],
    ] as const)
      file(name, mode);
    symlinkSync(at("key"), at("link"));
    const found = watchClosedPaths([top, at("gone")], createVirtualClock()).list();
    expect(found.map(({ path, kind }) => `${kind} ${short(path)}`).toSorted()).toEqual([
      ...["directory entered", "directory listed", "directory shut", "file group", "file key", "file open/deep"],
    ]);
  },
);

proves("WL-23", "a new closed file is found within half a minute, and one that was opened is forgotten", async () => {
  using stage = setUp();
  const { top, file, folder, short } = stage;
  folder("a", 0o755);
  folder("b", 0o755);
  file("a/old", 0o600);
  const clock = createVirtualClock();
  const closed = watchClosedPaths([top], clock);
  const names = () =>
    closed
      .list()
      .map(({ path }) => short(path))
      .toSorted();
  const pass = async (ms: number) => {
    clock.after(ms, () => undefined);
    await clock.step();
  };
  expect(names()).toEqual(["a/old"]);
  file("b/new", 0o600);
  await pass(30_000);
  expect(names()).toEqual(["a/old"]);
  await pass(1);
  expect(names()).toEqual(["a/old", "b/new"]);
  rmSync(stage.at("a/old"));
  await pass(30_001);
  expect(names()).toEqual(["b/new"]);
});

proves("WL-23", "a small folder is made anew without its closed files; in a large one the file is covered", () => {
  using stage = setUp();
  const { at, file, folder, short } = stage;
  folder("small", 0o755);
  folder("small/inner", 0o755);
  folder("small/dark", 0o700);
  file("small/key", 0o600);
  file("small/plain", 0o644);
  symlinkSync("plain", at("small/link"));
  folder("large", 0o755);
  file("large/key", 0o600);
  for (let n = 0; n < 32; n += 1) file(`large/${n}`, 0o644);
  file("opened", 0o644);
  const line = (one: Planned) =>
    one.kind === "cover"
      ? `cover ${one.of} ${short(one.path)}`
      : `${one.kind === "link" ? `link ${one.to}` : one.access} ${short(one.path)}`;
  const planned = withoutClosed([
    { path: at("small/key"), kind: "file" },
    { path: at("small/dark"), kind: "directory" },
    { path: at("large/key"), kind: "file" },
    { path: at("opened"), kind: "file" },
    { path: at("gone"), kind: "file" },
  ]);
  expect(planned.map(line).toSorted()).toEqual([
    ...[
      "cover directory small",
      "cover file large/key",
      "link plain small/link",
      "read small/inner",
      "read small/plain",
    ],
  ]);
  expect(planned[0]).toMatchObject({ kind: "cover", of: "directory" });
  expect(planned.findIndex(({ path }) => path === at("small"))).toBe(0);
});
