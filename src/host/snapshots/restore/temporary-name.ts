/** Names that only a restore makes. One that was killed leaves them behind; the next restore takes them away. */
export const TEMPORARY_PREFIX = ".nomos-restore-";
