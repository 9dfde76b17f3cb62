/** Makes ids that sort by creation, each higher than the one before. */
export type NewId = () => string;

/** A UUIDv7 (RFC 9562) in lower case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text);
}
