/** Loads a module once, on first use, so that unused modules do not slow the daemon's start. */
export interface Late<T> {
  readonly get: () => Promise<T>;
  /** Null until somebody has called `get`. */
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
