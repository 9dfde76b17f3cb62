/** One change of the source that a test should notice. */
export interface Mutant {
  readonly id: number;
  readonly file: string;
  /** Enclosing functions from the outside in, joined by dots; `(module)` at the top level. */
  readonly fn: string;
  readonly kind: MutantKind;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  /** The code that is changed, on one line. */
  readonly from: string;
  /** What stands there instead, on one line; empty when a statement is left out. */
  readonly to: string;
  /** The same with its line breaks, as it is compiled in. */
  readonly code: string;
}

export type MutantKind =
  | "condition-true"
  | "condition-false"
  | "boundary"
  | "equality"
  | "drop-left"
  | "drop-right"
  | "no-default"
  | "no-call"
  | "no-assignment"
  | "no-throw"
  | "no-await"
  | "no-not"
  | "number"
  | "boolean"
  | "arithmetic"
  | "method"
  | "no-case"
  | "no-property"
  | "no-element"
  | "mount";
