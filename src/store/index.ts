export { mayHaveLog, openStore, type StoreSettings, shownAddress } from "./open-store.ts";
export * from "./port.ts";
export { lockHome } from "./sqlite/home-lock.ts";
export { type LogReader, openLogReader } from "./sqlite/open-reader.ts";
export { logPath, openSqliteStore, type SqliteStoreOptions } from "./sqlite/store.ts";
