import { NomosError } from "../../contract/index.ts";
import type { Redactor } from "../../redaction/index.ts";
import type { Settings } from "./settings.ts";

/** `config.json` is no place for what the vault holds. A value that stands there already does not block other changes. */
export function refusingSecrets(settings: Settings, redactor: Pick<Redactor, "find">): Settings {
  return {
    ...settings,
    change: async (patch) => {
      const before = JSON.stringify(settings.show());
      for (const text of textsIn(patch))
        if (redactor.find(text).some(({ kind }) => kind === "vault") && !before.includes(JSON.stringify(text)))
          throw new NomosError("secret_in_name");
      await settings.change(patch);
    },
  };
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) {
      yield name;
      yield* textsIn(member);
    }
}
