export { openApi } from "./http/openapi.ts";
export { serveHttp } from "./http/server.ts";
export { jsonSchema } from "./json-schema.ts";
