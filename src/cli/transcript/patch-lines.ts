import { wrap } from "../print/screen-text.ts";
import { harmless } from "../screen/harmless.ts";
import { bold, cyan, dim, green, red, type Text } from "../screen/styled.ts";

/** A unified diff in colour. Long lines are wrapped, not cut: a person decides about all of it. */
export function patchLines(diff: string, columns: number): readonly Text[] {
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .flatMap((line) => {
      const paint = painterOf(line);
      return wrap(harmless(line), columns).map((part) => paint(part));
    });
}

function painterOf(line: string): (text: string) => Text {
  if (line.startsWith("+++") || line.startsWith("---")) return bold;
  if (line.startsWith("+")) return green;
  if (line.startsWith("-")) return red;
  return line.startsWith("@@") ? cyan : dim;
}
