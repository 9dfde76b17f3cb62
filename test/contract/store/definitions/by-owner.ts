import { CHORES_BY_OWNER, houseWithChores } from "../chores.ts";

export const AGGREGATES = houseWithChores(CHORES_BY_OWNER);
