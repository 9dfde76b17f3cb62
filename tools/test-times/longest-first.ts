import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { readRecord } from "./times.ts";

/** A long file that starts last keeps one core waiting for the other. What was never measured starts first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = readRecord()?.projects ?? {};
    const secondsOf = ({ project, moduleId }: TestSpecification): number =>
      projects[project.name]?.files[relative(this.ctx.config.root, moduleId)] ?? Number.MAX_SAFE_INTEGER;
    return files.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}
