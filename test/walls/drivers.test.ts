import { existsSync } from "node:fs";
import { expect } from "vitest";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { GROUPS } from "./attempts/all.ts";
import { byAgent, byDriver, countBy, possible, someOf, tryAll, unlike } from "./ways.ts";

const provesStrict = proves.skipIf(!needs("bwrap", "git", "python3", "tmux"));
/** Only these depend on who tries: a driver and an agent have a token, a way to the daemon and an environment. */
const OWN = ["daemon", "socket", "env"];
const groups = someOf(possible(GROUPS, existsSync), OWN);

provesStrict(
  "WX-2",
  "attacks do not get out of a driver that has its session's token and a way to the daemon",
  async () => {
    const tried = await tryAll(byDriver, groups);
    console.log(`by a driver of a strict session\n${countBy(groups, tried)}`);
    expect(unlike(tried, "nowhere")).toEqual([]);
  },
);

provesStrict("WX-2", "attacks do not get out of a foreign agent that has the daemon's tools", async () => {
  const tried = await tryAll(byAgent, groups);
  console.log(`by a foreign agent in a strict session\n${countBy(groups, tried)}`);
  expect(unlike(tried, "nowhere")).toEqual([]);
});
