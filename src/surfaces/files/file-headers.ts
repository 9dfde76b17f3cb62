/** Where the dashboard may load from: this daemon alone, and nothing that stands in the document itself. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types nomos",
].join("; ");

const SENSORS = ["accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "hid", "magnetometer"];
const DEVICES = ["microphone", "midi", "payment", "serial", "usb"];

/** On every file and on every page, also on those that say that something is missing. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": [...SENSORS, ...DEVICES].map((feature) => `${feature}=()`).join(", "),
};

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webmanifest: "application/manifest+json",
  woff2: "font/woff2",
};

export const HTML_TYPE = "text/html; charset=utf-8";

export function contentType(name: string): string {
  return TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
}

/** A name with a hash of its content never means anything else. */
const HASHED = /^assets\/.+-[A-Z0-9]{8}\.\w+$/;

export function cacheControl(name: string): string {
  return HASHED.test(name) ? "public, max-age=31536000, immutable" : "no-cache";
}
