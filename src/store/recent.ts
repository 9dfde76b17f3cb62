/** The entries that were set last, up to a maximum. */
export interface Recent<Key, Value> {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => void;
  readonly delete: (key: Key) => void;
  readonly clear: () => void;
}

export function createRecent<Key, Value>(max: number): Recent<Key, Value> {
  const kept = new Map<Key, Value>();
  return {
    get: (key) => kept.get(key),
    set: (key, value) => {
      kept.delete(key);
      kept.set(key, value);
      if (kept.size <= max) return;
      for (const oldest of kept.keys()) {
        kept.delete(oldest);
        break;
      }
    },
    delete: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}
