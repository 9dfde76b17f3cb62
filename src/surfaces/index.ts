export { openApi } from "./http/openapi.ts";
export { type HttpServer, serveHttp } from "./http/server.ts";
