/** Takes the first item before the answer begins, so that a refusal is still an error and not an empty stream. */
export async function opened<T>(items: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const iterator = items[Symbol.asyncIterator]();
  const first = iterator.next();
  const settled = await Promise.race([
    first.then(() => true),
    new Promise<false>((resolve) => setImmediate(resolve, false)),
  ]);
  if (settled) await first;
  return {
    [Symbol.asyncIterator]: () => {
      let started = false;
      return {
        next: () => {
          if (started) return iterator.next();
          started = true;
          return first;
        },
        return: async () => (await iterator.return?.()) ?? { done: true as const, value: undefined },
      };
    },
  };
}
