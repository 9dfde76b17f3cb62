import TurndownService from "turndown";
import type { PageElement, PageNode } from "./page-document.ts";

/** A part of a page as Markdown: headings with `#`, fenced code with its language, tables with pipes. */
export function toMarkdown(root: PageElement): string {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    hr: "---",
  });
  service.remove([
    "script",
    "style",
    "noscript",
    "template",
    "iframe",
    "object",
    "button",
  ] as TurndownService.TagName[]);
  service.addRule("code", {
    filter: (node) => node.nodeName === "PRE",
    replacement: (_content, node) => codeBlock(node as unknown as PageElement),
  });
  service.addRule("cell", {
    filter: ["th", "td"],
    replacement: (content) =>
      ` ${content
        .trim()
        .replace(/\s*\n\s*/g, " ")
        .replaceAll("|", "\\|")} |`,
  });
  service.addRule("row", {
    filter: "tr",
    replacement: (content, node) =>
      `\n|${content}${isFirstRow(node as unknown as PageNode) ? divider(node as unknown as PageNode) : ""}`,
  });
  service.addRule("tableParts", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content });
  service.addRule("table", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` });
  return service.turndown(root as never).replace(/\n{3,}/g, "\n\n");
}

function codeBlock(pre: PageElement): string {
  const text = pre.textContent.replace(/^\n|\n$/g, "");
  const named = `${pre.getAttribute("class") ?? ""} ${pre.querySelector("code")?.getAttribute("class") ?? ""}`;
  const [, language = ""] = /(?:^|\s)(?:language|lang)-([\w+#-]{1,30})/.exec(named) ?? [];
  // Longer than any run inside, or the text would end the block.
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
}

/** Markdown has no table without a head, so the first row is one. */
function isFirstRow(row: PageNode): boolean {
  let at: PageNode | null = row;
  while (at !== null && at.nodeName !== "TABLE") {
    for (const sibling of at.parentNode?.childNodes ?? []) {
      if (sibling === at) break;
      if (["TR", "THEAD", "TBODY"].includes(sibling.nodeName)) return false;
    }
    at = at.parentNode;
  }
  return true;
}

function divider(row: PageNode): string {
  const cells = [...row.childNodes].filter(({ nodeName }) => nodeName === "TH" || nodeName === "TD").length;
  return `\n|${" --- |".repeat(Math.max(1, cells))}`;
}
