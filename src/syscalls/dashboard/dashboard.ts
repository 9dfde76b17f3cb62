import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { type Actor, heldOf, narrows, TOKEN_EVENTS } from "../../domains/index.ts";
import { dataIn, LIMITS } from "../../kernel/index.ts";
import { type Context, type Syscall, write } from "../define.ts";
import type { Roles } from "../roles.ts";
import { byOf } from "../session/answer.ts";
import { joinHalves, newHalves, splitHalves } from "./halves.ts";
import { ENTER, type Grant } from "./links.ts";

const Place = z.enum(["browser", "phone"]);
const Sandbox = z.enum(["off", "warn", "enforce", "strict"]);
const Cookie = z.object({ value: z.string(), maxAgeSeconds: z.number().int().min(0) });
const DAY_MS = 86_400_000;
const SIGN_IN_TTL_MS = 30 * DAY_MS;
const SIGN_IN_TTL_MAX_MS = 366 * DAY_MS;
const LABEL_CHARS_MAX = LIMITS.labelChars - "browser: ".length;
const LEAVE = "dashboard.leave";
/** On the go: everything a viewer sees, and the answers and prompts that cannot wait. */
const PHONE_WRITES = ["approval.answer", "session.prompt", LEAVE];

export const dashboard: readonly Syscall[] = [
  write({
    name: "dashboard.open",
    summary: "Issue a link that signs one browser or phone in to the dashboard, once, within ten minutes",
    permission: "dashboard.open",
    roles: [],
    needs: ["config", "daemon", "links", "roles"],
    about: "system",
    input: z.object({
      for: Place.optional().describe(
        "`phone`: by the address in `publicUrl`, to watch and approve; default: `browser`",
      ),
      label: z.string().max(LABEL_CHARS_MAX).optional().describe("names the sign-in in `nomos token list`"),
      capabilities: z
        .array(z.string().min(1).max(64))
        .min(1)
        .max(64)
        .optional()
        .describe("default for a browser: yours; for a phone: to read, answer, prompt and interrupt"),
      ttlMs: z
        .number()
        .int()
        .min(1000)
        .max(SIGN_IN_TTL_MAX_MS)
        .optional()
        .describe("how long the browser stays signed in; default: 30 days"),
    }),
    output: z.object({ url: z.string(), expiresAt: z.string() }),
    errors: ["denied", "overloaded", "listen_required", "public_url_missing"],
    http: { method: "POST", path: "/api/dashboard/links", status: 201 },
    cli: { positional: [], says: ["{url}", "Works once, until {expiresAt}."] },
    // The link is a secret and stays out of the log. The sign-in is recorded, as a token.
    commit: async () => [],
    answer: async ({ services, actor }, given) => {
      const place = given.for ?? "browser";
      const base = baseOf(services, place);
      const { secret, expiresAt } = services.links.issue(grantOf(actor, services.roles, { ...given, place }));
      // In the fragment, which is never sent to a server.
      return { url: `${base}/#link=${secret}`, expiresAt };
    },
  }),
  write({
    name: "dashboard.enter",
    summary: "Sign a browser in with a link; the link is used up",
    permission: ENTER,
    roles: [],
    needs: ["links", "secretsShownOnce", "tokens"],
    about: "system",
    input: z.object({ link: z.string().max(100).optional().describe("default: the bearer of this call") }),
    output: z.object({
      page: z.string().describe("the page's half of the secret: the bearer of every later request, beside the cookie"),
      tokenId: z.string(),
      label: z.string(),
      capabilities: z.array(z.string()),
      sandbox: Sandbox,
      expiresAtMs: z.number().nullable(),
      cookie: Cookie.optional().describe("the other half; over HTTP it is sent as a cookie and is not in the body"),
    }),
    errors: ["link_invalid", "unauthorized", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/api/dashboard/sign-in", status: 201, cookie: "cookie" },
    cli: { positional: ["link"], says: ["Signed {label} in as the token {tokenId}."] },
    commit: async (context, { link }) => {
      const grant = context.services.links.redeem(context.actor, link);
      if (grant === null) throw new NomosError("link_invalid");
      const { place: _place, maker, ...asked } = grant;
      const secret = joinHalves(newHalves());
      // Issued by the link's maker: the sign-in ends with the maker's own token.
      const by = { ...byOf(context), actor: maker.principal };
      const { events } = await context.services.tokens.issue(
        { ...asked, sessionId: maker.sessionId, secret },
        maker,
        by,
      );
      context.services.secretsShownOnce.set(events[0]?.id ?? "", secret);
      return events;
    },
    answer: async ({ services }, _input, [event]) => {
      const issued = dataIn(TOKEN_EVENTS, event === undefined ? [] : [event], "token.issued@1");
      const halves = splitHalves(services.secretsShownOnce.get(event?.id ?? "") ?? "");
      services.secretsShownOnce.delete(event?.id ?? "");
      if (halves === null || issued === null || event === undefined) throw new NomosError("link_invalid");
      const { tokenId, label, capabilities, sandbox = "strict" as const, expiresAtMs } = issued;
      const restMs = (expiresAtMs ?? 0) - Date.parse(event.at);
      const cookie = { value: halves.cookie, maxAgeSeconds: Math.max(0, Math.floor(restMs / 1000)) };
      return { page: halves.page, tokenId, label, capabilities: [...capabilities], sandbox, expiresAtMs, cookie };
    },
  }),
  write({
    name: "dashboard.leave",
    summary: "Sign this browser out: its token is revoked",
    permission: LEAVE,
    roles: [],
    needs: ["tokens"],
    about: "system",
    input: z.object({}),
    output: z.object({
      ok: z.literal(true),
      tokenId: z.string().nullable().describe("null when the caller has no token that could be revoked"),
      cookie: Cookie.optional().describe("empty: over HTTP the browser forgets its half"),
    }),
    errors: ["token_revoked"],
    http: { method: "POST", path: "/api/dashboard/sign-out", cookie: "cookie" },
    cli: { positional: [], says: [["tokenId", null, "You are not signed in by a link."], "Revoked {tokenId}."] },
    idempotent: true,
    commit: async (context) => {
      const tokenId = tokenOf(context);
      return tokenId === null ? [] : context.services.tokens.revoke(tokenId, byOf(context));
    },
    answer: async (context) => ({
      ok: true as const,
      tokenId: tokenOf(context),
      cookie: { value: "", maxAgeSeconds: 0 },
    }),
  }),
];

const NO_PORT = "A program has this home open without a port, so no browser reaches it.";

function baseOf({ config, daemon }: Context<"config" | "daemon">["services"], place: z.output<typeof Place>): string {
  const port = daemon.port();
  if (port === 0) throw new NomosError("listen_required", {}, { message: NO_PORT });
  if (place === "browser") return `http://127.0.0.1:${port}`;
  const { publicUrl } = config.show();
  if (publicUrl === undefined) throw new NomosError("public_url_missing");
  return new URL(publicUrl).origin;
}

interface Asked {
  readonly place: z.output<typeof Place>;
  readonly label?: string | undefined;
  readonly capabilities?: readonly string[] | undefined;
  readonly ttlMs?: number | undefined;
}

/** At most the issuer's own rights. */
function grantOf(maker: Actor, roles: Roles, { place, label, capabilities, ttlMs }: Asked): Grant {
  const held = maker.capabilities;
  const usual = place === "browser" ? held : heldOf(held, [...roles.viewer, ...PHONE_WRITES]);
  // Whoever may sign in may sign out, also with few capabilities.
  const asked = capabilities === undefined ? usual : [...new Set([...capabilities, ...heldOf(held, [LEAVE])])];
  if (!narrows(held, asked)) throw new NomosError("denied", { rules: ["no_widening"], held: [...held] });
  return {
    ...{ place, maker },
    label: label === undefined ? place : `${place}: ${label}`,
    capabilities: asked,
    sandbox: maker.floor ?? "off",
    ttlMs: ttlMs ?? SIGN_IN_TTL_MS,
  };
}

function tokenOf({ actor }: Context<never>): string | null {
  return /^token:(.+)$/.exec(actor.principal)?.[1] ?? null;
}
