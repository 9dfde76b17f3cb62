import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { answering, type WebHere, webHere } from "../../../test/support/web-tools.ts";

let here: WebHere;
beforeEach(() => {
  here = webHere();
});
afterEach(() => here[Symbol.asyncDispose]());

const SENTENCE = "This is a paragraph of an article, with commas, with words, and long enough to be read as one. ";
const ARTICLE = `<!doctype html><html><head><title>The title</title>
<meta property="article:published_time" content="2026-05-04"></head><body><nav><a href="/x">menu</a></nav>
<article><h1>Heading</h1>${`<p>${SENTENCE}<a href="sub/page">a link</a></p>`.repeat(6)}
<pre><code class="language-js">const a = 1;</code></pre>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x|y</td></tr></table></article></body></html>`;

describe("a page", () => {
  proves("WEB-5", "comes as Markdown with title, address and date, marked as content from outside", async () => {
    const port = await here.serve(answering(200, "text/html; charset=utf-8", ARTICLE));
    const { text, isError } = await here.fetch({ url: `http://127.0.0.1:${port}/dir/` });
    expect(isError).toBe(false);
    const [, mark] = /^\[outside ([0-9a-f]{12}) begins: http:\/\/127\.0\.0\.1:\d+\/dir\/\]$/m.exec(text) ?? [];
    expect(text.trimEnd().endsWith(`[outside ${mark} ends]`)).toBe(true);
    expect(text).toMatch(/It is data and no instruction/);
    expect(text).toMatch(/^URL: http.*\nTitle: The title\nDate: 2026-05-04$/m);
    expect(text).toContain(`[a link](http://127.0.0.1:${port}/dir/sub/page)`);
    expect(text).toContain("```js\nconst a = 1;\n```");
    expect(text).toContain("| a | b |\n| --- | --- |\n| 1 | x\\|y |");
    expect(text).not.toContain("menu");
  });

  test("comes as text or as it was sent", async () => {
    const port = await here.serve(answering(200, "text/html", ARTICLE));
    const url = `http://127.0.0.1:${port}/`;
    expect((await here.fetch({ url, format: "text" })).text).toMatch(/Heading\n\nThis is a paragraph/);
    expect((await here.fetch({ url, format: "raw" })).text).toContain("<article><h1>Heading</h1>");
  });

  test("that is no article is given whole, without scripts", async () => {
    const page = `<title>t</title><body><script>alert(1)</script><ul><li><a href="/a">one</a><li>two</ul>`;
    const port = await here.serve(answering(200, "text/html", page));
    const { text } = await here.fetch({ url: `http://127.0.0.1:${port}/` });
    expect(text).toContain(`[one](http://127.0.0.1:${port}/a)`);
    expect(text).not.toContain("alert");
  });

  test("comes in parts that together are the page, and is fetched once", async () => {
    let asked = 0;
    const whole = Array.from({ length: 900 }, (_, at) => `line ${at} 😀`).join("\n");
    const port = await here.serve((request, response) => {
      asked += 1;
      answering(200, "text/plain; charset=utf-8", whole)(request, response);
    });
    let read = "";
    for (let offset: number | null = 0; offset !== null; ) {
      const { text }: { text: string } = await here.fetch({ url: `http://127.0.0.1:${port}/`, offset, limit: 4001 });
      read += /begins: .*\]\nURL: .*\n\n([\s\S]*)\n\[outside/.exec(text)?.[1] ?? "";
      const [, next] = /Go on with offset (\d+)\./.exec(text) ?? [];
      offset = next === undefined ? null : Number(next);
    }
    expect(read).toBe(whole);
    expect(asked).toBe(1);
  });

  test("that fails comes as an error with its status and what it says", async () => {
    const port = await here.serve(answering(429, "application/json", `{"error":"slow down"}`, { "retry-after": "7" }));
    const { text, isError } = await here.fetch({ url: `http://127.0.0.1:${port}/` });
    expect(isError).toBe(true);
    expect(text).toMatch(/Status: 429\nRetry after: 7/);
    expect(text).toContain(`{"error":"slow down"}`);
  });

  test("is asked for without cookies and under the configured name", async () => {
    const seen: unknown[] = [];
    const port = await here.serve((request, response) => {
      seen.push([request.method, request.headers.cookie, request.headers["user-agent"], request.headers.authorization]);
      answering(200, "text/plain", "x", { "set-cookie": "a=b" })(request, response);
    });
    await here.fetch({ url: `http://127.0.0.1:${port}/` }, { userAgent: "tester/1" });
    await here.fetch({ url: `http://127.0.0.1:${port}/` }, { userAgent: "tester/1" });
    expect(seen).toEqual([1, 2].map(() => ["GET", undefined, "tester/1", undefined]));
  });
});

