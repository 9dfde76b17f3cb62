export { QuestionCard } from "./question-card.tsx";
