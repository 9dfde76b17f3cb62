import { expect } from "vitest";
import { SPEC } from "../../../test/support/kernel-model.ts";
import { foldOn, IDLE } from "../../../test/support/kernel-states.ts";
import { proves } from "../../../test/support/proves.ts";
import type { Line } from "../definitions/line.ts";
import { LIMITS } from "../limits.ts";
import { type EventType, type Fact, fact, SESSION_EVENTS } from "./events.ts";
import { newSessionState } from "./state.ts";
import { emptyView, inheritView, rewindView, trimArtifacts, type View } from "./view.ts";

proves("K18", "what was said and done can be erased; what the state machine needs cannot", () => {
  const erasable = Object.entries(SESSION_EVENTS).flatMap(([type, about]) => (about.erasable ? [type] : []));
  expect(erasable).toEqual([
    "session.labelled@1",
    "session.titled@1",
    "point.labelled@1",
    "turn.admitted@1",
    "message.completed@1",
    "effect.intended@1",
    "effect.output@1",
    "approval.requested@1",
    "gate.allowed@1",
    "artifact.written@1",
    "todo.replaced@1",
    "driver.noticed@1",
    "driver.update_kept@1",
    "tool.called@1",
    "tool.ended@1",
    "turn.attached@1",
    "context.composed@1",
    "context.compacted@1",
    "context.branched@1",
    "turn.steered@1",
    "worktree.kept@1",
    "scope.reverted@1",
    "gate.denied@1",
  ]);
});

/** As a client of AIP-46 sees them; lines of stderr begin with `!`. */
function shown<Type extends EventType>(given: Fact<Type>): readonly string[] {
  const { lines } = SESSION_EVENTS[given.type] as { lines: ((data: object) => readonly Line[]) | null };
  return (lines?.(given.data) ?? []).map(({ line, stream }) => (stream === "stderr" ? `!${line}` : line));
}

proves("K33", "events as lines of output", () => {
  const ended = { turnId: "t", outcome: "failed" as const };
  expect(shown(fact("turn.ended@1", { ...ended, error: null }))).toEqual(["── turn-end (failed) ──"]);
  expect(shown(fact("turn.ended@1", { ...ended, error: { code: "c", message: "m" } }))).toEqual([
    "![error] m",
    "── turn-end (failed) ──",
  ]);
  const message = { turnId: "t", blob: null, bytes: 1 };
  expect(shown(fact("message.completed@1", { ...message, role: "assistant", text: "a\nb\n" }))).toEqual(["a", "b"]);
  expect(shown(fact("message.completed@1", { ...message, role: "thought", text: "a" }))).toEqual(["[thought] a"]);
  const tool = (detail: object | string | null) =>
    shown(
      fact("effect.intended@1", {
        ...{ effectId: "e", turnId: "t", kind: "run", redo: "ask", verdict: "allow", rules: [] },
        detail,
      } as never),
    );
  expect([{ command: "c", path: "p" }, { path: "p" }, { argv: ["a", "b"] }, {}, null, "text"].flatMap(tool)).toEqual([
    "[tool] run: c",
    "[tool] run: p",
    "[tool] run: a b",
    "[tool] run: ",
    "[tool] run: ",
    "[tool] run: ",
  ]);
  const settled = (outcome: "done" | "failed", exitCode: number | null, why: string | null) =>
    shown(fact("effect.settled@1", { effectId: "e", turnId: "t", outcome, exitCode, message: why, redo: null }));
  expect(settled("done", 0, "x")).toEqual([]);
  expect([settled("failed", 1, "why"), settled("failed", null, null)].flat()).toEqual([
    "![tool-error] failed (exit 1): why",
    "![tool-error] failed",
  ]);
  const notice = (severity: "info" | "error") =>
    shown(
      fact("driver.noticed@1", { turnId: "t", severity, title: "title", body: { text: "body", blob: null, bytes: 4 } }),
    );
  expect([notice("info"), notice("error")].flat()).toEqual(["!body", "![notice] title"]);
  const called = (outcome: "done" | "failed") =>
    shown(
      fact("tool.ended@1", { turnId: "t", callId: "c", title: "title", outcome, places: [], diffs: [], output: null }),
    );
  expect([called("done"), called("failed")]).toEqual([[], ["![tool-error] title"]]);
});

