import { expect, test } from "vitest";
import type { Secret } from "../frame/index.ts";
import { matching, namesByFingerprint, scopeText, usesByDay } from "./of-secrets.ts";

const secret = (name: string, given: Partial<Secret> = {}): Secret => ({
  ...{ id: name, name, scope: {}, owner: "operator", bind: [], bytes: 20, fingerprint: "0123456789ab" },
  ...{ createdAt: "2026-01-02T03:04:05Z", changedAt: "2026-01-02T03:04:05Z", uses: 0, lost: false },
  ...given,
});

test("two names for one value share a line; the same name in two scopes is two secrets", () => {
  const all = [secret("A"), secret("B", { scope: { agent: "nomos" } }), secret("C", { fingerprint: "ffffffffffff" })];
  expect(all.map(scopeText)).toEqual(["home", "agent:nomos", "home"]);
  expect(namesByFingerprint(all).get("0123456789ab")).toEqual(["A (home, operator)", "B (agent:nomos, operator)"]);
  expect(matching(all, "AGENT operator", null).map(({ name }) => name)).toEqual(["B"]);
  expect(matching(all, "", "ffffffffffff").map(({ name }) => name)).toEqual(["C"]);
});

test("uses are counted by day, also days without one", () => {
  const untilMs = Date.parse("2026-03-10T12:00:00Z");
  const bars = usesByDay(["2026-03-10T11:00:00Z", "2026-03-10T10:30:00Z", "2026-03-08T12:00:00Z"], untilMs, 4);
  expect(bars.map(({ value }) => value)).toEqual([0, 1, 0, 2]);
});
