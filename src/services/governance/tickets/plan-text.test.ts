import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { PLAN_MAX, readPlan } from "./plan-text.ts";

proves(
  "GT-22",
  "headings are epics, items are tasks of the last one, indented lines are texts, `(after T1)` waits",
  () => {
    expect(
      readPlan(
        "Intro that is no ticket\n* T0: Before all\n\n## epic-1: One\nloose text\n- T1: First (of two)\n  Do it.\n\n  Well.\n* T2: Second (after T0, T1)\n### EPIC-2: Two\r\n* Tx-1: Third\r\n",
      ),
    ).toEqual([
      { kind: "task", name: "T0", title: "Before all", body: "", epic: null, after: [] },
      { kind: "epic", name: "EPIC-1", title: "One", body: "", epic: null, after: [] },
      { kind: "task", name: "T1", title: "First (of two)", body: "Do it.\n\nWell.", epic: "EPIC-1", after: [] },
      { kind: "task", name: "T2", title: "Second", body: "", epic: "EPIC-1", after: ["T0", "T1"] },
      { kind: "epic", name: "EPIC-2", title: "Two", body: "", epic: null, after: [] },
      { kind: "task", name: "Tx-1", title: "Third", body: "", epic: "EPIC-2", after: [] },
    ]);
  },
);

proves(
  "GT-22",
  "a plan that names nothing, too much, one twice, or what it lacks is refused with what to write",
  () => {
    const many = Array.from({ length: PLAN_MAX.tickets + 1 }, (_, n) => `* T${n}: x`).join("\n");
    for (const text of ["", "do it all", "* T1:", "* T1: a\n* T1: b", "* T1: a (after T2)", many])
      expect(() => readPlan(text)).toThrow(expect.objectContaining({ code: "invalid_request" }));
    // Long lines that nearly match take no long time.
    const startMs = performance.now();
    expect(() => readPlan(`* T${"1".repeat(50_000)}`)).toThrow();
    expect(() => readPlan(`* T1: ${" (after T1".repeat(10_000)}`)).not.toThrow();
    expect(performance.now() - startMs).toBeLessThan(2000);
  },
);