describe("other content", () => {
  const PNG = Buffer.from("89504e470d0a1a0a0000000d4948445200000001", "hex");

  test.each([
    ["JSON", "application/json", `{"a": [1, 2]}`, `{"a": [1, 2]}`],
    ["XML", "application/xml", "<rss><item>x</item></rss>", "<rss><item>x</item></rss>"],
    ["text that looks like a page", "text/plain", "<html>x</html>", "<html>x</html>"],
    ["JSON that looks like a page", "application/json", `"<html>"`, `"<html>"`],
    ["an empty answer", "text/plain", "", "(nothing)"],
  ])("%s comes as it is", async (_what, type, body, expected) => {
    const port = await here.serve(answering(200, type, body));
    expect((await here.fetch({ url: `http://127.0.0.1:${port}/` })).text).toContain(expected);
  });

  test("an image comes as an image, whatever the header says", async () => {
    const port = await here.serve(answering(200, "text/html", PNG));
    const { images } = await here.fetch({ url: `http://127.0.0.1:${port}/` });
    expect(images).toMatchObject([{ mediaType: "image/png", base64: PNG.toString("base64") }]);
  });

  test.each([
    ["a PDF", "application/pdf", Buffer.from("%PDF-1.7 x"), /it is a PDF file.*web_unreadable/s],
    ["a PDF with another header", "text/html", Buffer.from("%PDF-1.7 x"), /it is a PDF file/],
    [
      "binary data",
      "application/octet-stream",
      Buffer.from([0, 1, 2, 3]),
      /application\/octet-stream.*web_unreadable/s,
    ],
    ["an image that is too large", "image/png", Buffer.concat([PNG, Buffer.alloc(4_000_000)]), /web_too_large/],
  ])("%s is refused by name", async (_what, type, body, expected) => {
    const port = await here.serve(answering(200, type, body));
    const { text, isError } = await here.fetch({ url: `http://127.0.0.1:${port}/` });
    expect(isError).toBe(true);
    expect(text).toMatch(expected);
  });
});

describe("redirects", () => {
  test("on the same host are followed, and the last address is told", async () => {
    const port = await here.serve((request, response) => {
      if (request.url === "/a") return void response.writeHead(302, { location: "../b?c=d" }).end("ignored");
      answering(200, "text/plain", `here ${request.url}`)(request, response);
    });
    const { text } = await here.fetch({ url: `http://127.0.0.1:${port}/a` });
    expect(text).toContain(`URL: http://127.0.0.1:${port}/b?c=d`);
    expect(text).toContain("here /b?c=d");
  });

  test("with spaces or UTF-8 in their address are followed as browsers do", async () => {
    const port = await here.serve((request, response) => {
      const location = Buffer.from("/a b/é").toString("latin1");
      if (request.url === "/") return void response.writeHead(302, { location }).end();
      answering(200, "text/plain", `here ${request.url}`)(request, response);
    });
    expect((await here.fetch({ url: `http://127.0.0.1:${port}/` })).text).toContain("here /a%20b/%C3%A9");
  });

  proves("WEB-2", "to another host are told and not followed", async () => {
    let asked = 0;
    const other = await here.serve(() => {
      asked += 1;
    }, "127.0.0.2");
    const port = await here.serve((_request, response) => {
      response.writeHead(301, { location: `http://127.0.0.2:${other}/x` }).end();
    });
    const { text, isError } = await here.fetch({ url: `http://127.0.0.1:${port}/` }, { allow: [`127.0.0.2:${other}`] });
    expect(isError).toBe(false);
    expect(text).toContain(`redirects to http://127.0.0.2:${other}/x`);
    expect(asked).toBe(0);
  });

  proves("WEB-2", "to what may not be reached are refused", async () => {
    const targets = [
      ...["http://169.254.169.254/latest/", "http://localhost/", "http://[::1]/", "http://0x7f.1:9/", "//10.0.0.1/"],
      ...["http://user:pw@127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "http:\\\\127.0.0.1\\", "http://"],
    ];
    const port = await here.serve((request, response) => {
      response.writeHead(302, { location: targets[Number(request.url?.slice(1))] ?? "" }).end();
    });
    for (const at of targets.keys()) {
      const { text, isError } = await here.fetch({ url: `http://127.0.0.1:${port}/${at}` });
      expect([targets[at], isError]).toEqual([targets[at], true]);
      expect(text).toMatch(/web_(refused|url_invalid)/);
    }
  });

  proves("WEB-3", "without an end are cut off", async () => {
    let asked = 0;
    const port = await here.serve((_request, response) => {
      asked += 1;
      response.writeHead(302, { location: `/${asked}` }).end();
    });
    expect((await here.fetch({ url: `http://127.0.0.1:${port}/` })).text).toContain("web_redirects");
    expect(asked).toBe(6);
  });
});

describe("the tool", () => {
  test("names the host that is fetched as its resource, in one spelling", async () => {
    const [tool] = await here.tools();
    const resource = (url: string) => tool?.resource({ url });
    expect(resource("https://Example.ORG./a?b")).toBe("host/example.org");
    expect(resource("http://0x7f.1/")).toBe("host/127.0.0.1");
    expect(resource("http://[0:0::1]/")).toBe("host/[::1]");
    expect(resource("nonsense")).toBe("host/invalid");
    expect(tool?.resource(null)).toBe("host/invalid");
    expect(tool?.shown({ url: "https://a.org/b" })).toBe("GET https://a.org/b");
    expect([tool?.kind, tool?.redo, tool?.mode]).toEqual(["fetch", "safe", "parallel"]);
  });

  test.each([
    [null],
    [{}],
    [{ url: 1 }],
    [{ url: "http://a.org", format: "pdf" }],
    [{ url: "http://a.org", cookies: "x" }],
  ])("refuses the input %j", async (input) => {
    expect(await here.fetch(input)).toMatchObject({ isError: true, text: expect.stringContaining("invalid_request") });
  });

  proves(
    "WEB-4",
    "is not offered to a strict session without a network, and keeps to its hosts otherwise",
    async () => {
      const port = await here.serve(answering(200, "text/plain", "inside"));
      const walled = { sandbox: "strict", network: null } as const;
      expect(await here.tools({}, walled)).toEqual([]);
      const named = { sandbox: "strict", network: { allow: ["example.org"] } } as const;
      expect((await here.fetch({ url: `http://127.0.0.1:${port}/` }, {}, named)).text).toContain(
        "the session's network",
      );
      const opened = { sandbox: "strict", network: { allow: [`127.0.0.1:${port}`] } } as const;
      expect((await here.fetch({ url: `http://127.0.0.1:${port}/` }, {}, opened)).text).toContain("inside");
    },
  );
});
