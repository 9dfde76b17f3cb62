import * as z from "zod";

/** A page size; larger values are reduced to `max`. */
export const Limit = (max: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .transform((given) => Math.min(given, max))
    .optional();

/** Accepts text too, because query strings contain only text. */
export const Flag = z
  .union([z.boolean(), z.enum(["true", "false", "1", "0"]).transform((text) => text === "true" || text === "1")])
  .optional();
