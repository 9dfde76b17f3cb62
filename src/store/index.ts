export { mayHaveLog, openStore, type StoreSettings, shownAddress } from "./open-store.ts";
export * from "./port.ts";
export { lockHome } from "./sqlite/home-lock.ts";
export { openLogReader } from "./sqlite/open-reader.ts";
export { logPath, openSqliteStore } from "./sqlite/store.ts";
