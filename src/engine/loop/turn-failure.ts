import type { EngineErrorCode } from "../../turns/index.ts";
import { ModelError, type ModelErrorClass } from "../model.ts";

/** Why a turn ends without an answer, in the catalogue's words. */
export class TurnFailure extends Error {
  readonly code: EngineErrorCode;
  constructor(code: EngineErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The turn waits for a usage limit; it is woken by an alarm. */
export class Parked extends Error {}

const CODES: { readonly [errorClass in ModelErrorClass]: EngineErrorCode } = {
  auth: "model_auth",
  billing: "model_billing",
  rate_limit: "quota_reached",
  overloaded: "model_failed",
  timeout: "model_failed",
  unreachable: "model_unreachable",
  overflow: "model_overflow",
  refused: "model_refused",
  malformed: "model_failed",
  model_unknown: "model_failed",
  invalid: "model_failed",
};

export function failureOf(error: ModelError): TurnFailure {
  return new TurnFailure(CODES[error.errorClass], error.message);
}

export function isModelError(thrown: unknown): thrown is ModelError {
  return thrown instanceof ModelError;
}
