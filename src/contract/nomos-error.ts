import type { Json, Refusal } from "../kernel/index.ts";
import { ERROR_CATALOGUE, type ErrorCode } from "./error-catalogue.ts";

/** An expected failure as callers get it: the same four members on every surface. */
export class NomosError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string;
  readonly details: { readonly [key: string]: Json };
  constructor(
    code: ErrorCode,
    details: { readonly [key: string]: Json } = {},
    options: { readonly message?: string; readonly remedy?: string; readonly cause?: unknown } = {},
  ) {
    super(
      options.message ?? ERROR_CATALOGUE[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.remedy = options.remedy ?? ERROR_CATALOGUE[code].remedy;
    this.details = details;
  }
}

/** A decision's refusal as an error. A code without a catalogue entry is a bug of ours. */
export function refusalError({ refused, details }: Refusal): NomosError {
  if (isErrorCode(refused)) return new NomosError(refused, details);
  return new NomosError("internal", { reason: `the error catalogue has no entry for ${refused}` });
}

export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly remedy: string;
    readonly details: { readonly [key: string]: Json };
  };
}

export function errorBody(error: NomosError): ErrorBody {
  const { code, message, remedy, details } = error;
  return { error: { code, message, remedy, details } };
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(ERROR_CATALOGUE, code);
}

/** Translates anything thrown, once: typed errors of lower layers keep their code, the rest is `internal`. */
export function toNomosError(thrown: unknown): NomosError {
  if (thrown instanceof NomosError) return thrown;
  if (thrown instanceof Error && "code" in thrown && isErrorCode(thrown.code)) {
    const details =
      "details" in thrown && typeof thrown.details === "object" && thrown.details !== null ? thrown.details : {};
    const words = "forPeople" in thrown && thrown.forPeople === true ? { message: thrown.message } : {};
    return new NomosError(thrown.code, { ...details } as { readonly [key: string]: Json }, { cause: thrown, ...words });
  }
  return new NomosError(
    "internal",
    { reason: thrown instanceof Error ? thrown.message : String(thrown) },
    { cause: thrown },
  );
}
