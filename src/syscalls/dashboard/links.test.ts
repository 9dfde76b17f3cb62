import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { createLinks, type Grant } from "./links.ts";

const MINUTES_10 = 600_000;
const maker = { principal: "operator", capabilities: ["*"], sessionId: null };
const grant: Grant = { place: "browser", maker, label: "browser", capabilities: ["*"], sandbox: "off", ttlMs: 1000 };
const anyone = { principal: "operator", capabilities: ["*"], sessionId: null };

function linksAt(clock: { nowMs: number }) {
  return createLinks({
    nowMs: () => clock.nowMs,
    steadyMs: () => clock.nowMs,
    iso: (ms) => new Date(ms).toISOString(),
  });
}

proves("DB-1", "a link is used: it signs in once, by its holder or by its secret", () => {
  const links = linksAt({ nowMs: 0 });
  const { secret, expiresAt } = links.issue(grant);
  expect(expiresAt).toBe("1970-01-01T00:10:00.000Z");
  const holder = links.holderOf(secret) ?? expect.fail("it is new");
  expect(holder).toMatchObject({ capabilities: ["dashboard.enter"], sessionId: null });
  expect(holder.principal).not.toContain(secret.slice(4));
  expect(links.redeem(holder, undefined)).toBe(grant);
  expect([links.redeem(holder, undefined), links.redeem(anyone, secret), links.holderOf(secret)]).toEqual([
    null,
    null,
    null,
  ]);
  const other = links.issue(grant).secret;
  expect(links.redeem(anyone, other)).toBe(grant);
  expect(links.holderOf(other)).toBeNull();
});

proves("DB-1", "a link's ten minutes are over: it has no holder and signs nobody in", () => {
  const clock = { nowMs: 0 };
  const links = linksAt(clock);
  const early = links.issue(grant).secret;
  const late = links.issue(grant).secret;
  clock.nowMs = MINUTES_10 - 1;
  const holder = links.holderOf(late) ?? expect.fail("it has a millisecond left");
  expect(links.redeem(anyone, early)).toBe(grant);
  clock.nowMs = MINUTES_10;
  expect([links.holderOf(late), links.redeem(holder, undefined)]).toEqual([null, null]);
});

proves("DB-1", "a guessed link, and a caller without one: both are refused", () => {
  const links = linksAt({ nowMs: 0 });
  links.issue(grant);
  expect(links.holderOf(`nml_${"0".repeat(48)}`)).toBeNull();
  expect(links.redeem(anyone, undefined)).toBeNull();
  expect(links.redeem({ ...anyone, principal: "link:" }, undefined)).toBeNull();
});

proves("DB-1", "there are too many links: no more are issued until old ones lapse", () => {
  const clock = { nowMs: 0 };
  const links = linksAt(clock);
  for (let count = 0; count < 100; count += 1) links.issue(grant);
  expect(() => links.issue(grant)).toThrow(expect.objectContaining({ code: "overloaded" }));
  clock.nowMs = MINUTES_10;
  expect(links.issue(grant).secret).toMatch(/^nml_[0-9a-f]{48}$/);
});
