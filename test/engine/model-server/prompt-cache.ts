import { createHash } from "node:crypto";
import { z } from "zod";
import type { WireUsage } from "./behaviour.ts";

const Block = z.looseObject({ cache_control: z.unknown().optional() });
type Block = z.infer<typeof Block>;
const Body = z.looseObject({
  tools: z.array(Block).default([]),
  system: z.union([z.string().transform((text): Block[] => [{ text }]), z.array(Block)]).default([]),
  messages: z.array(
    z.looseObject({ content: z.union([z.string().transform((text): Block[] => [{ text }]), z.array(Block)]) }),
  ),
});

/** Anthropic finds what was cached at most this many blocks before a mark. */
const LOOK_BACK_BLOCKS = 20;
const MARKS_MAX = 4;

/**
 * Anthropic's prompt cache as it is documented: the prompt is tools, system, messages; what was cached at a mark is found
 * again from a mark at the same block or from one up to 20 blocks behind it. Four characters are a token.
 */
export function createPromptCache(): (body: unknown, outputTokens: number) => WireUsage {
  const known = new Set<string>();
  return (body, output) => {
    const { tools, system, messages } = Body.parse(body);
    const blocks = [...tools, ...system, ...messages.flatMap(({ content }) => content)];
    const hash = createHash("sha256");
    const ends: string[] = [];
    const sizes: number[] = [];
    const marks: number[] = [];
    for (const [at, { cache_control: mark, ...block }] of blocks.entries()) {
      const text = JSON.stringify(block);
      hash.update(text);
      ends.push(hash.copy().digest("hex"));
      sizes.push(Math.ceil(text.length / 4));
      if (mark !== undefined) marks.push(at);
    }
    if (marks.length > MARKS_MAX) throw new Error(`${marks.length} cache marks, at most ${MARKS_MAX} are allowed`);
    const found = Math.max(-1, ...marks.map((mark) => lookBack(mark, ends, known)));
    for (const mark of marks) known.add(ends[mark] ?? "");
    const sum = (from: number, to: number): number => sizes.slice(from, to).reduce((all, size) => all + size, 0);
    const lastMark = Math.max(found, ...marks);
    return {
      cacheRead: sum(0, found + 1),
      cacheWrite: sum(found + 1, lastMark + 1),
      input: sum(lastMark + 1, sizes.length),
      output,
    };
  };
}

function lookBack(mark: number, ends: readonly string[], known: ReadonlySet<string>): number {
  for (let at = mark; at >= 0 && at > mark - LOOK_BACK_BLOCKS; at -= 1) if (known.has(ends[at] ?? "")) return at;
  return -1;
}
