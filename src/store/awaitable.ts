/** What one store has at once and another must wait for. */
export type Awaitable<T> = T | Promise<T>;
