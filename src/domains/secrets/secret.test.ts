import { expect } from "vitest";
import { placed } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { type AnyFact, type Decision, isRefusal } from "../../kernel/index.ts";
import {
  bindSecret,
  RETIRED_VALUES_MAX,
  recordSecretUse,
  removeSecret,
  rotateSecret,
  type SecretState,
  SecretStream,
  sealSecret,
  valuesOf,
} from "./secret.ts";
import { HOME_SCOPE, parseSecretScope, scopesReaching, spellSecretScope } from "./secret-scope.ts";

const ABSENT = SecretStream.empty("s");
const value = (valueId: string) => ({ valueId, bytes: 20, fingerprint: "0123456789ab" });
const NEW = { name: "KEY", scope: HOME_SCOPE, owner: "operator", bind: [], ...value("v1") };

function after(state: SecretState, decision: Decision): SecretState {
  if (isRefusal(decision)) return expect.fail(decision.refused);
  return decision.reduce<SecretState>(
    (now, fact: AnyFact) => SecretStream.evolve(now, placed(now.version + 1, fact)) as SecretState,
    state,
  );
}

proves("SEC-3", "a rotated or removed value stays known, up to a limit; the oldest is forgotten first", () => {
  let state = after(ABSENT, sealSecret(ABSENT, NEW));
  for (let n = 2; n <= RETIRED_VALUES_MAX + 3; n += 1) state = after(state, rotateSecret(state, value(`v${n}`)));
  const kept = valuesOf(state);
  expect(kept).toHaveLength(RETIRED_VALUES_MAX + 1);
  expect([kept[0], kept.at(-1)]).toEqual(["v3", `v${RETIRED_VALUES_MAX + 3}`]);
  const removed = after(state, removeSecret(state));
  expect(valuesOf(removed)).toHaveLength(RETIRED_VALUES_MAX);
  expect(valuesOf(removed).at(-1)).toBe(`v${RETIRED_VALUES_MAX + 3}`);
  const again = after(removed, sealSecret(removed, { ...NEW, ...value("again") }));
  expect(again).toMatchObject({ at: "present", secret: { valueId: "again", uses: 0 } });
  expect(valuesOf(again)).toContain(`v${RETIRED_VALUES_MAX + 3}`);
});

proves("SEC-3", "a secret that exists is not sealed twice; one that does not is not changed", () => {
  const present = after(ABSENT, sealSecret(ABSENT, NEW));
  expect(sealSecret(present, NEW)).toMatchObject({ refused: "secret_exists" });
  const removed = after(present, removeSecret(present));
  for (const state of [ABSENT, removed])
    for (const refused of [
      rotateSecret(state, value("x")),
      bindSecret(state, []),
      recordSecretUse(state, { use: "test", sessionId: null }),
      removeSecret(state),
    ])
      expect(refused).toMatchObject({ refused: "secret_not_found" });
  const used = after(present, recordSecretUse(present, { use: "model x", sessionId: "s" }));
  expect(used).toMatchObject({ secret: { uses: 1, lastUsedAt: expect.any(String) } });
  expect(after(used, bindSecret(used, [{ host: "a.example" }]))).toMatchObject({
    secret: { bind: [{ host: "a.example" }], valueId: "v1", uses: 1 },
  });
});

proves("SEC-4", "scopes are read as they are spelled, and the narrowest comes first", () => {
  for (const text of ["home", "workspace:w", "agent:a.b", "session:0192-x"]) {
    const scope = parseSecretScope(text) ?? expect.fail(text);
    expect(spellSecretScope(scope)).toBe(text);
  }
  for (const text of ["", "Home", "workspace:", "workspace:a b", "agent:../x", "turn:x", "workspace:a\n", "home:x"])
    expect([text, parseSecretScope(text)]).toEqual([text, null]);
  const place = { workspace: "w", agent: "a", sessionId: "s", owner: "o" };
  expect(scopesReaching(place).map(spellSecretScope)).toEqual(["session:s", "agent:a", "workspace:w", "home"]);
  const nowhere = { workspace: null, agent: null, sessionId: null, owner: "o" };
  expect(scopesReaching(nowhere)).toEqual([HOME_SCOPE]);
});
