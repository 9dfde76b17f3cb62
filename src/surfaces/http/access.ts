import { NomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import type { LocalConnection } from "../../host/index.ts";
import { isLink, isLocalLink, isPageHalf, joinHalves } from "../../syscalls/index.ts";
import type { AccessRequest } from "./access-request.ts";
import { type CookiePlace, cookieIn, cookiePlace } from "./cookies.ts";
import { checkHost, checkOrigin, isPublic, type Reached } from "./guard.ts";
import { createRateLimit } from "./rate-limit.ts";

export interface AccessOptions {
  readonly reached: () => Reached;
  readonly ready: () => boolean;
  readonly authenticate: (secret: string) => Promise<Actor | null>;
  /** Whether the other end of a connection may belong to the daemon's user. */
  readonly isOwnUser: (connection: LocalConnection) => Promise<boolean>;
}

/** The checks that every HTTP request and WebSocket passes: host, origin, token, rate. */
export interface Access {
  readonly guard: (request: AccessRequest) => void;
  readonly login: (request: AccessRequest) => Promise<Actor>;
  /** The secret that the request carries: its bearer, joined with the cookie if it is the half of a page. */
  readonly secretOf: (request: AccessRequest) => string | null;
  readonly cookiePlace: (request: AccessRequest) => CookiePlace;
  /** Counts failed logins and refuses when there are too many. */
  readonly refuseLogin: (request: AccessRequest) => never;
  readonly limit: (actor: Actor) => void;
}

const FAILED_LOGINS = { perSecond: 10, burst: 30 } as const;
const SCOPED_CALLS = { perSecond: 200, burst: 400 } as const;

export function createAccess(options: AccessOptions): Access {
  const failedLogins = createRateLimit({ ...FAILED_LOGINS, nowMs: () => performance.now() });
  const scopedCalls = createRateLimit({ ...SCOPED_CALLS, nowMs: () => performance.now() });
  const refuseLogin = ({ authorization, fromSession }: AccessRequest): never => {
    // Failed guesses from behind walls count against that session only.
    refuseIf(failedLogins.take(fromSession ?? "anyone"));
    throw refusalOf(bearer(authorization));
  };
  const limit = (actor: Actor): void => {
    if (!actor.capabilities.includes("*")) refuseIf(scopedCalls.take(actor.principal));
  };
  const placeOf = ({ host }: AccessRequest): CookiePlace => cookiePlace(host, options.reached());
  const secretOf = (request: AccessRequest): string | null => {
    const given = bearer(request.authorization);
    if (given === null || !isPageHalf(given)) return given;
    const cookie = cookieIn(request.cookie, placeOf(request));
    return cookie === null ? null : joinHalves({ cookie, page: given });
  };
  /**
   * A browser is started with its link as an argument, which every user of the machine can read. So such a link is taken from
   * the daemon's own user alone, and not by way of a proxy, where the user is the proxy's.
   */
  const isAtHome = async ({ host, connection }: AccessRequest): Promise<boolean> =>
    connection === null || (!isPublic(host, options.reached().publicUrl) && options.isOwnUser(connection));
  return {
    guard: ({ host, origin, connection }) => {
      if (connection !== null) checkHost(host, options.reached());
      checkOrigin(origin, options.reached());
    },
    login: async (request) => {
      if (!options.ready()) throw new NomosError("starting");
      const secret = secretOf(request);
      const actor = secret === null ? null : await options.authenticate(secret);
      if (actor === null || !isOwn(actor, request)) return refuseLogin(request);
      if (isLocalLink(actor) && !(await isAtHome(request))) return refuseLogin(request);
      limit(actor);
      return actor;
    },
    secretOf,
    cookiePlace: placeOf,
    refuseLogin,
    limit,
  };
}

/** A token used from behind the walls of another session was stolen: refuse it. */
function isOwn({ sessionId }: Actor, { fromSession }: AccessRequest): boolean {
  return fromSession === null || sessionId === fromSession;
}

function bearer(authorization: string | undefined): string | null {
  return /^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1] ?? null;
}

/** The remedy depends on what was sent. */
function refusalOf(given: string | null): NomosError {
  if (given !== null && isLink(given)) return new NomosError("link_invalid");
  if (given !== null && isPageHalf(given)) return new NomosError("signed_out");
  return new NomosError("unauthorized");
}

function refuseIf(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0) throw new NomosError("rate_limited", { retryAfterSeconds });
}