proves("K33", "a session is found by its name and label, a turn by what was said in it", () => {
  const words = (type: EventType, data: object) =>
    (SESSION_EVENTS[type] as { words: ((data: object) => string | null) | null }).words?.(data) ?? null;
  const spec = { ...SPEC, name: "calm-otter-01" };
  for (const type of ["session.opened@1", "session.forked@1"] as const) {
    expect(words(type, { spec, label: "the label" })).toBe("calm-otter-01 the label");
    expect(words(type, { spec, label: null })).toBe("calm-otter-01 ");
  }
  expect(words("session.labelled@1", { label: "x" })).toBe("x");
  expect(words("session.titled@1", { title: "x" })).toBe("x");
  expect(words("turn.admitted@1", { prompt: "x" })).toBe("x");
  for (const type of ["message.completed@1", "effect.output@1"] as const) expect(words(type, { text: "x" })).toBe("x");
  expect(words("turn.started@1", { turnId: "x" })).toBeNull();
});

proves("K12", "the path after a fork and after a rewind, written out", () => {
  const own = (stream: string, from: number, to: number | null = null) => ({ kind: "own", stream, from, to }) as const;
  const inherited = (stream: string, version: number) => ({ kind: "inherited", stream, version }) as const;
  const view = emptyView("s");
  expect(view.path).toEqual([own("s", 1)]);
  expect(inheritView(view, { stream: "s", version: 4 }, "f").path).toEqual([inherited("s", 4), own("f", 1)]);
  const back = rewindView(view, { stream: "s", version: 4 }, { stream: "s", version: 9 });
  expect(back.path).toEqual([own("s", 1, 4), own("s", 9)]);
  const again = rewindView(back, { stream: "s", version: 9 }, { stream: "s", version: 12 });
  expect(again.path).toEqual([own("s", 1, 4), own("s", 9, 9), own("s", 12)]);
  expect(rewindView(view, { stream: "p", version: 4 }, { stream: "s", version: 9 }).path).toEqual([
    inherited("p", 4),
    own("s", 9),
  ]);
  const long = (count: number): View => ({
    ...view,
    path: Array.from({ length: count }, (_, n) => own("s", n + 1, n + 1)),
  });
  const rewound = (count: number) => rewindView(long(count), { stream: "s", version: 4 }, { stream: "s", version: 9 });
  expect(rewound(LIMITS.pathSegmentsMax - 1).path).toHaveLength(LIMITS.pathSegmentsMax);
  expect(rewound(LIMITS.pathSegmentsMax).path).toEqual([inherited("s", 4), own("s", 9)]);
});

proves("K17", "over the limit the longest history loses its oldest version, and only that", () => {
  const history = (artifactId: string, count: number) => ({
    artifactId,
    versions: Array.from({ length: count }, (_, n) => ({ version: n + 1, blob: "b", bytes: 1, mediaType: "m" })),
  });
  const view = (a: number, b: number): View => ({
    ...emptyView("s"),
    artifacts: { a: history("a", a), b: history("b", b) },
  });
  const max = LIMITS.artifactVersionsMax;
  expect(trimArtifacts(view(1, max - 1))).toEqual(view(1, max - 1));
  const { artifacts } = trimArtifacts(view(2, max - 1));
  expect([artifacts["a"]?.versions.length, artifacts["b"]?.versions.length]).toEqual([2, max - 2]);
  expect([artifacts["b"]?.artifactId, artifacts["b"]?.versions[0]?.version]).toEqual(["b", 2]);
  const tied = { ...view(max / 2, max / 2), artifacts: { ...view(max / 2, max / 2).artifacts, c: history("c", 1) } };
  expect(Object.values(trimArtifacts(tied).artifacts).map(({ versions }) => versions.length)).toEqual([
    ...[max / 2 - 1, max / 2, 1],
  ]);
  const first = trimArtifacts(view(max, 1)).artifacts;
  expect([first["a"]?.versions.length, first["b"]?.versions.length]).toEqual([max - 1, 1]);
});

proves("K10", "a fork's first state: its own name and place, its parent's view and numbers", () => {
  const view: View = {
    ...emptyView("session/p"),
    artifacts: { p: { artifactId: "a", versions: [{ version: 4, blob: "b", bytes: 1, mediaType: "m" }] } },
  };
  const from = { stream: "session/p", version: 7, eventId: "e7", sessionId: "p" };
  const forked = { spec: IDLE.spec as never, label: "l", from, root: "r", view };
  const blank = newSessionState("s");
  const state = foldOn(blank, fact("session.forked@1", forked));
  expect(state).toMatchObject({
    ...{
      spec: IDLE.spec,
      label: "l",
      forkedFrom: from,
      root: "r",
      view,
      artifactNext: { a: 5 },
      openedAt: "t1",
      headId: "e1",
    },
  });
  expect(foldOn(state, fact("session.forked@1", { ...forked, label: "other" })).label).toBe("l");
  const bare: View = { ...view, artifacts: { p: { artifactId: "a", versions: [] } } };
  expect(foldOn(blank, fact("session.forked@1", { ...forked, view: bare })).artifactNext).toEqual({ a: 1 });
});
