import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { request as requestTls } from "node:https";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import type { TestDaemon } from "../../support/daemon.ts";

export interface Asked {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: unknown;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly code: string | null;
}

/** Where a browser connects to; with `ca` by TLS. */
export interface Reached {
  readonly url: string;
  readonly ca?: string;
  readonly servername?: string;
}

/** One request with exactly these headers: `fetch` would not send a foreign Host. */
export function ask({ url, ...tls }: Reached, path: string, asked: Asked = {}): Promise<Answered> {
  const { hostname, port } = new URL(url);
  const { method = "GET", headers = {}, body } = asked;
  const start = tls.ca === undefined ? request : requestTls;
  return new Promise((resolve, reject) => {
    const sent = start({ hostname, port, path, method, headers, ...tls }, (answer) => {
      text(answer).then((said) => {
        const { statusCode = 0, headers } = answer;
        resolve({ status: statusCode, headers, text: said, code: codeIn(said) });
      }, reject);
    });
    sent.once("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** What a signed-in browser holds. */
export interface SignedIn {
  readonly cookie: string;
  readonly page: string;
  readonly tokenId: string;
  readonly setCookie: string;
  /** As the page sends it. */
  readonly headers: { readonly authorization: string; readonly cookie: string };
}

export async function newLink(daemon: TestDaemon, asked: object = {}): Promise<string> {
  const { status, body } = await daemon.call<{ url: string }>("POST", "/api/dashboard/links", asked);
  expect(status).toBe(201);
  return body.url.split("#link=")[1] ?? "";
}

export function redeem(daemon: Reached, link: string, headers: OutgoingHttpHeaders = {}) {
  const sent = { authorization: `Bearer ${link}`, "content-type": "application/json", ...headers };
  return ask(daemon, "/api/dashboard/sign-in", { method: "POST", headers: sent, body: {} });
}

export async function signIn(daemon: TestDaemon, asked: object = {}): Promise<SignedIn> {
  return signedIn(await redeem(daemon, await newLink(daemon, asked)));
}

export function signedIn(answer: Answered): SignedIn {
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  const { page, tokenId }: { page: string; tokenId: string } = JSON.parse(answer.text);
  const [setCookie = ""] = answer.headers["set-cookie"] ?? [];
  const [cookie = ""] = setCookie.split(";");
  return { cookie, page, tokenId, setCookie, headers: { authorization: `Bearer ${page}`, cookie } };
}

function codeIn(said: string): string | null {
  return /"code":\s*"(\w+)"/.exec(said)?.[1] ?? null;
}
