import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { safeLink } from "./safe-link.ts";

describe("addresses that may be opened", () => {
  test.each([
    ["https://example.com/a?b=c#d", "the page", "https://example.com/a?b=c#d", null],
    ["http://127.0.0.1:4590/", "here", "http://127.0.0.1:4590/", null],
    ["HTTPS://Example.com", "example.com", "https://example.com/", null],
    ["mailto:a@example.com", "a@example.com", "mailto:a@example.com", null],
    ["https://www.example.com/x", "https://example.com/x", "https://www.example.com/x", null],
    ["https://docs.example.com", "example.com", "https://docs.example.com/", null],
    ["https://evil.example/login", "https://bank.example/login", "https://evil.example/login", "evil.example"],
    ["https://evil.example", "bank.example", "https://evil.example/", "evil.example"],
    ["https://evil.example", "see bank.example for more", "https://evil.example/", "evil.example"],
    [
      "https://bank.example.evil.example",
      "bank.example",
      "https://bank.example.evil.example/",
      "bank.example.evil.example",
    ],
    ["https://bank.example@evil.example/", "log in", "https://bank.example@evil.example/", "evil.example"],
    ["https://xn--pypal-4ve.com/", "paypal", "https://xn--pypal-4ve.com/", "xn--pypal-4ve.com"],
    ["https://p\u0430ypal.com/", "paypal", "https://xn--pypal-4ve.com/", "xn--pypal-4ve.com"],
    ["mailto:a@evil.example", "a@bank.example", "mailto:a@evil.example", "evil.example"],
    ["https://evil.example", "bank\u200b.example", "https://evil.example/", "evil.example"],
  ])("%s behind %j", (href, visible, opened, realHost) => {
    expect(safeLink(href, visible)).toEqual({ href: opened, realHost });
  });
});

describe("addresses that are shown as text", () => {
  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>1</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://example.com/1",
    "view-source:https://example.com",
    "ftp://example.com",
    "/api/approvals/1/approve",
    "//evil.example",
    "\\\\evil.example",
    "https:\\\\evil.example",
    "https:evil.example",
    "https:///evil.example\n",
    "?a=1",
    "#x",
    "../x",
    "main.ts",
    "",
    "https://",
    "https://exa mple.com",
    "https://example.com/\u202emoc",
    "https://example.com/\u0000",
    `https://example.com/${"a".repeat(5000)}`,
    "http://[::1",
  ])("%j", (href) => {
    expect(safeLink(href, "text")).toBeNull();
  });
});

proves("TX-1", "no text gives an address of another scheme", () => {
  const schemes = fc.constantFrom(
    "javascript:",
    "data:",
    "https://",
    "http://",
    "mailto:",
    "//",
    "/",
    "\\",
    "\t",
    " ",
    "",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(schemes, fc.string({ unit: "binary" }))), fc.string(), (parts, visible) => {
      const link = safeLink(parts.join(""), visible);
      if (link !== null) expect(new URL(link.href).protocol).toMatch(/^(?:https?|mailto):$/);
    }),
  );
});
