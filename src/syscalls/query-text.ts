import { z } from "zod";

/** At most so many; more is taken for that. */
export const Limit = (max: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .transform((given) => Math.min(given, max))
    .optional();

/** Query strings know only text. */
export const Flag = z
  .union([z.boolean(), z.enum(["true", "false", "1", "0"]).transform((text) => text === "true" || text === "1")])
  .optional();
