import type { Shape } from "../shape.ts";
import { AI_SHAPES } from "./ai.ts";
import { CLOUD_SHAPES } from "./cloud.ts";
import { CODE_SHAPES } from "./code.ts";
import { GENERAL_SHAPES } from "./general.ts";
import { MONEY_SHAPES } from "./money.ts";
import { WORK_SHAPES } from "./work.ts";

/** Ids are never used for anything else later: markers in the log name them. */
export const SHAPES: readonly Shape[] = [
  ...AI_SHAPES,
  ...CLOUD_SHAPES,
  ...CODE_SHAPES,
  ...WORK_SHAPES,
  ...MONEY_SHAPES,
  ...GENERAL_SHAPES,
];
