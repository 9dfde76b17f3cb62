/** Loaded by its first user, once: what nobody uses costs the start of the daemon nothing. */
export interface Late<T> {
  readonly get: () => Promise<T>;
  /** Null when nobody has asked for it. */
  readonly loaded: () => Promise<T> | null;
}

export function late<T>(load: () => Promise<T>): Late<T> {
  let loading: Promise<T> | null = null;
  return {
    get: () => {
      loading ??= load();
      return loading;
    },
    loaded: () => loading,
  };
}
