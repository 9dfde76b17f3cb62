/** Reads a map's own entry: a foreign key such as `constructor` must not find an inherited member. */
export function ownEntry<T>(map: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
