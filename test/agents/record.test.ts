import { expect } from "vitest";
import { proves } from "../support/proves.ts";
import { packagesOf } from "./install.ts";
import { RECIPES } from "./recipes.ts";
import { readRecord, VERBS } from "./record.ts";

const RUN_AGAIN = "run `npm run test:agents -- --all --record`";

proves("AG-26", "every agent with a recipe was tested with every verb, in the versions its manifest names", () => {
  for (const { slug } of RECIPES) {
    const record = readRecord(slug);
    expect(record?.packages, RUN_AGAIN).toEqual(packagesOf(slug));
    expect(Object.keys(record?.verbs ?? {}), RUN_AGAIN).toEqual(Object.keys(VERBS));
  }
});

proves("AG-26", "recorded versions are exact: a later install gets the version that was tested", () => {
  for (const { slug } of RECIPES) for (const name of packagesOf(slug)) expect(name).toMatch(/^@?[^@]+@\d+\.\d+\.\d+$/);
});

proves("AG-26", "an agent lacks only what its recipe says it does not offer", () => {
  for (const { slug, asksOn, takesTools, runsNothing } of RECIPES) {
    const missing = Object.entries(readRecord(slug)?.verbs ?? {}).flatMap(([verb, { works }]) =>
      works === "no" ? [verb] : [],
    );
    expect(missing).toEqual([
      ...(asksOn === null ? ["reject"] : []),
      ...(takesTools ? [] : ["tools"]),
      ...(runsNothing === true ? ["walls"] : []),
    ]);
  }
});
