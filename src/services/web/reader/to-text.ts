import type { PageNode } from "./page-document.ts";

const BLOCKS: ReadonlySet<string> = new Set([
  ...["ADDRESS", "ARTICLE", "ASIDE", "BLOCKQUOTE", "BR", "DD", "DIV", "DL", "DT", "FIGCAPTION", "FIGURE", "FOOTER"],
  ...["H1", "H2", "H3", "H4", "H5", "H6", "HEADER", "HR", "LI", "MAIN", "NAV", "OL", "P", "PRE", "SECTION", "TABLE"],
  ...["TR", "UL"],
]);
const HIDDEN: ReadonlySet<string> = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD"]);
const ELEMENT = 1;
const TEXT = 3;

/** A part of a page as plain text, one line for each block. */
export function toText(root: PageNode): string {
  const parts: string[] = [];
  const walk = (node: PageNode, isPre: boolean): void => {
    if (node.nodeType === TEXT) parts.push(isPre ? node.textContent : node.textContent.replace(/\s+/g, " "));
    if (node.nodeType !== ELEMENT || HIDDEN.has(node.nodeName)) return;
    const isBlock = BLOCKS.has(node.nodeName);
    if (isBlock) parts.push("\n");
    if (node.nodeName === "TD" || node.nodeName === "TH") parts.push(" ");
    for (const child of node.childNodes) walk(child, isPre || node.nodeName === "PRE");
    if (isBlock) parts.push("\n");
  };
  walk(root, false);
  return parts
    .join("")
    .replace(/[ \t]*\n[ \t]*/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
