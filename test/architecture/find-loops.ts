/** One loop, as a list of its members, for each edge that leads back into the current path. Empty: no cycle. */
export function findLoops(
  nodes: readonly string[],
  next: (node: string) => readonly string[],
): readonly (readonly string[])[] {
  const loops: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const walk = (node: string): void => {
    const seenAt = path.indexOf(node);
    if (seenAt >= 0) loops.push(path.slice(seenAt));
    if (seenAt >= 0 || done.has(node)) return;
    path.push(node);
    for (const further of next(node)) walk(further);
    path.pop();
    done.add(node);
  };
  for (const node of nodes) walk(node);
  return loops;
}
