import { openSqliteTestStore } from "../../support/store-sqlite.ts";
import { describeStore } from "./describe-store.ts";

describeStore("sqlite", openSqliteTestStore);
