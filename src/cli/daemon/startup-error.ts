import { ClientError, ERRORS } from "../../client/index.ts";

const BY_ERRNO: { readonly [errno: string]: keyof typeof ERRORS } = {
  EACCES: "store_read_only",
  EPERM: "store_read_only",
  EROFS: "store_read_only",
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
  EIO: "store_failed",
};
const ERRNO = /^E[A-Z0-9]{2,}$/;

/** Turns a failed start into an error of the catalogue. Anything else is a bug and is thrown on. */
export function startupError(thrown: unknown, home: string): unknown {
  if (!(thrown instanceof Error) || !("code" in thrown) || typeof thrown.code !== "string") return thrown;
  const { code, message } = thrown;
  const details = "details" in thrown && typeof thrown.details === "object" ? { ...thrown.details } : {};
  // Any other system error at start concerns the home.
  const known = BY_ERRNO[code] ?? (ERRNO.test(code) ? "home_unusable" : undefined);
  if (known !== undefined) return new ClientError(known, { details: { home, reason: message }, cause: thrown });
  if (!Object.hasOwn(ERRORS, code)) return thrown;
  // An error with its own remedy has its own message too; the others get the catalogue's message.
  const words = "remedy" in thrown && typeof thrown.remedy === "string" ? { message, remedy: thrown.remedy } : {};
  return new ClientError(code, { ...words, details: { home, ...details }, cause: thrown });
}
