import { expect, test } from "vitest";
import { placed } from "../../../test/support/kernel-model.ts";
import { isRefusal } from "../../kernel/index.ts";
import { recordDiscard, recordRekey, recordUnlock, VAULT_EVENTS, VaultStream } from "./vault.ts";

test("what happens to the vault is recorded with the holder of its key, and never with the key", () => {
  const facts = [recordRekey("keyring"), recordUnlock("passphrase"), recordDiscard(null)].flatMap((decision) =>
    isRefusal(decision) ? [] : decision,
  );
  expect(facts.map(({ type }) => type)).toEqual(Object.keys(VAULT_EVENTS));
  expect(facts.map(({ data }) => data)).toEqual([{ holder: "keyring" }, { by: "passphrase" }, { movedTo: null }]);
  const folded = facts.reduce(
    (state, fact, at) => VaultStream.evolve(state, placed(at + 1, fact)),
    VaultStream.empty(""),
  );
  expect(folded).toEqual({ version: 3 });
});
