/** A map's own entry: a key out of somebody's hands, such as `constructor`, must not find what every object inherits. */
export function ownEntry<T>(map: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
