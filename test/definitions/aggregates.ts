import { AGGREGATES as HOUSE } from "../../src/domains/index.ts";
import type { Aggregate } from "../../src/kernel/index.ts";
import { Reminder } from "./reminder.ts";

/** The house and one kind of stream more. Stores and their threads load it by this file's address. */
export const AGGREGATES: readonly Aggregate[] = [...HOUSE, Reminder];

export const MODULE: string = import.meta.url;
