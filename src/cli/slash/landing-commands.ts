import { landingLines } from "../landing/landing-lines.ts";
import type { SlashCommands } from "./slash-context.ts";

const WAIT_MS = 3_600_000;

/** The work of this session on its way home. */
export const LANDING_COMMANDS: SlashCommands = {
  land: {
    usage: "/land [try] [BRANCH]",
    summary: "land the session's work on a branch; with `try` only say what would come of it",
    run: async ({ client, id, name, print }, words) => {
      const [first = "", ...rest] = words.split(/\s+/).filter((word) => word !== "");
      const isDry = first === "try";
      const into = isDry ? rest[0] : first;
      const asked = { id, ...(into === undefined || into === "" ? {} : { into }), ...(isDry ? { dryRun: true } : {}) };
      const queued = await client.call("session.land", asked);
      if (queued.id === null) return print(landingLines(queued));
      print([`Queued for ${queued.into}. \`nomos landing eject ${name}\` takes it back.`]);
      print(landingLines(await client.call("landing.wait", { id: queued.id, timeoutMs: WAIT_MS })));
    },
  },
};
