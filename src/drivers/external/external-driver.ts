import { type Driver, DriverError } from "../../turns/index.ts";

/** An agent started outside: it reports its turns by calls, and is watched by pid and start time. */
export function externalDriver(): Driver {
  return {
    slug: "external",
    summary: "an agent started elsewhere that reports by calls; ends by `finish` or with its process",
    continuity: "native",
    check: async (spec) => {
      if (spec.external === null)
        throw new DriverError("invalid_request", "an external session is opened with `session open`");
    },
    runTurn: null,
  };
}
