import * as z from "zod";

/** A path as a model may send it. No program can be given a NUL, and no file has one in its name. */
export function pathInput(description: string) {
  return z
    .string()
    .min(1)
    .max(4096)
    .refine((path) => !path.includes("\0"), "a path has no NUL")
    .describe(description);
}
