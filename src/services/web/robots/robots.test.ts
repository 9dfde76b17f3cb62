import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answering, type WebHere, webHere } from "../../../../test/support/web-tools.ts";
import { isAllowed, rulesFor } from "./robots-txt.ts";

const may = (text: string, path: string) => isAllowed(rulesFor(text, "nomos"), path);

describe("robots.txt", () => {
  test.each<[string, string, boolean]>([
    ["", "/a", true],
    ["User-agent: *\nDisallow: /", "/a", false],
    ["User-agent: *\nDisallow:", "/a", true],
    ["User-agent: other\nDisallow: /", "/a", true],
    ["User-agent: *\nDisallow: /\n\nUser-agent: Nomos\nDisallow: /b", "/a", true],
    ["User-agent: *\nDisallow: /\n\nUser-agent: Nomos\nDisallow: /b", "/b/c", false],
    ["User-agent: x\nUser-agent: nomos\nDisallow: /a", "/a", false],
    ["User-agent: nomos\nDisallow: /a\nUser-agent: nomos\nDisallow: /b", "/b", false],
    ["User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true],
    ["User-agent: *\nDisallow: /a\nAllow: /a", "/a", true],
    ["User-agent: *\nDisallow: /*.php$", "/x/y.php", false],
    ["User-agent: *\nDisallow: /*.php$", "/x/y.php?z", true],
    ["User-agent: *\nDisallow: /a*b*c", "/a1b2c3", false],
    ["User-agent: *\nDisallow: /a*b*c", "/a1c2b3", true],
    ["User-agent: *\nDisallow: /a$", "/a", false],
    ["User-agent: *\nDisallow: /a$", "/ab", true],
    ["User-agent: *\nDisallow: /%61", "/a", false],
    ["User-agent: *\nDisallow: /%c3%a9", "/%C3%A9", false],
    ["user-AGENT : *\r\ndisALLOW : /a # why\r\n", "/a", false],
    ["Disallow: /\nUser-agent: *\nDisallow: /b", "/a", true],
    ["nonsense\n: :\nUser-agent: *\nSitemap: x\nDisallow: /b", "/b", false],
  ])("%j: %s is allowed: %s", (text, path, expected) => {
    expect(may(text, path)).toBe(expected);
  });

  test("a hostile file of many stars is read in little time and bounded", () => {
    const text = `User-agent: *\n${`Disallow: /${"*a".repeat(400)}b\n`.repeat(5000)}`;
    expect(rulesFor(text, "nomos").length).toBe(2000);
    expect(may(text, `/${"a".repeat(2000)}`)).toBe(true);
  });
});

describe("with web.robots", () => {
  let here: WebHere;
  beforeEach(() => {
    here = webHere();
  });
  afterEach(() => here[Symbol.asyncDispose]());

  const site = async (robots: ReturnType<typeof answering>) => {
    const asked: string[] = [];
    const port = await here.serve((request, response) => {
      asked.push(request.url ?? "");
      if (request.url === "/robots.txt") robots(request, response);
      else answering(200, "text/plain", "page")(request, response);
    });
    return { asked, fetch: (path: string) => here.fetch({ url: `http://127.0.0.1:${port}${path}` }, { robots: true }) };
  };

  test("a forbidden page is not fetched, and the file is asked for once", async () => {
    const { asked, fetch } = await site(answering(200, "text/plain", "User-agent: *\nDisallow: /no"));
    expect((await fetch("/no/1")).text).toContain("web_robots");
    expect((await fetch("/yes")).text).toContain("page");
    expect((await fetch("/no/2")).text).toContain("web_robots");
    expect(asked).toEqual(["/robots.txt", "/yes"]);
  });

  test("no file allows everything; a failing server allows nothing, and is asked again", async () => {
    const none = await site(answering(404, "text/plain", "User-agent: *\nDisallow: /"));
    expect((await none.fetch("/a")).text).toContain("page");
    const failing = await site(answering(503, "text/plain", ""));
    expect((await failing.fetch("/a")).text).toContain("web_robots");
    expect((await failing.fetch("/a")).text).toContain("web_robots");
    expect(failing.asked).toEqual(["/robots.txt", "/robots.txt"]);
  });

  test("an endless file allows nothing", async () => {
    const { fetch } = await site(answering(200, "text/plain", "x\n".repeat(400_000)));
    expect((await fetch("/a")).text).toContain("web_robots");
  });

  test("without the setting nobody asks", async () => {
    const asked: string[] = [];
    const port = await here.serve((request, response) => {
      asked.push(request.url ?? "");
      answering(200, "text/plain", "page")(request, response);
    });
    await here.fetch({ url: `http://127.0.0.1:${port}/a` });
    expect(asked).toEqual(["/a"]);
  });
});
