import { ClientError, SHORT_NAMES } from "../../client/index.ts";
import { nearest } from "../../domains/index.ts";
import { usageError } from "../arguments.ts";
import { EVERYDAY } from "../everyday.ts";
import { families, verbsOf } from "./find-syscall.ts";
import { FOREIGN, sameVerb } from "./foreign-words.ts";

/** An error for unknown words; suggests the command that was probably meant. */
export function unknownCommand(words: readonly string[]): ClientError {
  const [first = "", second] = words;
  const verbs = verbsOf(first);
  if (verbs.length > 0) {
    if (second === undefined) return usageError(`${first} needs a verb: ${verbs.join(", ")}.`, `nomos ${first} VERB`);
    const meant = sameVerb(second, verbs) ?? nearest(second, verbs);
    return new ClientError("usage", {
      message: `There is no \`nomos ${first} ${second}\`.`,
      remedy: meant === null ? `Use one of: ${verbs.join(", ")}.` : `Did you mean \`nomos ${first} ${meant}\`?`,
    });
  }
  const known = [...Object.keys(EVERYDAY), ...SHORT_NAMES.keys(), ...families()];
  return new ClientError("usage", { message: `There is no command \`${first}\`.`, remedy: remedyFor(first, known) });
}

function remedyFor(given: string, known: readonly string[]): string {
  const hint = Object.hasOwn(FOREIGN, given) ? FOREIGN[given] : undefined;
  if (hint !== undefined) return hint;
  const meant = nearest(given, known);
  if (meant !== null) return `Did you mean \`nomos ${meant}\`? \`nomos help\` lists the commands.`;
  return "`nomos help` lists the commands.";
}
