/** Text as one segment of a resource: a rule's `*` spans all of it, slashes included. */
const oneSegment = (text: string): string => text.replaceAll("/", "∕");

/** Whole, however long: what stands behind the first words must not escape a rule. */
export const commandResource = (command: string): string => `command/${oneSegment(command)}`;
export const callResource = (title: string): string => `call/${oneSegment(title)}`;

/** The host of an address, in one spelling; null when it is no address. */
export function hostResource(address: string): string | null {
  const url = URL.parse(address);
  return url === null || url.hostname === "" ? null : `host/${url.hostname}`;
}
