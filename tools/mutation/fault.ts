/** A fault as a person would put it in: it must be found by the tests named here. */
export interface Fault {
  readonly name: string;
  readonly file: string;
  /** Stands in the file once. */
  readonly from: string;
  readonly to: string;
  readonly project: "unit" | "crash";
  readonly tests: readonly string[];
}
