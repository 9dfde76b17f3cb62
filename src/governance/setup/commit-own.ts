import { NomosError } from "../../contract/index.ts";
import { HostError, type PersonCheckout } from "../../host/index.ts";

export interface OwnFiles {
  readonly paths: readonly string[];
  readonly message: string;
  /** False: they are staged, and the person commits them. */
  readonly commit: boolean;
}

/** All of it, or the index is as it was. Null: nothing was committed. */
export async function commitOwn(
  checkout: PersonCheckout,
  { paths, message, commit }: OwnFiles,
): Promise<string | null> {
  const { undo } = await checkout.stage(paths);
  if (!commit) return null;
  return checkout.commit({ paths, message }).catch(async (thrown: unknown) => {
    await undo();
    throw told(thrown);
  });
}

/** What a hook said is what the person needs to read. */
function told(thrown: unknown): unknown {
  if (!(thrown instanceof HostError) || thrown.code !== "commit_refused") return thrown;
  const { why, words } = thrown.details;
  return commitRefused(String(why), String(words), { remedy: thrown.remedy, cause: thrown });
}

/** No commit was made, and all is as it was. `words`: what the program that refused it said. */
export function commitRefused(
  why: string,
  words: string,
  more: { readonly remedy?: string; readonly cause?: unknown } = {},
): NomosError {
  const message = `${WORDS[why] ?? WORDS["hook"]} Nothing was changed. It said: ${words}`;
  return new NomosError("commit_refused", { why, words }, { message, ...more });
}

const WORDS: Readonly<Record<string, string>> = {
  hook: "A hook, or git itself, made no commit.",
  signature: "The commit could not be signed.",
  lock: "Another git works in the repository.",
};
