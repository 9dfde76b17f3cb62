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
    "The daemon reads `$NOMOS_HOME/config.json` when it starts. Change it while the daemon runs with `nomos config set KEY VALUE` or `PUT /api/config`. An invalid member is refused and named; members of a newer version are kept. Answers show possible secrets as `[hidden]`: the environment and the argument values of drivers, logins in addresses, and members that this version does not know. If you send `[hidden]` back unchanged, the setting keeps its value; anywhere else it is refused. The file holds all values.",
    table(["key", "type", "default", "in force", "meaning"], rows),
    "To add your own driver:",
    fence("sh", 'nomos config set drivers.mine.file /home/me/mine.ts\nnomos run -a mine "hello"'),
  );
}
