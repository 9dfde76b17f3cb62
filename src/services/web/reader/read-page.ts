import { Readability } from "@mozilla/readability";
import type { ReadOrder, ReadPage } from "./order.ts";
import { type PageDocument, type PageElement, parsePage } from "./page-document.ts";
import { toMarkdown } from "./to-markdown.ts";
import { toText } from "./to-text.ts";

/** An article shorter than this, or than this part of the page, is not what the page is about. */
const ARTICLE_CHARS_MIN = 250;
const ARTICLE_PART_MIN = 0.3;

/** What the page says, without menus and advertisements. A page that is no article is given whole. */
export function readPage({ html, url, format }: ReadOrder): ReadPage {
  const document = parsePage(html, url);
  const title = document.title.trim() || null;
  const published = dateIn(document);
  const chars = toText(document.body).length;
  // It takes the document apart: what is needed of the whole page is read before, or parsed again.
  const article = new Readability(document as never, OPTIONS).parse();
  const length = article?.length ?? 0;
  const isArticle = length >= ARTICLE_CHARS_MIN && length >= chars * ARTICLE_PART_MIN;
  const content = (isArticle ? article?.content : null) ?? bare(parsePage(html, url));
  return {
    title: article?.title?.trim() || title,
    byline: article?.byline?.trim() || null,
    published: article?.publishedTime?.trim() || published,
    content: bounded(format === "markdown" ? toMarkdown(content) : toText(content)),
  };
}

const CONTENT_CHARS_MAX = 5_000_000;

/** Nested lists and quotes are indented, so that a page can grow by far on its way. */
function bounded(content: string): string {
  if (content.length <= CONTENT_CHARS_MAX) return content;
  return `${content.slice(0, CONTENT_CHARS_MAX)}\n\n[cut after ${CONTENT_CHARS_MAX} characters]`;
}

/** The article as a part of the document: as text it would have to be parsed once more. */
const OPTIONS = { keepClasses: true, serializer: (node: unknown) => node as PageElement };

function bare(document: PageDocument): PageElement {
  for (const element of document.querySelectorAll("script, style, noscript, template, iframe, [hidden]"))
    element.remove();
  return document.body;
}

function dateIn(document: PageDocument): string | null {
  const element = document.querySelector("meta[name=date], meta[itemprop=datePublished], time[datetime]");
  return element?.getAttribute("content")?.trim() || element?.getAttribute("datetime")?.trim() || null;
}
