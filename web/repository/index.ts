export { ChooseRepository } from "./choose-repository.tsx";
export { LawError, NoRepository } from "./law-error.tsx";
export { type ChosenRepository, useRepository } from "./use-repository.ts";
