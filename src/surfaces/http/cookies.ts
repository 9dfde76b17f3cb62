import * as z from "zod";
import { isPublic, type Reached } from "./guard.ts";

/** Our cookie, as the address that a request came by needs it. */
export interface CookiePlace {
  readonly name: string;
  readonly isSecure: boolean;
}

const Sent = z.object({ value: z.string().regex(/^[\w-]*$/), maxAgeSeconds: z.number().int().min(0) });

/** A browser sends cookies to all ports of a host: the name keeps those of several daemons apart. */
export function cookiePlace(host: string | undefined, reached: Reached): CookiePlace {
  const isSecure = isPublic(host, reached.publicUrl) && reached.publicUrl?.startsWith("https:") === true;
  // With this prefix a browser takes the cookie from this very host only, over TLS.
  return { name: `${isSecure ? "__Host-" : ""}nomos-${reached.port}`, isSecure };
}

/** A `Set-Cookie` for a member of an answer. */
export function setCookie({ name, isSecure }: CookiePlace, member: unknown): string {
  const { value, maxAgeSeconds } = Sent.parse(member);
  const parts = [`${name}=${value}`, "Path=/", `Max-Age=${maxAgeSeconds}`, "HttpOnly", "SameSite=Strict"];
  return [...parts, ...(isSecure ? ["Secure"] : [])].join("; ");
}

export function cookieIn(header: string | undefined, { name }: CookiePlace): string | null {
  for (const pair of (header ?? "").split(";")) {
    const [key = "", ...value] = pair.trim().split("=");
    if (key === name) return value.join("=");
  }
  return null;
}
