import * as z from "zod";
import type { SearchSettings } from "../../../contract/index.ts";

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly date: string | null;
}

/** How a search engine is asked and how its answer is read. */
export interface SearchEngine {
  /** Null: it has no address of its own. */
  readonly url: string | null;
  /** The path that is added to the configured or usual address. */
  readonly path: string;
  readonly ask: (query: string, count: number, key: string | null) => SearchRequest;
  /** Throws when the answer has another shape. */
  readonly read: (answer: unknown) => readonly SearchHit[];
  /** Statuses that mean a wrong key. */
  readonly authStatuses: readonly number[];
  /** What a person has to do about such a status, where it means something special. */
  readonly hints?: { readonly [status: number]: string | undefined };
}

export interface SearchRequest {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const text = z.string().nullish();
const bearer = (key: string | null): Readonly<Record<string, string>> =>
  key === null ? {} : { authorization: `Bearer ${key}` };
const JSON_HEADERS = { accept: "application/json" };

const searxng: SearchEngine = {
  url: null,
  path: "search",
  ask: (query, _count, key) => ({ query: { q: query, format: "json" }, headers: { ...JSON_HEADERS, ...bearer(key) } }),
  read: (answer) =>
    z
      .object({ results: z.array(z.object({ title: text, url: text, content: text, publishedDate: text })) })
      .parse(answer)
      .results.flatMap(({ title, url, content, publishedDate }) => hit(title, url, content, publishedDate)),
  authStatuses: [401],
  hints: { 403: "SearXNG answers in JSON only when `json` is listed in `search.formats` of its settings.yml." },
};

const brave: SearchEngine = {
  url: "https://api.search.brave.com/res/v1/",
  path: "web/search",
  ask: (query, count, key) => ({
    query: { q: query, count: String(count), text_decorations: "false" },
    headers: { ...JSON_HEADERS, "x-subscription-token": key ?? "" },
  }),
  read: (answer) =>
    z
      .object({
        web: z
          .object({
            results: z.array(z.object({ title: text, url: text, description: text, page_age: text, age: text })),
          })
          .nullish(),
      })
      .parse(answer)
      .web?.results.flatMap(({ title, url, description, page_age, age }) =>
        hit(title, url, description, page_age ?? age),
      ) ?? [],
  // A wrong token is answered with 422.
  authStatuses: [401, 403, 422],
};

const SNIPPET_CHARS = 500;

const exa: SearchEngine = {
  url: "https://api.exa.ai/",
  path: "search",
  ask: (query, count, key) => ({
    headers: { ...JSON_HEADERS, "content-type": "application/json", "x-api-key": key ?? "" },
    body: JSON.stringify({
      ...{ query, type: "auto", numResults: count },
      contents: { highlights: { maxCharacters: SNIPPET_CHARS } },
    }),
  }),
  read: (answer) =>
    z
      .object({
        results: z.array(
          z.object({ title: text, url: text, publishedDate: text, text, highlights: z.array(z.string()).nullish() }),
        ),
      })
      .parse(answer)
      .results.flatMap((one) => hit(one.title, one.url, one.highlights?.join(" … ") ?? one.text, one.publishedDate)),
  authStatuses: [401, 403],
};

/** Our own protocol: `{query, count}` by POST, `{results: [{title, url, snippet?, date?}]}` back. */
const endpoint: SearchEngine = {
  url: null,
  path: "",
  ask: (query, count, key) => ({
    headers: { ...JSON_HEADERS, "content-type": "application/json", ...bearer(key) },
    body: JSON.stringify({ query, count }),
  }),
  read: (answer) =>
    z
      .object({ results: z.array(z.object({ title: text, url: text, snippet: text, date: text })) })
      .parse(answer)
      .results.flatMap(({ title, url, snippet, date }) => hit(title, url, snippet, date)),
  authStatuses: [401, 403],
};

export const SEARCH_ENGINES: { readonly [kind in SearchSettings["kind"]]: SearchEngine } = {
  searxng,
  brave,
  exa,
  endpoint,
};

type Maybe = string | null | undefined;

/** A hit without an address that can be fetched is none. */
function hit(title: Maybe, url: Maybe, snippet: Maybe, date: Maybe): SearchHit[] {
  const address = URL.parse(url ?? "");
  if (address === null || !/^https?:$/.test(address.protocol)) return [];
  const plain = (given: Maybe) => (given ?? "").replace(/<\/?[a-z][^<>]{0,100}>/gi, "").slice(0, SNIPPET_CHARS);
  return [{ title: plain(title) || address.href, url: address.href, snippet: plain(snippet), date: date ?? null }];
}
