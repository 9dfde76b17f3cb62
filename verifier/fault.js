/**
 * @typedef {object} Place Where in the bundle something is wrong.
 * @property {number} [line] In events.jsonl, counted from 1.
 * @property {number | null} [seq]
 * @property {string | null} [stream]
 * @property {number | null} [version]
 * @property {string} [file]
 */

/** The bundle is not what it should be. The first one ends the verification. */
export class BundleFault extends Error {
  /**
   * @param {string} why
   * @param {Place} place
   */
  constructor(why, place) {
    super(why);
    this.why = why;
    this.place = place;
  }
}
