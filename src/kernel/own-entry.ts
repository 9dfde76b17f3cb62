/** Reads a map's own entry: a foreign key such as `constructor` must not find an inherited member. */
export function ownEntry<T>(map: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The same for a value that came from outside and may be anything. Undefined when it is no object or has no such member. */
export function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
