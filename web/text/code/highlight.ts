import { common, createLowlight } from "lowlight";
import { type CodeLine, HIGHLIGHT_LINE_CHARS_MAX, type Piece, plainLines } from "./code-lines.ts";

type Root = ReturnType<ReturnType<typeof createLowlight>["highlight"]>;
type Element = Extract<Root["children"][number], { readonly type: "element" }>;
type Text = Extract<Root["children"][number], { readonly type: "text" }>;

/** Highlights code; loaded by the thread when it is first needed, because grammars are large. */
export function createHighlighter(): (text: string, grammar: string) => readonly CodeLine[] {
  const lowlight = createLowlight(common);
  return (text, grammar) => {
    if (!lowlight.registered(grammar)) return plainLines(text);
    return shortLines(linesOf(lowlight.highlight(grammar, text, { prefix: "" })));
  };
}

function linesOf(root: Root): readonly CodeLine[] {
  const lines: Piece[][] = [[]];
  const put = (kind: string, text: string): void => {
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (part === "") continue;
      const line = lines.at(-1) ?? [];
      const last = line.at(-1);
      if (last !== undefined && last[0] === kind) line[line.length - 1] = [kind, last[1] + part];
      else line.push([kind, part]);
    }
  };
  // A stack instead of recursion: grammars nest as deep as the text does.
  const open: { readonly node: Root | Element | Text; readonly kind: string }[] = [{ node: root, kind: "" }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, kind } = next;
    if (node.type === "text") put(kind, node.value);
    else
      for (const child of [...node.children].reverse()) {
        if (child.type === "text") open.push({ node: child, kind });
        else if (child.type === "element") open.push({ node: child, kind: kindOf(child) ?? kind });
      }
  }
  return lines;
}

/** The first class of an element: `title function_` is a `title`. Sublanguages have none of their own. */
function kindOf({ properties }: Element): string | null {
  const classes = properties["className"];
  const first = Array.isArray(classes) ? classes[0] : null;
  return typeof first === "string" && /^[a-z_-]+$/.test(first) ? first : null;
}

function shortLines(lines: readonly CodeLine[]): readonly CodeLine[] {
  return lines.map((line) => {
    const text = line.map(([, piece]) => piece).join("");
    return text.length > HIGHLIGHT_LINE_CHARS_MAX ? [["", text]] : line;
  });
}
