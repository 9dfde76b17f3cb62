import { createHash, randomBytes } from "node:crypto";
import { NomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import type { SandboxMode } from "../../kernel/index.ts";

/** A link signs one browser in, once, within ten minutes. Kept in memory: a restart voids all links. */
export interface Links {
  readonly issue: (grant: Grant) => { readonly secret: string; readonly expiresAt: string };
  /** The actor who may do nothing but sign in; null when the link is unknown, used or expired. */
  readonly holderOf: (secret: string) => Actor | null;
  /** Uses the link up: the one given, or the one its holder called with. Null like above. */
  readonly redeem: (actor: Actor, secret: string | undefined) => Grant | null;
}

/** The sign-in that a link gives: the token it will issue, and who issues it. */
export interface Grant {
  readonly place: "browser" | "phone";
  readonly maker: Actor;
  readonly label: string;
  readonly capabilities: readonly string[];
  readonly sandbox: SandboxMode;
  readonly ttlMs: number;
}

export const ENTER = "dashboard.enter";
const LINK_TTL_MS = 600_000;
const LINKS_MAX = 100;
const LINK_PREFIX = "nml_";
const HOLDER = /^link:(?:browser|phone):([0-9a-f]{64})$/;

export function isLink(secret: string): boolean {
  return secret.startsWith(LINK_PREFIX);
}

/** Whether the actor holds a link for a browser on this machine. */
export function isLocalLink({ principal }: Actor): boolean {
  return principal.startsWith("link:browser:");
}

export function createLinks(clock: Pick<Clock, "nowMs" | "steadyMs" | "iso">): Links {
  const issued = new Map<string, { readonly grant: Grant; readonly untilMs: number }>();
  const find = (hash: string): Grant | null => {
    const found = issued.get(hash);
    return found !== undefined && found.untilMs > clock.steadyMs() ? found.grant : null;
  };
  const forgetOld = (): void => {
    for (const hash of issued.keys()) if (find(hash) === null) issued.delete(hash);
  };
  return {
    issue: (grant) => {
      forgetOld();
      if (issued.size >= LINKS_MAX) throw new NomosError("overloaded", { of: "links", linksMax: LINKS_MAX });
      const secret = `${LINK_PREFIX}${randomBytes(24).toString("hex")}`;
      issued.set(hashOf(secret), { grant, untilMs: clock.steadyMs() + LINK_TTL_MS });
      return { secret, expiresAt: clock.iso(clock.nowMs() + LINK_TTL_MS) };
    },
    holderOf: (secret) => {
      const hash = hashOf(secret);
      const grant = find(hash);
      if (grant === null) return null;
      return { principal: `link:${grant.place}:${hash}`, capabilities: [ENTER], sessionId: null };
    },
    redeem: ({ principal }, secret) => {
      const hash = secret === undefined ? (HOLDER.exec(principal)?.[1] ?? "") : hashOf(secret);
      const grant = find(hash);
      issued.delete(hash);
      return grant;
    },
  };
}

/** Looked up by hash, so that timing reveals nothing about the secret. */
function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
