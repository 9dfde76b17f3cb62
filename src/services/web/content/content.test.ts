import { describe, expect, test } from "vitest";
import { decodeText } from "./charset.ts";
import { contentKind } from "./content-kind.ts";
import { oneLine, visible } from "./fence.ts";
import { partOf, recentPages } from "./pages.ts";

describe("charsets", () => {
  const latin = Buffer.from("caf\xe9", "latin1");
  const utf16 = Buffer.from("\ufeffcafé", "utf16le");

  test.each<[string, Buffer, string, string]>([
    ["the header", latin, "text/plain; charset=iso-8859-1", "café"],
    ["the header in quotes", latin, `text/plain; Charset="ISO-8859-1"`, "café"],
    ["the header beats the page", Buffer.from(`<meta charset="iso-8859-1">é`), "text/html; charset=utf-8", "é"],
    ["a meta tag", Buffer.from(`<html><head><meta charset=windows-1251>\xcf\xf0`, "latin1"), "text/html", "Пр"],
    [
      "an old meta tag",
      Buffer.from(`<meta http-equiv=Content-Type content="text/html; charset=shift_jis">\x83\x65`, "latin1"),
      "text/html",
      "テ",
    ],
    [
      "an XML declaration",
      Buffer.from(`<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9`, "latin1"),
      "text/xml",
      "é",
    ],
    ["a byte order mark", utf16, "text/plain; charset=iso-8859-1", "café"],
    ["a big-endian mark", Buffer.from([0xfe, 0xff, 0, 0x41]), "text/plain", "A"],
    ["nothing, and it is UTF-8", Buffer.from("café"), "text/plain", "café"],
    ["nothing, and it is not UTF-8", latin, "text/plain", "café"],
    ["a charset that nobody knows", Buffer.from("café"), "text/plain; charset=klingon", "café"],
    ["a page that calls itself UTF-16", Buffer.from(`<meta charset="utf-16">é`), "text/html", "é"],
    ["EUC-KR", Buffer.from([0xc7, 0xd1]), "text/plain; charset=euc-kr", "한"],
  ])("by %s", (_what, body, type, expected) => {
    expect(decodeText(body, type)).toContain(expected);
  });

  test("random bytes under any label are decoded without an exception", () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const body = Buffer.from(Array.from({ length: seed % 70 }, (_, at) => (seed * 31 + at * at * 7) & 255));
      for (const label of [
        "",
        "utf-8",
        "utf-16",
        "gb18030",
        "iso-2022-jp",
        "x-user-defined",
        "replacement",
        "utf-7",
        "%",
      ])
        expect(typeof decodeText(body, `text/html; charset=${label}`)).toBe("string");
    }
  });
});

describe("kinds of content", () => {
  test.each<[string, string, string]>([
    ["<!doctype html><p>x", "", "html"],
    ["\ufeff <!-- c --> <HTML>", "", "html"],
    ["<p>x", "text/html; charset=x", "html"],
    ["<p>x", "application/xhtml+xml", "html"],
    ["plain", "", "text"],
    ["# md", "text/markdown", "text"],
    ["<svg></svg>", "image/svg+xml", "text"],
    ["a,b", "application/octet-stream", "text"],
    ["", "", "text"],
  ])("%j as %j is %s", (body, type, kind) => {
    expect(contentKind(Buffer.from(body), type).kind).toBe(kind);
  });

  test.each([
    ["89504e470d0a1a0a00", "image/png"],
    ["ffd8ffe000104a46", "image/jpeg"],
    ["474946383961000000", "image/gif"],
    ["524946460000000057454250", "image/webp"],
  ])("%s is %s", (hex, mediaType) => {
    expect(contentKind(Buffer.from(hex, "hex"), "text/plain")).toEqual({ kind: "image", mediaType });
  });

  test.each(["504b0304", "7f454c46", "1f8b0800", "00000018667479"])("%s is no text", (hex) => {
    expect(() => contentKind(Buffer.from(hex, "hex"), "text/plain")).toThrow(/cannot be made readable/);
  });
});

describe("parts of a page", () => {
  test("never cut a character, and reach the end", () => {
    const text = "a😀b😀";
    for (let limit = 1; limit < 7; limit += 1) {
      let read = "";
      for (let at = 0; at < text.length; ) {
        const part = partOf(text, at, limit);
        expect(part.to).toBeGreaterThan(at);
        read += part.text;
        at = part.to;
      }
      expect(read).toBe(text);
    }
    expect(partOf(text, 99, 5)).toEqual({ text: "", from: 6, to: 6, total: 6 });
  });

  test("are kept for ten minutes, and not without a bound", () => {
    let nowMs = 0;
    const pages = recentPages({ steadyMs: () => nowMs });
    const page = (text: string) => ({ url: "u", status: 200, head: [], text });
    pages.keep("a", page("x"));
    expect(pages.get("a")?.text).toBe("x");
    nowMs = 600_001;
    expect(pages.get("a")).toBeNull();
    pages.keep("large", page("x".repeat(17_000_000)));
    expect(pages.get("large")).toBeNull();
    for (let at = 0; at < 100; at += 1) pages.keep(`p${at}`, page("x"));
    expect([pages.get("p35"), pages.get("p36")?.text]).toEqual([null, "x"]);
  });
});

test("what nobody sees is taken out, and the rest stays", () => {
  expect(visible("a\r\nb\u0007\u009b\u2066\ufeff\u{e0041}c\td é 👩‍👩‍👧 שלום")).toBe("a\nbc\td é 👩‍👩‍👧 שלום");
  expect(oneLine("  a\n\tb ")).toBe("a b");
});
