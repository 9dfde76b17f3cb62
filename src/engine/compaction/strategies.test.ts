import { expect, test } from "vitest";
import { createPath } from "../../../test/golden/prompts/path.ts";
import { createTranscript } from "../view/transcript.ts";
import { type CompactionOrder, type Preparation, prepareCompaction } from "./prepare.ts";
import { runStrategy, STRATEGIES } from "./strategies.ts";
import { joinSummary, type SummaryRequest, summaryBody, summaryRequests } from "./summary.ts";

const SMALL = { windowTokens: 10_000, settings: { reserveTokens: 2000, keepRecentTokens: 1000 } };
const big = (tokens: number) => "x".repeat(tokens * 4);
const NEVER = () => Promise.reject(new Error("no model was to be asked"));

test("a first summary is asked for with all sections; results are cut", () => {
  const [request, ...more] = summaryRequests(prepared(), "the tests");
  expect(more).toEqual([]);
  expect(request).toMatchObject({ of: "history", outputTokensMax: 1600 });
  const { text = "" } = request ?? {};
  for (const heading of [
    "Goal",
    "Constraints & preferences",
    "Progress",
    "Key decisions",
    "Next steps",
    "Critical context",
  ])
    expect(text).toContain(`## ${heading}`);
  expect(text).toContain("[User] fix the parser");
  expect(text).toContain('[Assistant calls] read({"path":"p.ts"})');
  expect(text).toContain(`[Result of read] ${"r".repeat(2000)}\n[1000 more characters]`);
  expect(text.endsWith("particular attention to this: the tests")).toBe(true);
  expect(text).not.toContain("<previous-summary>");
});

test("the next summary updates the previous one, without its lists", () => {
  const files = "<read-files>\na.ts\n</read-files>\n\n<todo>\n- [open] x\n</todo>";
  const [request] = summaryRequests({ ...prepared(), previousSummary: `## Goal\nAll\n\n${files}` }, null);
  expect(request?.text).toContain("<previous-summary>\n## Goal\nAll\n</previous-summary>");
});

test("a split turn is asked for in two requests, and both answers are in the summary", async () => {
  const preparation = splitTurn();
  const asked: SummaryRequest[] = [];
  const result = await runStrategy(STRATEGIES.summary, preparation, async (request) => {
    asked.push(request);
    return `answer ${request.of}`;
  });
  expect(asked.map(({ of }) => of)).toEqual(["history", "turn"]);
  expect(result).toEqual({
    ok: true,
    strategy: "summary",
    summary: "answer history\n\n---\n\n# The turn that is going on\n\nanswer turn\n\n<todo>\n- [active] go on\n</todo>",
  });
});

