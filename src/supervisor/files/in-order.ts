/** Runs work on one name in order of arrival; different names do not wait for each other. */
export function createInOrder(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work, work);
    const done = mine.then(
      () => undefined,
      () => undefined,
    );
    last.set(name, done);
    return mine.finally(() => {
      if (last.get(name) === done) last.delete(name);
    });
  };
}
