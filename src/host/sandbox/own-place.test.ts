import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { UNREACHABLE, unless } from "../errno.ts";
import { holdPlace, identityAt, isSame } from "./own-place.ts";

const provesHere = proves.where(process.platform === "linux");

function setUp() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nomos-place-")));
  const at = (name: string) => join(folder, name);
  writeFileSync(at("file"), "");
  writeFileSync(at("other"), "");
  symlinkSync(at("file"), at("link"));
  return { at, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Descriptors of this process that lead to a path. */
function openOn(path: string): readonly string[] {
  return readdirSync("/proc/self/fd").filter(
    (fd) => unless(UNREACHABLE, () => readlinkSync(`/proc/self/fd/${fd}`)) === path,
  );
}

provesHere("WL-2", "a place is held until it is let go; a link is not held, and leaves nothing open", () => {
  using stage = setUp();
  const file = stage.at("file");
  const held = holdPlace(file);
  const { dev, ino } = statSync(file);
  expect(held?.is).toEqual({ dev, ino });
  expect(openOn(file)).toHaveLength(1);
  expect([holdPlace(stage.at("link")), holdPlace(stage.at("missing")), openOn(file).length]).toEqual([null, null, 1]);
  held?.[Symbol.dispose]();
  expect([openOn(file), identityAt(file), openOn(file)]).toEqual([[], { dev, ino }, []]);
});

provesHere("WL-2", "letting a place go twice closes nothing that was opened since", () => {
  using stage = setUp();
  const held = holdPlace(stage.at("file"));
  held?.[Symbol.dispose]();
  const reused = openSync(stage.at("other"), "r");
  held?.[Symbol.dispose]();
  expect(fstatSync(reused).isFile()).toBe(true);
  closeSync(reused);
});

proves("WL-2", "two places are the same only with the same number on the same device", () => {
  const one = { dev: 1, ino: 5 };
  expect(isSame(one, { dev: 1, ino: 5 })).toBe(true);
  for (const other of [{ dev: 2, ino: 5 }, { dev: 1, ino: 6 }, null]) expect(isSame(one, other)).toBe(false);
  expect(isSame(null, null)).toBe(false);
});
