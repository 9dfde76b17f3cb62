import * as z from "zod";
import { TOKEN_EVENTS } from "../../domains/index.ts";
import { dataIn, LIMITS } from "../../kernel/index.ts";
import { read, type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";

const Sandbox = z.enum(["off", "warn", "enforce", "strict"]);

export const token: readonly Syscall[] = [
  write({
    name: "token.issue",
    summary: "Issue a token with fewer rights than yours; its secret is shown only once",
    permission: "token.admin",
    roles: [],
    needs: ["secretsShownOnce", "tokens"],
    about: "system",
    input: z.object({
      label: z.string().max(LIMITS.labelChars).optional(),
      capabilities: z.array(z.string().min(1).max(64)).min(1).max(64).describe("`session.read`, `session.*`, `*`"),
      sessionId: z.string().max(64).optional().describe("limit the token to this session"),
      ttlMs: z.number().int().min(1000).optional(),
      sandbox: Sandbox.optional().describe(
        "the weakest sandbox mode the token may use; default: `strict`, or the mode of the session it is limited to. With `off` it acts with your rights",
      ),
    }),
    output: z.object({
      tokenId: z.string(),
      secret: z.string().nullable(),
      capabilities: z.array(z.string()),
      sandbox: Sandbox,
    }),
    errors: ["denied", "sandbox_floor", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/api/tokens", status: 201 },
    cli: {
      positional: ["capabilities"],
      says: [
        "Issued the token {tokenId} for {capabilities}.",
        "Secret, shown only now: {secret}",
        ["secret", null, "Its secret was shown when it was issued."],
      ],
    },
    commit: async (context, { label = "", capabilities, sessionId = null, ttlMs = null, sandbox = null }) => {
      const asked = { label, capabilities, sessionId, ttlMs, sandbox };
      const { secret, events } = await context.services.tokens.issue(asked, context.actor, byOf(context));
      context.services.secretsShownOnce.set(events[0]?.id ?? "", secret);
      return events;
    },
    answer: async (context, { capabilities }, events) => {
      const id = events[0]?.id ?? "";
      const secret = context.services.secretsShownOnce.get(id) ?? null;
      context.services.secretsShownOnce.delete(id);
      const sandbox = dataIn(TOKEN_EVENTS, events, "token.issued@1")?.sandbox ?? "strict";
      return { tokenId: (events[0]?.stream ?? "").slice("token/".length), secret, capabilities, sandbox };
    },
  }),
  read({
    name: "token.list",
    summary: "List the valid tokens, without their secrets",
    permission: "token.admin",
    roles: [],
    needs: ["tokens"],
    about: "system",
    input: z.object({}),
    output: z.object({
      tokens: z.array(
        z.object({
          tokenId: z.string(),
          label: z.string(),
          capabilities: z.array(z.string()),
          sessionId: z.string().nullable(),
          expiresAtMs: z.number().nullable(),
          sandbox: Sandbox.describe("the weakest sandbox mode this token may use"),
        }),
      ),
    }),
    errors: [],
    http: { method: "GET", path: "/api/tokens" },
    cli: { positional: [] },
    answer: async ({ services }) => ({
      tokens: (await services.tokens.list()).map(({ secretHash: _hash, capabilities, ...token }) => ({
        ...token,
        capabilities: [...capabilities],
      })),
    }),
  }),
  write({
    name: "token.revoke",
    summary: "Revoke a token for good, and every token that was issued with it",
    permission: "token.admin",
    roles: [],
    needs: ["tokens"],
    about: "system",
    input: z.object({ tokenId: z.string().max(64) }),
    output: z.object({ ok: z.literal(true), tokenId: z.string() }),
    errors: ["token_not_found", "token_revoked"],
    http: { method: "DELETE", path: "/api/tokens/:tokenId" },
    cli: { positional: ["tokenId"], says: ["Revoked {tokenId} and every token issued with it."] },
    destructive: true,
    idempotent: true,
    commit: (context, { tokenId }) => context.services.tokens.revoke(tokenId, byOf(context)),
    answer: async (_context, { tokenId }) => ({ ok: true as const, tokenId }),
  }),
];
