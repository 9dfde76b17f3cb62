import type { MarkedToken, Token, Tokens } from "marked";
import { lexMarkdown } from "./bounded-lexer.ts";
import { withoutReferences } from "./character-references.ts";
import { type Block, type Cells, type Inline, type ListItem, MARKDOWN_CHARS_MAX } from "./markdown-nodes.ts";

/** Elements of one text; what follows is shown as it was written. */
const NODES_MAX = 10_000;

/** What a Markdown text says, as plain data. Raw HTML and link definitions stay visible as text. */
export function parseMarkdown(text: string, nowMs: () => number = Date.now): readonly Block[] {
  if (text.length > MARKDOWN_CHARS_MAX) return [{ is: "raw", text }];
  return toBlocks(lexMarkdown(text, nowMs), { left: NODES_MAX });
}

interface Budget {
  left: number;
}

function toBlocks(tokens: readonly Token[], budget: Budget): readonly Block[] {
  const blocks: Block[] = [];
  for (const [at, token] of tokens.entries()) {
    if (budget.left <= 0) {
      const rest = tokens.slice(at).map(({ raw }) => raw);
      return [...blocks, { is: "raw", text: rest.join("") }];
    }
    budget.left -= 1;
    const block = toBlock(token as MarkedToken, budget);
    if (block !== null) blocks.push(block);
  }
  return blocks;
}

function toBlock(token: MarkedToken, budget: Budget): Block | null {
  switch (token.type) {
    // A box to check stands first in its item, which says itself whether it is checked.
    case "space":
    case "checkbox":
      return null;
    case "paragraph":
      return { is: "paragraph", of: toInlines(token.tokens, budget) };
    case "text":
      return {
        is: "paragraph",
        of: token.tokens === undefined ? [textOf(token.text)] : toInlines(token.tokens, budget),
      };
    case "heading":
      return { is: "heading", depth: token.depth, of: toInlines(token.tokens, budget) };
    case "code":
      return { is: "code", text: token.text, language: token.lang?.slice(0, LANGUAGE_CHARS_MAX) || null };
    case "blockquote":
      return { is: "quote", blocks: toBlocks(token.tokens, budget) };
    case "list":
      return { is: "list", start: token.ordered ? Number(token.start) : null, items: toItems(token.items, budget) };
    case "table":
      return toTable(token, budget);
    case "hr":
      return { is: "rule" };
    default:
      return { is: "raw", text: token.raw.replace(/\n+$/, "") };
  }
}

const LANGUAGE_CHARS_MAX = 60;

function toItems(items: readonly Tokens.ListItem[], budget: Budget): readonly ListItem[] {
  return items.map(({ task, checked, tokens }) => ({
    checked: task ? checked === true : null,
    blocks: toBlocks(tokens, budget),
  }));
}

function toTable({ align, header, rows }: Tokens.Table, budget: Budget): Block {
  const cells = (row: readonly Tokens.TableCell[]): Cells => row.map(({ tokens }) => toInlines(tokens, budget));
  return { is: "table", align, head: cells(header), rows: rows.map(cells) };
}

function toInlines(tokens: readonly Token[], budget: Budget): readonly Inline[] {
  return tokens.flatMap((token) => {
    budget.left -= 1;
    if (budget.left <= 0) return [{ is: "text" as const, text: token.raw }];
    const inline = toInline(token as MarkedToken, budget);
    return inline === null ? [] : [inline];
  });
}

function toInline(token: MarkedToken, budget: Budget): Inline | null {
  switch (token.type) {
    case "text":
    case "escape":
      return "tokens" in token && token.tokens !== undefined && token.tokens.length > 0
        ? { is: "text", text: flat(token.tokens) }
        : textOf(token.text);
    case "codespan":
      return { is: "code", text: token.text };
    case "br":
      return { is: "break" };
    case "strong":
    case "em":
    case "del":
      return { is: token.type, of: toInlines(token.tokens, budget) };
    case "link": {
      const href = token.autolink === true ? token.href : withoutReferences(token.href);
      return { is: "link", href, of: toInlines(token.tokens, budget) };
    }
    case "image":
      return { is: "image", href: withoutReferences(token.href), alt: withoutReferences(token.text) };
    case "checkbox":
      return null;
    default:
      return { is: "text", text: token.raw };
  }
}

function textOf(text: string): Inline {
  return { is: "text", text: withoutReferences(text) };
}

function flat(tokens: readonly Token[]): string {
  return tokens.map(({ raw }) => withoutReferences(raw)).join("");
}
