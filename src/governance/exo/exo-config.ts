import { stringify } from "yaml";
import { CONFIG_VERSION, DEFAULT_CONFIG } from "../config/law-config.ts";
import { commandFromExo, patternsFromExo } from "./exo-pattern.ts";
import { type ExoValue, exoValue, type LeftOut } from "./exo-value.ts";

/** What becomes of the members of their configuration. All others are left out. */
const TAKEN = ["version", "defaults", "global_checks", "scheduler", "coherence", "git_controls"];

export function configFromExo(given: unknown, leftOut: LeftOut[]): string {
  const from = exoValue(given);
  const leave = (what: string, reason: string): void => void leftOut.push({ what: `config.yaml: ${what}`, reason });
  for (const key of from.keys) if (!TAKEN.includes(key)) leave(key, "it has no equal");
  const budgets = from.in("defaults").in("ticket_budgets");
  const scheduler = from.in("scheduler");
  const branch = from.in("git_controls").text("base_branch_fallback");
  const ticketsAtOnceMax = scheduler.count("global_concurrency_limit");
  const lanes = scheduler.items("lanes").flatMap(laneFrom);
  const coUpdates = from.in("coherence").items("co_update_rules").flatMap(coUpdateFrom);
  const checks = from.texts("global_checks").flatMap((command) => {
    const argv = commandFromExo(command);
    if (argv === null) leave(`global_checks: ${command.slice(0, 100)}`, "it needs a shell, and checks run without one");
    return argv === null ? [] : [argv];
  });
  return stringify(
    {
      version: CONFIG_VERSION,
      ...(branch === "" ? {} : { branch }),
      budgets: {
        files: budgets.count("max_files_changed") ?? DEFAULT_CONFIG.budgets.files,
        lines: budgets.count("max_loc_changed") ?? DEFAULT_CONFIG.budgets.lines,
      },
      checks,
      ...(lanes.length === 0 ? {} : { lanes }),
      ...(ticketsAtOnceMax === null ? {} : { ticketsAtOnceMax }),
      ...(coUpdates.length === 0 ? {} : { coUpdates }),
    },
    { lineWidth: 0 },
  );
}

function laneFrom(lane: ExoValue): readonly object[] {
  const [name, types, count] = [lane.text("name"), lane.texts("allowed_types"), lane.count("count")];
  return name === "" || types.length === 0 || count === null ? [] : [{ name, types, count }];
}

function coUpdateFrom(rule: ExoValue): readonly object[] {
  const files = rule.texts("files").filter((file) => patternsFromExo(file) !== null);
  return files.length < 2 ? [] : [{ files, label: rule.text("label") || files.join(", ").slice(0, 200) }];
}
