import { createRedactor, type LearningRedactor } from "../../src/redaction/index.ts";

/** A redactor that knows no value of a vault, only the shapes of keys. */
export function newRedactor(): LearningRedactor {
  return createRedactor({ fingerprintKey: new Uint8Array(32) });
}
