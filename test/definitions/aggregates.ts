import { AGGREGATES as HOUSE } from "../../src/domains/index.ts";
import type { Aggregate } from "../../src/kernel/index.ts";
import { Reminder } from "./reminder.ts";

/** The product's aggregates and one more. Stores and their threads load it by this file's URL. */
export const AGGREGATES: readonly Aggregate[] = [...HOUSE, Reminder];

export const MODULE: string = import.meta.url;
