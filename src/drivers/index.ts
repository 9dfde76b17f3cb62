export { demoDriver } from "./demo/demo-driver.ts";
export * from "./driver.ts";
export { externalDriver } from "./external/external-driver.ts";
export { scriptDriver } from "./script/script-driver.ts";
