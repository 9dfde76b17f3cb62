/** Every string in plain JSON data, names of members too. Answers the same value when no string changes. */
export function redactData<T>(value: T, text: (text: string) => string): T {
  return redacted(value, text) as T;
}

function redacted(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return redactedList(value, text);
  return typeof value === "object" && value !== null ? redactedMembers(value, text) : value;
}

function redactedList(list: readonly unknown[], text: (text: string) => string): readonly unknown[] {
  let changed: unknown[] | null = null;
  for (const [index, item] of list.entries()) {
    const next = redacted(item, text);
    if (next === item) continue;
    changed ??= [...list];
    changed[index] = next;
  }
  return changed ?? list;
}

/** Looks first and copies only what changes: nearly all data of events holds no secret. */
function redactedMembers(members: object, text: (text: string) => string): object {
  for (const [name, value] of Object.entries(members))
    if (text(name) !== name || redacted(value, text) !== value) return copied(members, text);
  return members;
}

function copied(members: object, text: (text: string) => string): object {
  const taken = new Set<string>();
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [free(text(name), taken), redacted(value, text)]),
  );
}

/** Two names that become the same marker stay two members. */
function free(name: string, taken: Set<string>): string {
  let unique = name;
  for (let count = 2; taken.has(unique); count += 1) unique = `${name}#${count}`;
  taken.add(unique);
  return unique;
}
