import { startPostgres } from "./postgres.ts";

/** Once per test run: starts a PostgreSQL for all tests, unless NOMOS_TEST_POSTGRES names one. */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  if (process.env["NOMOS_TEST_POSTGRES"] !== undefined) return undefined;
  const server = await startPostgres();
  process.env["NOMOS_TEST_POSTGRES"] = server.url;
  return async () => {
    delete process.env["NOMOS_TEST_POSTGRES"];
    await server[Symbol.asyncDispose]();
  };
}
