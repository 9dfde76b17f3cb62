import { CONFIG_DEFAULTS, Config, HOT_KEYS } from "../../src/contract/index.ts";
import { schemaOf } from "./json-schema.ts";
import { code, fence, page, table } from "./markdown.ts";
import { typeText } from "./type-text.ts";

export function configurationPage(): string {
  const defaults: { readonly [key: string]: number } = CONFIG_DEFAULTS;
  const { properties = {} } = schemaOf(Config, "input");
  const rows = Object.entries(properties).map(([key, schema]) => [
    code(key),
    code(typeText(schema, new Map()).replaceAll(/\s+/g, " ").replaceAll("readonly ", "")),
    defaults[key] === undefined ? "" : code(String(defaults[key])),
    HOT_KEYS.includes(key) ? "at once" : "after a restart",
    schema.description ?? "",
  ]);
  return page(
    "Configuration",
    "`$NOMOS_HOME/config.json`, read when the daemon starts. Change it with `nomos config set KEY VALUE` or `PUT /api/config`, while the daemon runs; a wrong member is refused by name, and members of a newer version are kept. Answers hide what could be a secret as `[hidden]`: the environment and the values of arguments of drivers, logins in addresses, and members that this version does not know. Sent back unchanged, `[hidden]` means what is there; for anything else it is refused. The file itself has it all.",
    table(["key", "type", "default", "in force", "meaning"], rows),
    "A driver of your own:",
    fence("sh", 'nomos config set drivers.mine.file /home/me/mine.ts\nnomos run -a mine "hello"'),
  );
}
