import { existsSync } from "node:fs";
import { expect } from "vitest";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { GROUPS } from "./attempts/all.ts";
import { byCommand, countBy, possible, someOf, tryAll, tryControl, unlike } from "./ways.ts";

const provesStrict = proves.skipIf(!needs("bwrap", "git", "python3", "tmux"));
const groups = possible(GROUPS, existsSync);
/** That they are attacks, and get out where nothing holds them. */
const controls = someOf(groups);
const ATTEMPTS_MIN = 150;

provesStrict("WX-1", "attacks that get out without walls do not get out of a strict session's command", async () => {
  const [control, walled] = await Promise.all([tryControl(controls), tryAll(byCommand, groups)]);
  console.log(
    `without walls\n${countBy(controls, control)}\n\nby a command of a strict session\n${countBy(groups, walled)}`,
  );
  expect({ control: unlike(control, "out"), walled: unlike(walled, "nowhere") }).toEqual({ control: [], walled: [] });
  if (process.getuid?.() === 0) expect(walled.length).toBeGreaterThanOrEqual(ATTEMPTS_MIN);
});
