/** Runs shared work concurrently and exclusive work alone, in order of arrival. */
export interface Turns {
  readonly shared: <T>(work: () => Promise<T>) => Promise<T>;
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createTurns(): Turns {
  let sharing: Promise<unknown>[] = [];
  /** The last exclusive work; everything after it waits for it. */
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
