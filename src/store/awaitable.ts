/** A result that one store returns at once and another asynchronously. */
export type Awaitable<T> = T | Promise<T>;
