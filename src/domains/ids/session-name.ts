/** A session's name: two words and two hex digits, from three random bytes. */
export function sessionName(random: Uint8Array): string {
  const pick = (words: readonly string[], at: number) => words[(random[at] ?? 0) % words.length] ?? "";
  return `${pick(FIRST_WORDS, 0)}-${pick(SECOND_WORDS, 1)}-${(random[2] ?? 0).toString(16).padStart(2, "0")}`;
}

const FIRST_WORDS = (
  "amber brave brisk calm clear civil cosy deft early eager fair firm fleet frank glad grand green happy hardy honest " +
  "jolly keen kind light lively lucid merry mild mighty neat noble patient plain prime proud quick quiet rapid ready " +
  "royal sharp silent sober solid steady stout sunny swift tidy true vivid warm wise witty young zesty bold bright crisp " +
  "gentle golden humble loyal"
).split(" ");
const SECOND_WORDS = (
  "acorn anchor aspen badger beacon birch bison brook canyon cedar cliff comet coral crane delta dune eagle ember falcon " +
  "fern finch fjord forest glade grove harbor hawk heron hill island ivy lake lark lemur lily lynx maple marsh meadow " +
  "mesa moose oak orchid osprey otter owl peak pebble pine plum pond poplar quartz raven reef ridge river robin sage " +
  "spruce summit tiger valley willow"
).split(" ");
