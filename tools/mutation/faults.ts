import { DECISION_FAULTS } from "./decision-faults.ts";
import { DOOR_FAULTS } from "./door-faults.ts";
import type { Fault } from "./fault.ts";
import { STORE_FAULTS } from "./store-faults.ts";
import { TEXT_FAULTS } from "./text-faults.ts";
import { WALL_FAULTS } from "./wall-faults.ts";

/** Each must be found by its tests: `npm run mutation -- --faults`. */
export const FAULTS: readonly Fault[] = [
  ...STORE_FAULTS,
  ...DECISION_FAULTS,
  ...WALL_FAULTS,
  ...DOOR_FAULTS,
  ...TEXT_FAULTS,
];