test("what is asked fits the window: the oldest messages are left out with a note", () => {
  const path = createPath();
  for (let n = 1; n <= 200; n += 1) {
    path.prompt(`t${n}`, `prompt ${n} ${big(100)}`);
    path.end(`t${n}`);
  }
  const [request] = summaryRequests(preparedFrom(path, SMALL), null);
  expect(request?.text.length).toBeLessThan(10_000 * 3);
  expect(request?.text).toMatch(/^<session>\n\[\d+ earlier messages are left out/);
  path.prompt("t201", big(30_000));
  const [one] = summaryRequests(preparedFrom(path, { ...SMALL, isForced: true }), null);
  expect(one?.text.length).toBeLessThan(10_000 * 3);
});

test("the lists of a summary are made anew each time", () => {
  const preparation = { ...prepared(), files: { read: ["a.ts"], modified: ["b.ts", "c.ts"] } };
  const summary = joinSummary(preparation, { history: "## Goal\nAll", turn: null });
  expect(summary).toBe(
    "## Goal\nAll\n\n<read-files>\na.ts\n</read-files>\n\n<modified-files>\nb.ts\nc.ts\n</modified-files>",
  );
  expect(summaryBody(summary)).toBe("## Goal\nAll");
});

test("without history to ask about, the previous summary stays word by word before that of the turn", () => {
  const preparation = {
    ...splitTurn(),
    toSummarize: [],
    todo: [],
    previousSummary: "S\n\n# The turn that is going on\n\nT",
  };
  expect(summaryRequests(preparation, null).map(({ of }) => of)).toEqual(["turn"]);
  expect(joinSummary(preparation, { history: null, turn: "U" })).toBe(
    "S\n\n# A turn after that\n\nT\n\n---\n\n# The turn that is going on\n\nU",
  );
});

test("a failed summary changes nothing, unless the context no longer fits", async () => {
  const preparation = prepared();
  const soft = await runStrategy(STRATEGIES.summary, preparation, NEVER);
  expect(soft).toMatchObject({ ok: false, message: "no model was to be asked" });
  const empty = await runStrategy(STRATEGIES.summary, preparation, async () => " ");
  expect(empty).toMatchObject({ ok: false, message: "The model gave an empty summary." });
  const forced = await runStrategy(STRATEGIES.summary, { ...preparation, isForced: true }, NEVER);
  expect(forced).toMatchObject({ ok: true, strategy: "window" });
  const signal = AbortSignal.abort();
  const aborted = runStrategy(STRATEGIES.summary, { ...preparation, isForced: true }, NEVER, { signal });
  await expect(aborted).rejects.toThrow("aborted");
});

test("window keeps prompts, the last answer, files and todo, and stays small however often", async () => {
  let preparation = prepared();
  for (let round = 0; round < 20; round += 1) {
    const result = await runStrategy(STRATEGIES.window, preparation, NEVER, { focus: "the parser" });
    if (!result.ok) throw new Error(result.message);
    expect(result.summary.length).toBeLessThan(40_000);
    expect(result.summary).toContain("- fix the parser");
    expect(result.summary).toContain("## Asked to keep in mind\nthe parser");
    expect(result.summary).toContain("## The last answer\nx");
    expect(result.summary).not.toContain("rrrr");
    preparation = { ...preparation, previousSummary: result.summary };
  }
});

test("prune keeps what was said and drops results", async () => {
  const result = await runStrategy(STRATEGIES.prune, prepared(), NEVER);
  if (!result.ok) throw new Error(result.message);
  expect(result.summary).toContain("[User] fix the parser");
  expect(result.summary).toContain("[Assistant] I look");
  expect(result.summary).not.toContain("rrrr");
  expect(result.summary).not.toContain("hidden");
});

function prepared(): Preparation {
  const path = createPath();
  path.prompt("t1", "fix the parser");
  path.step("t1", {
    thought: "hidden",
    text: "I look",
    calls: [{ id: "c1", name: "read", input: '{"path":"p.ts"}', output: "r".repeat(3000) }],
  });
  path.step("t1", { text: big(10) });
  path.end("t1");
  path.prompt("t2", "next");
  path.step("t2", { text: big(1200) });
  return { ...preparedFrom(path, SMALL), files: { read: [], modified: [] } };
}

function splitTurn(): Preparation {
  const path = createPath();
  path.prompt("t1", "first");
  path.step("t1", { text: big(400) });
  path.end("t1");
  path.prompt("t2", "second");
  path.step("t2", { text: big(600), calls: [{ id: "c1", name: "run", output: "ok" }] });
  path.step("t2", { text: big(1200), calls: [{ id: "c2", name: "run", output: "ok" }] });
  path.add("todo.replaced@1", { turnId: "t2", items: [{ text: "go on", status: "active" }] });
  return preparedFrom(path, SMALL);
}

function preparedFrom({ events }: ReturnType<typeof createPath>, order: CompactionOrder): Preparation {
  const transcript = createTranscript();
  for (const event of events) transcript.add(event);
  const preparation = prepareCompaction(transcript, order);
  if (preparation === null) throw new Error("nothing to compact");
  return preparation;
}
