import { decodeText } from "./content/charset.ts";
import { contentKind } from "./content/content-kind.ts";
import { oneLine } from "./content/fence.ts";
import type { Page } from "./content/pages.ts";
import { type Follow, follow } from "./reach/follow.ts";
import type { WebAnswer } from "./reach/request.ts";
import type { WebUrl } from "./reach/web-url.ts";
import type { ReadHtml } from "./reader/start-reader.ts";

export type PageFormat = "markdown" | "text" | "raw";

export type Fetched =
  | { readonly is: "page"; readonly page: Page }
  | { readonly is: "image"; readonly url: string; readonly mediaType: string; readonly base64: string }
  /** A redirect that is not followed. */
  | { readonly is: "elsewhere"; readonly from: string; readonly to: string };

export async function fetchPage(url: WebUrl, format: PageFormat, how: Follow, readHtml: ReadHtml): Promise<Fetched> {
  const found = await follow(url, how);
  const { answer } = found;
  if (found.leadsTo !== null) return { is: "elsewhere", from: found.url.href, to: found.leadsTo.href };
  const type = answer.headers["content-type"] ?? "";
  const content = contentKind(answer.body, type);
  if (content.kind === "image") {
    const { mediaType } = content;
    return { is: "image", url: found.url.href, mediaType, base64: answer.body.toString("base64") };
  }
  const text = decodeText(answer.body, type);
  const page = { url: found.url.href, status: answer.status };
  if (content.kind === "text" || format === "raw") return { is: "page", page: { ...page, head: headOf(answer), text } };
  const read = await readHtml({ html: text, url: found.url.href, format }, how.signal);
  const head = [...line("Title", read.title), ...line("By", read.byline), ...headOf(answer, read.published)];
  return { is: "page", page: { ...page, head, text: read.content } };
}

const HEAD_CHARS_MAX = 300;

function line(name: string, value: string | null | undefined): string[] {
  const text = oneLine(value ?? "").slice(0, HEAD_CHARS_MAX);
  return text === "" ? [] : [`${name}: ${text}`];
}

function headOf({ status, headers }: WebAnswer, published: string | null = null): string[] {
  return [
    ...(status === 200 ? [] : line("Status", String(status))),
    ...(status === 429 || status === 503 ? line("Retry after", headers["retry-after"]) : []),
    ...line("Date", published ?? headers["last-modified"]),
  ];
}
