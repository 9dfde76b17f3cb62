import { stringify } from "yaml";
import { compileRules, LAW_ACTIONS } from "../../domains/index.ts";
import type { Json } from "../../kernel/index.ts";
import { linesOf, policyBlocks } from "../law/constitution.ts";
import { parseYaml } from "../yaml/parse-yaml.ts";
import { commandFromExo, patternsFromExo } from "./exo-pattern.ts";
import { type ExoValue, exoValue, type LeftOut } from "./exo-value.ts";

const MEMBERS = ["id", "type", "patterns", "actions", "message", "checks"];
const ABOUT_FILES = ["filesystem_deny", "filesystem_allow"];

/** The same page with our rules. A block that cannot be taken over stays as text, without being a rule. */
export function constitutionFromExo(text: string, leftOut: LeftOut[]): string {
  const lines = linesOf(text);
  const { blocks } = policyBlocks(text);
  for (const { body, line, end, dialect } of blocks.toReversed()) {
    if (dialect !== "exo") continue;
    const rule = ruleFrom(body, line, leftOut);
    const fence =
      lines[line - 1]?.replace(/ya?ml\s+exo-policy.*$/i, rule === null ? "yaml" : "yaml nomos-policy") ?? "";
    const indent = /^[ \t]*/.exec(fence)?.[0] ?? "";
    const inside = (rule ?? body).replace(/\n$/, "").split("\n");
    lines.splice(line - 1, end - line, fence, ...inside.map((one) => (one === "" ? one : `${indent}${one}`)));
  }
  return lines.join("\n");
}

/** Null: it cannot be taken over. */
function ruleFrom(body: string, line: number, leftOut: LeftOut[]): string | null {
  const parsed = parseYaml(body);
  const given = exoValue(parsed.ok ? parsed.value : null);
  const what = `${given.text("id") || "a rule"} (line ${line})`;
  const leave = (reason: string): null => {
    leftOut.push({ what, reason });
    return null;
  };
  if (!parsed.ok) return leave(parsed.reason);
  const rule = convert(given, (reason) => leave(reason));
  if (rule === null) return null;
  const { faults } = compileRules([{ value: rule, line, dialect: "nomos" }]);
  return faults[0] === undefined ? stringify(rule, { lineWidth: 0 }) : leave(faults[0].reason);
}

function convert(given: ExoValue, leave: (reason: string) => null): { readonly [key: string]: Json } | null {
  const named = given.text("type");
  const type = named === "require_lock" ? "require_lease" : named;
  const odd = given.keys.filter((key) => !MEMBERS.includes(key));
  if (odd.length > 0) leave(`its members ${odd.join(", ")} have no equal`);
  const patterns = given.texts("patterns").flatMap((pattern) => {
    const ours = patternsFromExo(pattern);
    if (ours === null) leave(`its pattern \`${pattern.slice(0, 100)}\` has no equal`);
    return ours ?? [];
  });
  const isAboutFiles = ABOUT_FILES.includes(type);
  if (isAboutFiles && given.texts("patterns").length > 0 && patterns.length === 0) return null;
  const actions = given.texts("actions");
  const known = actions.filter((action) => LAW_ACTIONS.some((one) => one === action));
  const unknown = actions.filter((action) => !known.includes(action));
  if (known.length > 0 && unknown.length > 0) leave(`its actions ${unknown.join(", ")} have no equal`);
  if (actions.length > 0 && known.length === 0) return leave("none of its actions is read, write or delete");
  if (type === "filesystem_allow") leave("taken over, but it no longer lifts a denial: here a denial always wins");
  const checks = given.texts("checks").flatMap((command) => {
    const argv = commandFromExo(command);
    if (argv === null) leave(`its check \`${command.slice(0, 100)}\` needs a shell`);
    return argv === null ? [] : [argv];
  });
  if (type === "require_checks" && checks.length === 0) return leave("it names no checks: they are in config.yaml");
  return {
    id: given.text("id"),
    type,
    ...(isAboutFiles
      ? { patterns: patterns.length === 0 ? ["**"] : patterns }
      : patterns.length > 0
        ? { patterns }
        : {}),
    ...(known.length > 0 ? { actions: known } : {}),
    ...(given.text("message") === "" ? {} : { message: given.text("message") }),
    ...(checks.length > 0 ? { checks } : {}),
  };
}
