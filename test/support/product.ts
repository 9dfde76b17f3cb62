import { join } from "node:path";

/** The program that tests start: the bundle that `product-setup.ts` made for this run, or the checkout's own sources. */
export const BIN = process.env["NOMOS_TEST_BIN"] ?? join(import.meta.dirname, "../../bin/nomos.js");
