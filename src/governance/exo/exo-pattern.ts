/**
 * A pattern of ExoProtocol as patterns of ours. There a `*` also matches `/`, and `**` means the same; `?` and `[...]`
 * have no equal here. Null: it cannot be said.
 */
export function patternsFromExo(pattern: string): readonly string[] | null {
  if (/[?[\]{}]|^!/.test(pattern)) return null;
  const prefix = /^(~\/|\/)/.exec(pattern)?.[0] ?? "";
  const segments = pattern.slice(prefix.length).replace(/^\.\//, "").replace(/\/$/, "").split("/");
  let all: readonly string[] = [""];
  for (const [at, segment] of segments.entries()) {
    const ways = waysOf(segment.replace(/\*+/g, "*"));
    all = all.flatMap((start) => ways.map((way) => (at === 0 ? way : `${start}/${way}`)));
    if (all.length > WAYS_MAX) return null;
  }
  return [...new Set(all.map((one) => prefix + one))];
}

const WAYS_MAX = 16;

/** A star within a name may be a part of the name, or several folders. One at an end covers everything below anyway. */
function waysOf(segment: string): readonly string[] {
  if (segment === "*") return ["**"];
  if (segment.startsWith("*")) return waysOf(segment.slice(1)).map((rest) => `**/*${rest}`);
  const star = segment.indexOf("*");
  if (star < 0 || star === segment.length - 1) return [segment];
  const [head, tail] = [segment.slice(0, star), segment.slice(star + 1)];
  return waysOf(tail).flatMap((rest) => [`${head}*${rest}`, `${head}*/**/*${rest}`]);
}

/** A command as a list of words. Null: it needs a shell, and checks run without one. */
export function commandFromExo(command: string): readonly string[] | null {
  const words = command.trim().split(/\s+/);
  return command.trim() === "" || /["'`$&|;<>(){}\\*?#~!]|=/.test(command) ? null : words;
}
