export { POINTS } from "./point-rules.ts";
export { createPoints, type PointFailure, type Points } from "./points.ts";
