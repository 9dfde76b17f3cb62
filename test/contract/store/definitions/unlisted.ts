import { houseWithChores } from "../chores.ts";

export const AGGREGATES = houseWithChores(null);
