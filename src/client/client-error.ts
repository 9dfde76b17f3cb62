import { memberOf } from "../kernel/index.ts";
import { ERRORS } from "./errors.generated.ts";
import type { CatalogueEntry } from "./manifest.ts";

export interface ErrorMembers {
  readonly message?: string;
  readonly remedy?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The HTTP status; 0 when no answer came. */
  readonly status?: number;
  readonly cause?: unknown;
}

/** An error of the daemon, or of the connection to it: the four members of every surface, and the HTTP status. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  /** A catalogued code, or an unknown one of a newer daemon. */
  readonly code: string;
  readonly remedy: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly status: number;

  constructor(code: string, members: ErrorMembers = {}) {
    const known = catalogued(code);
    const { cause } = members;
    super(members.message ?? known.message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.remedy = members.remedy ?? known.remedy;
    this.details = members.details ?? {};
    this.status = members.status ?? known.status;
  }
}

/** The catalogue's entry for a code; for an unknown code that of `internal`. */
export function catalogued(code: string): CatalogueEntry {
  const entries: { readonly [known: string]: CatalogueEntry } = ERRORS;
  return entries[code] ?? ERRORS.internal;
}

/** The error in an answer without success. */
export function errorIn(status: number, text: string): ClientError {
  const error = memberOf(parsed(text), "error");
  const code = memberOf(error, "code");
  if (typeof code !== "string")
    return new ClientError("internal", { status, message: `The answer does not come from Nomos (HTTP ${status}).` });
  const message = memberOf(error, "message");
  const remedy = memberOf(error, "remedy");
  const details = memberOf(error, "details");
  return new ClientError(code, {
    status,
    ...(typeof message === "string" ? { message } : {}),
    ...(typeof remedy === "string" ? { remedy } : {}),
    ...(typeof details === "object" && details !== null ? { details: { ...details } } : {}),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
