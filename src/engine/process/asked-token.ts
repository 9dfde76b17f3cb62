import { asked, CallError, type Link } from "../loop/link.ts";
import { ModelError, type ModelErrorClass } from "../model.ts";

/** The codes with which the daemon says why a login gives no token; any other failure may pass. */
const CLASSES: { readonly [code: string]: ModelErrorClass } = { model_auth: "auth", model_unreachable: "unreachable" };

/** The current token of a login, from the daemon. It fails as a model does, so that the loop retries or falls back. */
export async function askedToken(link: Link, model: string): Promise<string> {
  try {
    return await asked<string>(link, { do: "token", model });
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown;
    throw new ModelError(CLASSES[thrown.code] ?? "overloaded", thrown.message, { cause: thrown });
  }
}
