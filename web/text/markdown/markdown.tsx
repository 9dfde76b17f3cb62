import { type ComponentChildren, Fragment, type VNode } from "preact";
import { reachable } from "../../parts/index.ts";
import { Code } from "../code/code.tsx";
import { SafeRuns, SafeText } from "../safe/safe-text.tsx";
import { still } from "../still.tsx";
import { useParsed } from "../thread/use-parsed.ts";
import {
  type Align,
  type Block,
  type Cells,
  type Inline,
  type ListItem,
  MARKDOWN_CHARS_MAX,
} from "./markdown-nodes.ts";
import { safeLink } from "./safe-link.ts";
import "./markdown.css";

export interface MarkdownProps {
  readonly text: string;
}

/** Markdown of an agent or a person. Until it is parsed, and where it is too long, the plain text is shown. */
export const Markdown = still(({ text }: MarkdownProps): VNode => {
  const ask = text.length > MARKDOWN_CHARS_MAX ? null : ({ what: "markdown", text } as const);
  const { value, isCurrent, of } = useParsed(ask);
  if (value === null) return <Plain text={text} />;
  // A text that is still being written: the parsed beginning stays, and what was added since follows as it is.
  const rest = isCurrent ? "" : text.startsWith(of) ? text.slice(of.length) : null;
  if (rest === null) return <Plain text={text} />;
  return (
    <div class="md" dir="auto">
      {blocksOf(value)}
      {rest !== "" && <Plain text={rest} />}
    </div>
  );
});

function Plain({ text }: { readonly text: string }): VNode {
  return (
    <div class="md md-plain" dir="auto">
      <SafeText text={text} />
    </div>
  );
}

/** Elements for parsed Markdown. Every text goes through SafeText, every address through safeLink. */
export function blocksOf(blocks: readonly Block[]): VNode {
  return (
    <Fragment>
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
    </Fragment>
  );
}

function BlockView({ block }: { readonly block: Block }): VNode {
  switch (block.is) {
    case "paragraph":
      return <p dir="auto">{inlinesOf(block.of)}</p>;
    case "heading":
      return <Heading depth={block.depth}>{inlinesOf(block.of)}</Heading>;
    case "code":
      return <Code text={block.text} {...(block.language === null ? {} : { language: block.language })} />;
    case "quote":
      return <blockquote dir="auto">{blocksOf(block.blocks)}</blockquote>;
    case "list":
      return <List start={block.start} items={block.items} />;
    case "table":
      return <TableView align={block.align} head={block.head} rows={block.rows} />;
    case "rule":
      return <hr />;
    case "raw":
      return (
        <div class="md-raw" dir="auto">
          <SafeText text={block.text} />
        </div>
      );
  }
}

/** The page has the first two levels. */
function Heading({ depth, children }: { readonly depth: number; readonly children: ComponentChildren }): VNode {
  const Tag = (["h3", "h4", "h5"] as const)[depth - 1] ?? "h6";
  return (
    <Tag class={`md-h${depth}`} dir="auto">
      {children}
    </Tag>
  );
}

function List({ start, items }: { readonly start: number | null; readonly items: readonly ListItem[] }): VNode {
  const views = items.map((item, at) => <Item key={at} item={item} />);
  return start === null ? (
    <ul dir="auto">{views}</ul>
  ) : (
    <ol start={start} dir="auto">
      {views}
    </ol>
  );
}

function Item({ item: { checked, blocks } }: { readonly item: ListItem }): VNode {
  const only = blocks.length === 1 ? blocks[0] : undefined;
  const inside = only?.is === "paragraph" ? inlinesOf(only.of) : blocksOf(blocks);
  if (checked === null) return <li>{inside}</li>;
  return (
    <li class="md-check">
      <span role="img" aria-label={checked ? "done" : "open"} class="md-box">
        {checked ? "☑" : "☐"}
      </span>{" "}
      {inside}
    </li>
  );
}

interface TableProps {
  readonly align: readonly Align[];
  readonly head: Cells;
  readonly rows: readonly Cells[];
}

function TableView({ align, head, rows }: TableProps): VNode {
  const side = (at: number): string | undefined => (align[at] ? `md-${align[at]}` : undefined);
  return (
    <section class="md-table" ref={(element) => reachable(element)} aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} class={side(at)} dir="auto" scope="col">
                {inlinesOf(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} class={side(column)} dir="auto">
                  {inlinesOf(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function inlinesOf(inlines: readonly Inline[]): VNode {
  return (
    <Fragment>
      {inlines.map((inline, at) => (
        <InlineView key={at} inline={inline} />
      ))}
    </Fragment>
  );
}

function InlineView({ inline }: { readonly inline: Inline }): VNode {
  switch (inline.is) {
    case "text":
      return <SafeRuns text={inline.text} />;
    case "code":
      return (
        <code class="md-code" dir="auto">
          <SafeRuns text={inline.text} />
        </code>
      );
    case "break":
      return <br />;
    case "strong":
      return <strong>{inlinesOf(inline.of)}</strong>;
    case "em":
      return <em>{inlinesOf(inline.of)}</em>;
    case "del":
      return <del>{inlinesOf(inline.of)}</del>;
    case "link":
      return (
        <LinkView href={inline.href} visible={plainOf(inline.of)}>
          {inlinesOf(inline.of)}
        </LinkView>
      );
    case "image":
      return (
        <LinkView href={inline.href} visible={inline.alt}>
          <span class="md-image">image: </span>
          <SafeRuns text={inline.alt || inline.href} />
        </LinkView>
      );
  }
}

interface LinkProps {
  readonly href: string;
  readonly visible: string;
  readonly children: ComponentChildren;
}

/** A link that may be opened; any other is shown as text, with where it would lead. */
function LinkView({ href, visible, children }: LinkProps): VNode {
  const link = safeLink(href, visible);
  if (link === null)
    return (
      <span class="md-nolink">
        {children}
        {href !== "" && href !== visible && (
          <bdi class="md-target">
            {" ("}
            <SafeRuns text={href.slice(0, TARGET_CHARS_MAX)} strict />
            {href.length > TARGET_CHARS_MAX ? "…)" : ")"}
          </bdi>
        )}
      </span>
    );
  return (
    <Fragment>
      <a href={link.href} rel="noopener noreferrer nofollow" target="_blank" dir="auto">
        {children}
      </a>
      {link.realHost !== null && (
        <bdi class="md-target" dir="ltr">
          {" "}
          [{link.realHost}]
        </bdi>
      )}
    </Fragment>
  );
}

const TARGET_CHARS_MAX = 200;

function plainOf(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      if (inline.is === "break") return " ";
      if (inline.is === "image") return inline.alt;
      return "text" in inline ? inline.text : plainOf(inline.of);
    })
    .join("");
}
