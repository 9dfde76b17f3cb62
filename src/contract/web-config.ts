import * as z from "zod";

/** `host`, `host:port`, `*.host`, an address, `address:port`, or a network such as `10.0.0.0/8`. */
const HostOrNet = z
  .string()
  .min(1)
  .max(300)
  .regex(
    /^(\*\.)?[^\s/@?#*]+(\/\d{1,3})?$/,
    "`host`, `host:port`, `*.host`, an address, or a network such as `10.0.0.0/8`",
  );

const Endpoint = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === "");
  }, "an address without a user, a query or a fragment");

/** Where a key comes from. It is read when it is used and never written anywhere. */
const KeySource = z.union([
  z.object({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable") }).strict(),
  z.object({ file: z.string().min(1).max(4096) }).strict(),
]);

const SEARCH_KINDS = ["searxng", "brave", "exa", "endpoint"] as const;

export const SearchSettings = z
  .object({
    kind: z.enum(SEARCH_KINDS).describe("which protocol the search engine speaks; `endpoint`: ours, see the guide"),
    url: Endpoint.optional().describe("needed for `searxng` and `endpoint`"),
    key: KeySource.optional().describe("`{env: NAME}` of the daemon's environment, or `{file: PATH}`"),
  })
  .strict()
  .refine(({ kind, url }) => url !== undefined || kind === "brave" || kind === "exa", {
    path: ["url"],
    message: "this kind has no address of its own",
  })
  .refine(({ kind, key }) => key !== undefined || kind === "searxng" || kind === "endpoint", {
    path: ["key"],
    message: "this kind needs a key",
  })
  .refine(({ url, key }) => key === undefined || url === undefined || isPrivateLine(url), {
    path: ["url"],
    message: "a key is sent over https only, or to this machine",
  });
export type SearchSettings = z.infer<typeof SearchSettings>;

export const Web = z
  .object({
    allow: z
      .array(HostOrNet)
      .max(200)
      .optional()
      .describe("hosts and networks that are reached although they are private, or on another port"),
    deny: z.array(HostOrNet).max(1000).optional().describe("hosts and networks that are never reached; beats `allow`"),
    robots: z.boolean().optional().describe("true: pages that a site's robots.txt forbids are not fetched"),
    userAgent: z
      .string()
      .regex(/^[\x20-\x7e]{1,200}$/, "printable ASCII")
      .optional(),
    search: SearchSettings.optional(),
  })
  .optional()
  .describe("the tools `web_fetch` and `web_search` of the own engine");
export type WebSettings = NonNullable<z.infer<typeof Web>>;

function isPrivateLine(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || hostname === "localhost" || hostname === "[::1]" || /^127\.[\d.]+$/.test(hostname);
}
