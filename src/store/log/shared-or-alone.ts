/** Work that may go on side by side, and work that wants to be alone. Whoever comes first goes first. */
export interface Turns {
  readonly shared: <T>(work: () => Promise<T>) => Promise<T>;
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createTurns(): Turns {
  let sharing: Promise<unknown>[] = [];
  /** The last that wanted to be alone: everybody behind it waits for it. */
  let last: Promise<unknown> = Promise.resolve();

  return {
    shared: (work) => {
      const mine = last.then(work);
      const done = mine.then(
        () => undefined,
        () => undefined,
      );
      sharing.push(done);
      void done.then(() => {
        sharing = sharing.filter((other) => other !== done);
      });
      return mine;
    },
    alone: (work) => {
      const mine = Promise.all([last, ...sharing]).then(work);
      last = mine.then(
        () => undefined,
        () => undefined,
      );
      return mine;
    },
  };
}
