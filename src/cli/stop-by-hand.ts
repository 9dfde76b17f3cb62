/** Aborts on Ctrl-C, so that following a stream ends cleanly. */
export function stopByHand(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
