import { isIP } from "node:net";
import { NomosError, type SearchSettings } from "../../../contract/index.ts";
import { readSmallFile } from "../../../host/index.ts";
import { findWay, type Reach } from "../reach/find-way.ts";
import type { WebLimits } from "../reach/limits.ts";
import { orAborted } from "../reach/or-aborted.ts";
import { request, tookTooLong, type WebAnswer } from "../reach/request.ts";
import { readWebRules } from "../reach/web-rules.ts";
import { readWebUrl, type WebUrl } from "../reach/web-url.ts";
import { SEARCH_ENGINES, type SearchEngine, type SearchHit, type SearchRequest } from "./engines.ts";

export interface SearchHow {
  readonly settings: SearchSettings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly reach: Reach;
  readonly limits: WebLimits;
  readonly signal: AbortSignal;
}

const ANSWER_BYTES_MAX = 1_048_576;
const KEY_BYTES_MAX = 4_096;

/** Throws `search_auth`, `search_limited`, `search_failed`, or what the request throws. */
export async function askEngine(query: string, count: number, how: SearchHow): Promise<readonly SearchHit[]> {
  const { settings } = how;
  const engine = SEARCH_ENGINES[settings.kind];
  const key = await keyOf(settings, how.environment);
  const asked = engine.ask(query, count, key);
  const url = withQuery(searchUrl(settings), asked.query ?? {});
  const answer = await send(url, asked, how);
  refuseFailed(answer, engine, settings);
  try {
    return engine.read(JSON.parse(answer.body.toString("utf8"))).slice(0, count);
  } catch (cause) {
    const message = `The search failed: ${settings.kind} answered with something else than search results.`;
    throw new NomosError("search_failed", { kind: settings.kind }, { message, cause });
  }
}

/** Where the engine is asked. Throws when the configured address is not valid. */
export function searchUrl({ kind, url }: SearchSettings): WebUrl {
  const { path, url: usual } = SEARCH_ENGINES[kind];
  const base = url ?? usual ?? "";
  return readWebUrl(path === "" ? base : `${base.replace(/\/+$/, "")}/${path}`);
}

function withQuery(url: WebUrl, query: Readonly<Record<string, string>>): WebUrl {
  const text = new URLSearchParams(query).toString();
  return text === "" ? url : { ...url, path: `${url.path}?${text}` };
}

/** A person named this address, so it may be private. The session's walls hold all the same. */
async function send(url: WebUrl, asked: SearchRequest, how: SearchHow): Promise<WebAnswer> {
  const { host, port } = url;
  const rules = readWebRules({ allow: [`${isIP(host) === 6 ? `[${host}]` : host}:${port}`] });
  const late = new AbortController();
  const limits = { ...how.limits, bodyBytes: ANSWER_BYTES_MAX };
  const timer = setTimeout(() => late.abort(tookTooLong("it sent no complete answer")), limits.totalMs);
  try {
    const signal = AbortSignal.any([how.signal, late.signal]);
    const addresses = await orAborted(findWay({ ...how.reach, rules }, url), signal);
    const { headers, body } = asked;
    return await request({ url, addresses, headers, limits, signal, ...(body === undefined ? {} : { body }) });
  } finally {
    clearTimeout(timer);
  }
}

async function keyOf(
  { kind, key }: SearchSettings,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  if (key === undefined) return null;
  const where = "env" in key ? `the variable ${key.env}` : `the file ${key.file}`;
  const read = "env" in key ? environment[key.env] : await readSmallFile(key.file, KEY_BYTES_MAX).catch(() => null);
  const value = (read ?? "").trim();
  // Anything else could not be sent in a header.
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  const message = `The key of the search engine is missing: ${where} holds none.`;
  throw new NomosError("search_auth", { kind }, { message });
}

function refuseFailed({ status, headers }: WebAnswer, engine: SearchEngine, { kind }: SearchSettings): void {
  if (status >= 200 && status < 300) return;
  const details = { kind, status };
  const hint = engine.hints?.[status];
  if (hint !== undefined)
    throw new NomosError("search_failed", details, {
      message: `The search failed: ${kind} answered ${status}.`,
      remedy: hint,
    });
  if (engine.authStatuses.includes(status)) throw new NomosError("search_auth", details);
  if (status === 429 || status === 402) {
    const after = /^\d{1,6}$/.test(headers["retry-after"] ?? "")
      ? ` Try again in ${headers["retry-after"]} seconds.`
      : "";
    throw new NomosError("search_limited", details, { message: `The search engine's limit is reached.${after}` });
  }
  throw new NomosError("search_failed", details, { message: `The search failed: ${kind} answered ${status}.` });
}
