import { CHORES, houseWithChores } from "../chores.ts";

export const AGGREGATES = houseWithChores(CHORES);
