import { ClientError } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";
import { openKeyInput } from "./key-input.ts";

/** Asks on the terminal and shows nothing of the answer. A pasted text may have several lines; Enter ends it. */
export async function askHidden(terminal: Terminal, question: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let typed = "";
  const keys = openKeyInput(
    terminal,
    ({ name, text, ctrl }) => {
      // A line feed comes from what was typed before the terminal's own line editing was off.
      if (name === "enter" || (ctrl && text === "j")) return resolve(typed);
      if (ctrl && (text === "c" || text === "d")) return reject(stopped());
      if (name === "backspace") typed = [...typed].slice(0, -1).join("");
      else if (name === "paste" || (name === "text" && !ctrl)) typed += text;
    },
    () => reject(stopped()),
  );
  // Only now: whoever types at once must not be shown either.
  terminal.complain(`${question} (not shown; end with Enter)`);
  try {
    return await promise;
  } finally {
    keys.close();
  }
}

function stopped(): ClientError {
  return new ClientError("usage", { message: "Nothing was given.", remedy: "Run the command again." });
}
