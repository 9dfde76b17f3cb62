import fc from "fast-check";
import type { ComponentChildren, VNode } from "preact";
import { describe, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../../../test/fixtures/hostile-texts.ts";
import { proves } from "../../../test/support/proves.ts";
import { blocksOf } from "./markdown.tsx";
import { type Block, MARKDOWN_CHARS_MAX } from "./markdown-nodes.ts";
import { parseMarkdown } from "./parse-markdown.ts";

describe("what a text says", () => {
  test.each<[string, string, readonly Block[]]>([
    [
      "a paragraph",
      "a *b* **c** ~~d~~ `e<f`",
      [paragraph("a ", em("b"), " ", strong("c"), " ", del("d"), " ", code("e<f"))],
    ],
    ["line feeds stay", "a\nb", [paragraph("a", { is: "break" }, "b")]],
    ["character references", "a &lt;b&gt; &amp; &#60; &unknown;", [paragraph("a <b> & < &unknown;")]],
    ["escapes", "\\*a\\* \\<b>", [paragraph("*", "a", "*", " ", "<", "b>")]],
    ["raw HTML stays text", "<b onclick=x>hi</b>", [paragraph("<b onclick=x>", "hi", "</b>")]],
    [
      "blocks of HTML stay text",
      "<div>\n<script>1</script>\n</div>",
      [{ is: "raw", text: "<div>\n<script>1</script>\n</div>" }],
    ],
    ["comments stay text", "<!-- ignore the rules -->", [{ is: "raw", text: "<!-- ignore the rules -->" }]],
    ["headings", "## T", [{ is: "heading", depth: 2, of: [text("T")] }]],
    ["code", "```ts x\na < b\n```", [{ is: "code", text: "a < b", language: "ts x" }]],
    ["links", "[a](https://x.example)", [paragraph({ is: "link", href: "https://x.example", of: [text("a")] })]],
    [
      "images",
      "![a](https://x.example/a.png)",
      [paragraph({ is: "image", href: "https://x.example/a.png", alt: "a" })],
    ],
    ["quotes", "> a", [{ is: "quote", blocks: [paragraph("a")] }]],
    ["rules", "---", [{ is: "rule" }]],
    [
      "lists with boxes",
      "- [x] a\n- [ ] b\n- c",
      [
        {
          is: "list",
          start: null,
          items: [
            { checked: true, blocks: [paragraph("a")] },
            { checked: false, blocks: [paragraph("b")] },
            { checked: null, blocks: [paragraph("c")] },
          ],
        },
      ],
    ],
    [
      "nested lists",
      "3. a\n   - b",
      [
        {
          is: "list",
          start: 3,
          items: [
            {
              checked: null,
              blocks: [
                paragraph("a"),
                { is: "list", start: null, items: [{ checked: null, blocks: [paragraph("b")] }] },
              ],
            },
          ],
        },
      ],
    ],
    [
      "tables",
      "|a|b|\n|-|:-:|\n|c|d|",
      [
        {
          is: "table",
          align: [null, "center"],
          head: [[text("a")], [text("b")]],
          rows: [[[text("c")], [text("d")]]],
        },
      ],
    ],
    [
      "definitions of links stay text",
      "[a]: https://x.example 'hidden words'",
      [{ is: "raw", text: "[a]: https://x.example 'hidden words'" }],
    ],
  ])("%s", (_name, source, blocks) => {
    expect(parseMarkdown(source)).toEqual(blocks);
  });
});

const PARTS = fc.constantFrom(
  ...[
    "[a]",
    "(",
    ")",
    "javascript:",
    "https://x.example",
    "<",
    ">",
    "![",
    "]",
    "&#106;",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "1. ",
    "`",
    "```",
  ],
  ...[
    "*",
    "**",
    "_",
    "~~",
    "|",
    "|-|",
    "# ",
    "    ",
    "<b>",
    "<!--",
    "-->",
    "[x]: ",
    "\\",
    "\u202e",
    "\u0000",
    "a",
    " ",
  ],
);
const SOURCE = fc.oneof(
  fc.array(PARTS, { maxLength: 60 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary" }),
  fc.constantFrom(...Object.values(HOSTILE_TEXTS)),
);

describe("any text", () => {
  proves("TX-1", "every element is one of ours, and every address of the web or of mail", () => {
    fc.assert(
      fc.property(SOURCE, (source) => {
        for (const { type, props } of elementsIn(blocksOf(parseMarkdown(source)))) {
          expect(ELEMENTS).toContain(type);
          for (const [name, value] of Object.entries(props)) {
            expect(name).toMatch(
              /^(?:children|class|dir|href|rel|target|start|scope|role|aria-label|data-mark)$|^ref$|^key$/,
            );
            if (name === "href") expect(String(value)).toMatch(/^(?:https?:\/\/|mailto:)/);
            if (name === "href") expect(props).toMatchObject({ rel: "noopener noreferrer nofollow", target: "_blank" });
          }
        }
      }),
    );
  });

  test("every letter and digit of a text is still there", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z0-9]{1,8}$/), { maxLength: 20 }), PARTS, (words, between) => {
        const shown = textIn(parseMarkdown(words.join(between)));
        // Language names and the numbers of lists are not text; marks of Markdown are no letters.
        if (!/[`&\d[<]/.test(between))
          for (const word of words.filter((name) => !/^\d+$/.test(name))) expect(shown).toContain(word);
      }),
    );
  });
});

describe("limits", () => {
  test("a long text is not parsed", () => {
    const source = "*a* ".repeat(MARKDOWN_CHARS_MAX / 4 + 1);
    expect(parseMarkdown(source)).toEqual([{ is: "raw", text: source }]);
  });

  test("the number of elements is bounded, and what is left is shown as written", () => {
    const source = "- a\n".repeat(30_000);
    const blocks = parseMarkdown(source);
    expect(elementsIn(blocksOf(blocks)).length).toBeLessThan(100_000);
    expect(textIn(blocks).match(/a/g)?.length).toBe(30_000);
  });

  const size = 40_000;
  test.each([
    ["quotes in quotes", ">".repeat(size)],
    ["many lines of quotes in quotes", `${"> ".repeat(200)}a\n`.repeat(size / 400)],
    ["lists in lists", Array.from({ length: 400 }, (_, depth) => `${"  ".repeat(depth)}- a`).join("\n")],
    ["lists in one line", "- ".repeat(size / 2)],
    ["brackets", "[".repeat(size)],
    ["closed brackets", `${"[".repeat(size / 2)}${"]".repeat(size / 2)}`],
    ["links without an end", "[a](b".repeat(size / 5)],
    ["images in images", "![".repeat(size / 2)],
    ["stars", "*".repeat(size)],
    ["stars and letters", "*a **b ".repeat(size / 7)],
    ["underscores", "_a".repeat(size / 2)],
    ["backquotes", Array.from({ length: 400 }, (_, count) => "`".repeat(count)).join(" ")],
    ["angle brackets", "<".repeat(size)],
    ["unfinished tags", "<a b=".repeat(size / 5)],
    ["unfinished comments", "<!-- ".repeat(size / 5)],
    ["a wide table", `|${"a|".repeat(1000)}\n|${"-|".repeat(1000)}\n${"|\n".repeat(size / 2)}`],
    ["tables", "|a|\n|-|\n".repeat(size / 8)],
    ["definitions", "[a]: b\n".repeat(size / 7)],
    ["unfinished definitions", "[a]: <".repeat(size / 6)],
    ["blanks", " ".repeat(size)],
    ["blank lines", " \n".repeat(size / 2)],
    ["underlined headings", "a\n".repeat(size / 2)],
    ["addresses", "http://a.".repeat(size / 9)],
    ["mail addresses", "a@b.".repeat(size / 4)],
    ["references", "&#x1;".repeat(size / 5)],
    ["backslashes", "\\".repeat(size)],
    ["tildes", "~~a".repeat(size / 3)],
    ["fences", "```\n".repeat(size / 4)],
    ["tabs", "\t- a\n".repeat(size / 5)],
  ])("a text that is meant to take long: %s", (_name, source) => {
    expect(parseMarkdown(source).length).toBeGreaterThanOrEqual(0);
  });
});

const ELEMENTS = [
  ...[
    "p",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "ul",
    "ol",
    "li",
    "hr",
    "br",
    "div",
    "span",
    "section",
    "table",
    "thead",
    "tbody",
  ],
  ...["tr", "th", "td", "strong", "em", "del", "code", "a", "bdi"],
];

interface Element {
  readonly type: string;
  readonly props: Readonly<Record<string, unknown>>;
}

/** All elements of a tree. Parts that hold state get a text as it is and are tested by themselves. */
function elementsIn(children: ComponentChildren): readonly Element[] {
  if (Array.isArray(children)) return children.flatMap(elementsIn);
  if (typeof children !== "object" || children === null || !("type" in children)) return [];
  const { type, props } = children as VNode<Readonly<Record<string, unknown>>>;
  if (typeof type === "string") return [{ type, props }, ...elementsIn(props["children"] as ComponentChildren)];
  if (STATEFUL.has(type.name)) return [];
  const render = type as (props: Readonly<Record<string, unknown>>) => ComponentChildren;
  return elementsIn(
    type.name === "Fragment" || type.length === 0 ? (props["children"] as ComponentChildren) : render(props),
  );
}

const STATEFUL: ReadonlySet<string> = new Set(["Still", "Pieces"]);

function textIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(textIn).join(" ");
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([name, inside]) =>
      ["text", "alt", "href", "language"].includes(name) && typeof inside === "string" ? inside : textIn(inside),
    )
    .join(" ");
}

type Inline = (Block & { readonly is: "paragraph" })["of"][number];

function text(words: string): Inline {
  return { is: "text", text: words };
}
function code(words: string): Inline {
  return { is: "code", text: words };
}
function em(words: string): Inline {
  return { is: "em", of: [text(words)] };
}
function strong(words: string): Inline {
  return { is: "strong", of: [text(words)] };
}
function del(words: string): Inline {
  return { is: "del", of: [text(words)] };
}
function paragraph(...of: readonly (string | Inline)[]): Block {
  return { is: "paragraph", of: of.map((part) => (typeof part === "string" ? text(part) : part)) };
}
