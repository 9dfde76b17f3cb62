/** Names that only a restore makes. A killed restore leaves them; the next one removes them. */
export const TEMPORARY_PREFIX = ".nomos-restore-";
