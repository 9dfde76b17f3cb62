import fc from "fast-check";
import { expect } from "vitest";
import { anyFacts, factsAmong } from "../../../test/support/kernel-facts.ts";
import { placed } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { evolveBy, isRefusal } from "../../kernel/index.ts";
import { AccessToken, issueToken, NEW_TOKEN, revokeToken, type Token } from "./token.ts";

const TOKEN: Token = {
  tokenId: "t",
  secretHash: "00",
  label: "for the test",
  capabilities: ["session.read"],
  sessionId: null,
  expiresAtMs: null,
};

proves("K22", "a token's rights stay as issued until it is revoked, and never widen", () => {
  const facts = fc.array(fc.oneof(anyFacts, factsAmong(["token.issued@1", "token.revoked@1"])), {
    maxLength: 60,
    size: "max",
  });
  fc.assert(
    fc.property(facts, (list) => {
      list.reduce((before, fact, n) => {
        const after = evolveBy(AccessToken, before, placed(n + 1, fact));
        if (before.at === "valid" && after.at === "valid") expect(after.token).toBe(before.token);
        if (before.at === "revoked") expect(after.at).toBe("revoked");
        if (before.at === "valid") expect(["valid", "revoked"]).toContain(after.at);
        return after;
      }, NEW_TOKEN);
    }),
  );
});

proves("K22", "an event that this version does not know leaves a token as it is", () => {
  const valid = { at: "valid", version: 1, token: TOKEN } as const;
  expect(evolveBy(AccessToken, valid, { id: "e", version: 2, at: "", fact: null })).toEqual({ ...valid, version: 2 });
});

proves("K22", "a token is revoked once, and stays revoked", () => {
  const issued = issueToken(TOKEN);
  if (isRefusal(issued)) return expect.fail("nothing is in its way");
  const valid = issued.reduce((at, fact) => evolveBy(AccessToken, at, placed(at.version + 1, fact)), NEW_TOKEN);
  expect(valid).toEqual({ at: "valid", version: 1, token: TOKEN });
  const revoking = revokeToken(valid, "t");
  if (isRefusal(revoking)) return expect.fail("it is valid");
  const revoked = revoking.reduce((at, fact) => evolveBy(AccessToken, at, placed(at.version + 1, fact)), valid);
  expect(revoked).toEqual({ at: "revoked", version: 2 });
  expect(revokeToken(revoked, "t")).toMatchObject({ refused: "token_revoked" });
  expect(revokeToken(NEW_TOKEN, "t")).toMatchObject({ refused: "token_revoked" });
  expect(issued.reduce((at, fact) => evolveBy(AccessToken, at, placed(at.version + 1, fact)), revoked)).toEqual({
    at: "revoked",
    version: 3,
  });
});
