import { ROUTES, SHORT_FORMS } from "./manifest.generated.ts";
import { decodeEntry, type SyscallEntry } from "./manifest.ts";

/** The names of all syscalls, in the table's order; short form -> name. */
export const SYSCALL_NAMES: readonly string[] = Object.keys(ROUTES);
export const SHORT_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(SHORT_FORMS));

const ROUTE_OF: ReadonlyMap<string, string> = new Map(Object.entries(ROUTES));

export function routeOf(name: string): string | null {
  return ROUTE_OF.get(name) ?? null;
}

/** Everything about these syscalls. Loaded and decoded when asked for: most commands need none, the others need one. */
export async function loadEntries(names: readonly string[]): Promise<readonly SyscallEntry[]> {
  const { DETAILS } = await import("./details.generated.ts");
  const details: { readonly [name: string]: string } = DETAILS;
  const shorts = new Map([...SHORT_NAMES].map(([short, name]) => [name, short]));
  return names.flatMap((name) => {
    const [text, route] = [Object.hasOwn(details, name) ? details[name] : undefined, routeOf(name)];
    if (text === undefined || route === null) return [];
    return [decodeEntry(text, { name, route, short: shorts.get(name) ?? null })];
  });
}
