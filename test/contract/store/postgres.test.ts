import { openPostgresTestStore } from "../../support/store-postgres.ts";
import { describeStore } from "./describe-store.ts";

describeStore("postgres", openPostgresTestStore);
