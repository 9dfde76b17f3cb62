const MEMORY = new Map<string, string>();

/** A browser may refuse storage; then a value lives as long as the page. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`nomos.${name}`) ?? MEMORY.get(name) ?? null;
  } catch {
    return MEMORY.get(name) ?? null;
  }
}

/** False when it is kept only until the page is closed. */
export function keep(name: string, value: string | null): boolean {
  if (value === null) MEMORY.delete(name);
  else MEMORY.set(name, value);
  try {
    if (value === null) localStorage.removeItem(`nomos.${name}`);
    else localStorage.setItem(`nomos.${name}`, value);
    return true;
  } catch {
    return false;
  }
}
