import { ClientError, SHORT_NAMES } from "../../client/index.ts";
import { usageError } from "../arguments.ts";
import { EVERYDAY } from "../everyday.ts";
import { families, verbsOf } from "./find-syscall.ts";
import { nearest } from "./nearest.ts";

/** An error for unknown words; suggests the most similar command. */
export function unknownCommand(words: readonly string[]): ClientError {
  const [first = "", second] = words;
  const verbs = verbsOf(first);
  if (verbs.length > 0) {
    if (second === undefined) return usageError(`${first} needs a verb: ${verbs.join(", ")}.`, `nomos ${first} VERB`);
    const meant = nearest(second, verbs);
    return new ClientError("usage", {
      message: `There is no \`nomos ${first} ${second}\`.`,
      remedy: meant === null ? `Use one of: ${verbs.join(", ")}.` : `Did you mean \`nomos ${first} ${meant}\`?`,
    });
  }
  const known = [...Object.keys(EVERYDAY), ...SHORT_NAMES.keys(), ...families()];
  const meant = nearest(first, known);
  return new ClientError("usage", {
    message: `There is no command \`${first}\`.`,
    remedy:
      meant === null
        ? "`nomos help` lists the commands."
        : `Did you mean \`nomos ${meant}\`? \`nomos help\` lists the commands.`,
  });
}
