import { createHash } from "node:crypto";
import { callResource, commandResource, hostResource, type Wish } from "../../turns/index.ts";
import type { ToolChange } from "../update.ts";

type Call = Omit<ToolChange, "status">;

/** What the gate is asked about: the kind, and every file, command and address that the call names anywhere. */
export function wishOf(call: Call): Pick<Wish, "tool" | "resource" | "command" | "paths" | "inputHash"> {
  const { kind, title, callId, input, places, content } = call;
  const words = commandIn(input, String);
  const command = words === null ? null : commandResource(words);
  const address = textIn(input, ADDRESS_KEYS).flatMap((text) => hostResource(text) ?? [])[0];
  return {
    tool: kind ?? "other",
    resource: command ?? address ?? callResource(title ?? callId),
    ...(command === null ? {} : { command }),
    paths: pathsOf(call),
    inputHash: createHash("sha256").update(JSON.stringify({ kind, input, places, content })).digest("hex"),
  };
}

/** Names under which tools are given files. An agent that names one file and would touch another is judged by both. */
const PATH_KEYS = [
  ...["path", "paths", "file_path", "filePath", "absolute_path", "notebook_path", "target_file"],
  ...["old_path", "new_path", "oldPath", "newPath", "source_path", "destination_path"],
];
const ADDRESS_KEYS = ["url", "uri"];
/** Of these kinds a `path` among what the tool is given is a file's; of others it may be anything. */
const OF_FILES: readonly string[] = ["read", "edit", "delete", "move", "search"];

function pathsOf({ kind, places, content, input }: Call): NonNullable<Wish["paths"]> {
  const changed = (content ?? []).flatMap((item) => (item.is === "diff" ? [item.path] : []));
  const given = kind !== null && OF_FILES.includes(kind) ? textIn(input, PATH_KEYS) : [];
  const named = [...(places ?? []).map(({ path }) => path), ...given].filter((path) => !changed.includes(path));
  return [
    ...[...new Set(changed)].map((path) => ({ path, isChanged: true })),
    ...[...new Set(named)].map((path) => ({ path, isChanged: false })),
  ];
}

function textIn(input: unknown, keys: readonly string[]): readonly string[] {
  if (typeof input !== "object" || input === null) return [];
  const values = keys.flatMap((key): unknown => (Object.hasOwn(input, key) ? Reflect.get(input, key) : []));
  return values.flatMap((value) => (typeof value === "string" ? [value] : []));
}

/** `spell`: a word of a command that is a list of words. */
export function commandIn(input: unknown, spell: (word: unknown) => string): string | null {
  const command = typeof input === "object" && input !== null ? Reflect.get(input, "command") : null;
  if (typeof command === "string") return command;
  return Array.isArray(command) ? command.map((word: unknown) => spell(word)).join(" ") : null;
}
