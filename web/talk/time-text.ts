/** `0.4 s`, `12 s`, `3 min 20 s` */
export function spanText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The time of day, by the reader's clock. */
export function clockText(at: string): string {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

/** The time of day, with the day when it is another one. */
export function momentText(at: string): string {
  const then = new Date(at);
  const isToday = then.toDateString() === new Date().toDateString();
  return isToday
    ? clockText(at)
    : then.toLocaleString([], { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

/** `$0.0042`, from millionths of a dollar */
export function dollarsText(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(microUsd < 100_000 ? 4 : 2)}`;
}
