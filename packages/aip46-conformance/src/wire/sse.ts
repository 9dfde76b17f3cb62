import type { Bench } from "../bench/bench.ts";
import { eventually, member } from "../expect.ts";
import { parseJson } from "./parse-json.ts";

export interface SseItem {
  readonly event: string;
  readonly id: string | null;
  readonly data: unknown;
}

export interface SseReader {
  readonly status: number;
  readonly contentType: string;
  readonly items: readonly SseItem[];
  readonly comments: () => number;
  readonly lines: () => readonly { readonly line: string; readonly stream: string }[];
  readonly until: (what: string, fits: (item: SseItem) => boolean) => Promise<void>;
  readonly close: () => void;
}

const HEADERS_MAX_MS = 5_000;

/** Reads a stream. Resolves with the headers, so a server that delays them until there is output fails here. */
export async function openSse(
  bench: Bench,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<SseReader> {
  const abort = new AbortController();
  const late = setTimeout(() => abort.abort(), HEADERS_MAX_MS);
  const response = await bench.open(path, { headers, signal: abort.signal });
  clearTimeout(late);
  const items: SseItem[] = [];
  let comments = 0;
  const take = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of response.body ?? []) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        if (block.startsWith(":")) comments += 1;
        else items.push(itemIn(block));
      }
    }
  };
  const ignore = () => undefined;
  take().then(ignore, ignore);
  return {
    status: response.status,
    contentType: response.headers.get("content-type") ?? "",
    items,
    comments: () => comments,
    lines: () => items.flatMap(lineIn),
    until: async (what, fits) => {
      await eventually(`on the stream: ${what}`, async () => items.some(fits));
    },
    close: () => abort.abort(),
  };
}

function itemIn(block: string): SseItem {
  const field = (name: string): string | null => {
    const line = block.split("\n").find((one) => one.startsWith(`${name}:`));
    return line === undefined ? null : line.slice(name.length + 1).trim();
  };
  return { event: field("event") ?? "message", id: field("id"), data: parseJson(field("data") ?? "") };
}

function lineIn({ event, data }: SseItem): readonly { readonly line: string; readonly stream: string }[] {
  const [line, stream] = [member(data, "line"), member(data, "stream")];
  return event === "line" && typeof line === "string" ? [{ line, stream: String(stream) }] : [];
}
