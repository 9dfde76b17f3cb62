export { openApi } from "./http/openapi.ts";
export { type HttpServer, serveHttp } from "./http/server.ts";
export { jsonSchema } from "./json-schema.ts";
