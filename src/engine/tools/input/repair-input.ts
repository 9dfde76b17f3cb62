/**
 * Accepts what models send by habit instead of what the schema says: names that other tools use, `null` for an absent
 * field, a number or a list written as a string, one item where a list is due. Anything else is left for the schema to
 * refuse.
 */
export function repairInput(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  switch (schema["type"]) {
    case "object":
      return isObject(value) ? repairObject(value, schema) : repairText(value, schema);
    case "array":
      return repairList(value, schema);
    case "integer":
    case "number":
      return typeof value === "string" && /^-?\d{1,15}(?:\.\d+)?$/.test(value.trim()) ? Number(value) : value;
    case "boolean":
      return value === "true" ? true : value === "false" ? false : value;
    case "string":
      return repairWord(value, schema["enum"]);
    default:
      return value;
  }
}

function repairObject(given: Fields, schema: Fields): Fields {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const needed = Array.isArray(schema["required"]) ? schema["required"] : [];
  const value = intoList(given, properties);
  const result: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    const name = renamed(key, properties);
    const isTaken = name !== key && name in value;
    if (item === null && name in properties && !needed.includes(name)) continue;
    result.push(name in properties && !isTaken ? [name, repairInput(item, properties[name])] : [key, item]);
  }
  return Object.fromEntries(result);
}

/** The fields of one item where a list of them is due: `old` and `new` beside `path` become `edits: [{old, new}]`. */
function intoList(value: Fields, properties: Fields): Fields {
  for (const [name, of] of Object.entries(properties)) {
    const items = isObject(of) && isObject(of["items"]) ? of["items"]["properties"] : null;
    if (!isObject(items) || name in value) continue;
    const entries = Object.entries(value);
    const isOfItem = ([key]: readonly [string, unknown]): boolean =>
      renamed(key, properties) in properties ? false : renamed(key, items) in items;
    const inside = entries.filter(isOfItem);
    if (inside.length === 0) continue;
    return { ...Object.fromEntries(entries.filter((entry) => !isOfItem(entry))), [name]: [Object.fromEntries(inside)] };
  }
  return value;
}

function renamed(key: string, properties: Fields): string {
  if (key in properties) return key;
  const names = Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined;
  return (names ?? []).find((name) => name in properties) ?? key;
}

function repairList(value: unknown, schema: Fields): unknown {
  const list = repairText(value, schema);
  if (Array.isArray(list)) return list.map((item) => repairInput(item, schema["items"]));
  const items = isObject(schema["items"]) ? schema["items"]["type"] : null;
  const isItem = items === "object" ? isObject(list) : items === "string" && typeof list === "string";
  return isItem ? [repairInput(list, schema["items"])] : list;
}

/** Some models write a nested value as JSON in a string. */
function repairText(value: unknown, schema: Fields): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    return value; // A text that only looks like JSON.
  }
  if (schema["type"] === "object") return isObject(parsed) ? repairObject(parsed, schema) : value;
  return Array.isArray(parsed) || isObject(parsed) ? parsed : value;
}

function repairWord(value: unknown, choices: unknown): unknown {
  if (typeof value !== "string" || !Array.isArray(choices) || choices.includes(value)) return value;
  const low = value.toLowerCase();
  const word = Object.hasOwn(WORDS, low) ? WORDS[low] : low;
  return choices.includes(word) ? word : value;
}

type Fields = { readonly [key: string]: unknown };

/** What other agents' tools call it. The first name that the tool has is meant. */
const ALIASES: { readonly [key: string]: readonly string[] } = {
  file_path: ["path"],
  filePath: ["path"],
  filepath: ["path"],
  file: ["path"],
  filename: ["path", "name"],
  file_name: ["path", "name"],
  directory: ["path"],
  dir: ["path"],
  folder: ["path"],
  target_file: ["path"],
  cmd: ["command"],
  script: ["command"],
  old_string: ["old"],
  oldString: ["old"],
  old_str: ["old"],
  old_text: ["old"],
  oldText: ["old"],
  old_content: ["old"],
  new_string: ["new"],
  newString: ["new"],
  new_str: ["new"],
  new_text: ["new"],
  newText: ["new"],
  new_content: ["new"],
  replace_all: ["all"],
  replaceAll: ["all"],
  contents: ["content"],
  text: ["content", "message"],
  file_text: ["content"],
  body: ["content", "message"],
  data: ["text", "content"],
  prompt: ["text", "question"],
  start_line: ["offset"],
  startLine: ["offset"],
  line: ["offset"],
  max_lines: ["limit"],
  max_results: ["limit"],
  maxResults: ["limit"],
  head_limit: ["limit"],
  count: ["limit"],
  regex: ["pattern"],
  query: ["pattern"],
  search: ["pattern"],
  include: ["glob"],
  ignore_case: ["ignoreCase"],
  case_insensitive: ["ignoreCase"],
  fixed_strings: ["literal"],
  timeout: ["timeoutMs"],
  timeout_ms: ["timeoutMs"],
  run_in_background: ["background"],
  detached: ["background"],
  process_id: ["processId"],
  pid: ["processId"],
  id: ["processId"],
  effect_id: ["effectId"],
  todos: ["items"],
  content: ["text"],
  title: ["text", "name"],
  state: ["status"],
  choices: ["options"],
  media_type: ["mediaType"],
  mime_type: ["mediaType"],
  mimeType: ["mediaType"],
  files: ["paths"],
  commit: ["ref"],
  revision: ["ref"],
  cached: ["staged"],
  input: ["patch", "text"],
  diff: ["patch"],
};

const WORDS: { readonly [key: string]: string } = {
  pending: "open",
  todo: "open",
  in_progress: "active",
  doing: "active",
  completed: "done",
  complete: "done",
};

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
