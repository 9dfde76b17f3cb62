import { expect } from "vitest";
import { BY, makeCommitHome } from "../../test/support/commit-home.ts";
import { proves } from "../../test/support/proves.ts";
import type { Rule } from "../domains/index.ts";
import { SYSTEM_STREAM } from "../domains/index.ts";
import { holdPolicy } from "./held-policy.ts";

const deny = (verb: string): Rule => ({ id: `no ${verb}`, effect: "deny", verb, resource: "**" });

async function makeHolder(rules: readonly Rule[] = []) {
  const home = await makeCommitHome();
  const policy = holdPolicy({ committer: home.committer, verbs: ["a.one", "a.two"], rules });
  const spoken = () =>
    policy
      .current()
      .rulesFor("a.one", "x")
      .map(({ id }) => id);
  const recorded = async () => {
    const { events } = await home.store.readStream(SYSTEM_STREAM, { limit: 100, types: ["policy.changed@1"] });
    return events.map(({ data }) => Object(data).rules);
  };
  return { home, policy, spoken, recorded };
}

proves("GATE-4", "a policy is recorded before it is in force, and the last of many at once is both", async () => {
  const { home, policy, spoken, recorded } = await makeHolder();
  await using _ = home;
  expect(spoken()).toEqual(["default"]);
  const release = home.hold();
  const changes = [policy.replace([deny("a.two")], BY), policy.replace([deny("a.one")], BY)];
  expect(spoken()).toEqual(["default"]);
  release();
  await Promise.all(changes);
  expect(spoken()).toEqual(["default", "no a.one"]);
  expect(await recorded()).toEqual([[deny("a.two")], [deny("a.one")]]);
});

proves("GATE-4", "a policy that is too large is refused, and the old one stays in force", async () => {
  const { home, policy, spoken, recorded } = await makeHolder([deny("a.one")]);
  await using _ = home;
  const many = Array.from({ length: 1001 }, () => deny("a.two"));
  await expect(policy.replace(many, BY)).rejects.toMatchObject({ code: "policy_too_large" });
  expect(spoken()).toContain("no a.one");
  await policy.replace([], BY);
  await policy.replace([], BY);
  expect(await recorded()).toEqual([]);
  expect(spoken()).toEqual(["default"]);
});
