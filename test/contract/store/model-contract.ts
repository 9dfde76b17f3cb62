import { describe } from "vitest";
import type { OpenStore } from "./describe-store.ts";

export function describeModel(open: OpenStore): void {
  describe("the reference model", () => {
    void open;
  });
}
