// Questions, one at a time, with progress, "None of these", and a review of several before they are sent.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Question } from "../../shared/plan/question.ts";
import { hasKeyboard } from "../browser/screen.ts";
import { InlineCode } from "../components/inline-code.tsx";
import { Problem } from "../components/problem.tsx";
import { Sheet } from "../components/sheet.tsx";
import { WholeMarkdown, WholeWords } from "../markdown/whole.tsx";
import {
  type AskedQuestions,
  answerInWords,
  currentAnswers,
  isAnswer,
  onlyNumbers,
  pickedOptions,
  setAnswer,
  showQuestion,
  toggled,
} from "../session/answers.ts";
import { answer, sayInstead } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";

interface QuestionSheetProps {
  session: OpenSession;
  asked: AskedQuestions;
  onClose(): void;
}

export function QuestionSheet({ session, asked, onClose }: QuestionSheetProps) {
  const { index, raw } = currentAnswers(session, asked);
  const total = asked.questions.length;
  const question = asked.questions[index];
  const show = (next: number) => showQuestion(session, asked, next);
  const answered = asked.questions.every((each) => isAnswer(each, raw[each.id] ?? ""));
  const planning = session.settled.value.head.mode === "plan";
  const back = index > 0 && (
    <button type="button" class="button quiet" onClick={() => show(index - 1)}>
      Back
    </button>
  );
  const bar =
    question === undefined || total === 1 ? (
      <div class="actions">
        {back}
        {planning && (
          <button
            type="button"
            class="button soft"
            disabled={!answered}
            onClick={() => answer(session, true)}
          >
            Answer and run
          </button>
        )}
        <button
          type="button"
          class="button plan grow"
          disabled={!answered}
          onClick={() => answer(session, false)}
        >
          {planning ? "Answer" : "Answer and go on"}
        </button>
      </div>
    ) : (
      <div class="actions">
        {back}
        <button
          type="button"
          class="button plan grow"
          disabled={!isAnswer(question, raw[question.id] ?? "")}
          onClick={() => show(index + 1)}
        >
          Next
        </button>
      </div>
    );
  const subtitle =
    question === undefined
      ? `Review · round ${asked.round} of 5`
      : `${total === 1 ? "One question" : `Question ${index + 1} of ${total}`} · round ${asked.round} of 5`;
  return (
    <Sheet title={session.record.value.title} subtitle={subtitle} onClose={onClose} bar={bar} tall>
      {total > 1 && (
        <div class="progress" role="img" aria-label={`${Math.min(index + 1, total)} of ${total}`}>
          {asked.questions.map(({ id }, at) => (
            <span key={id} class={at < index ? "past" : at === index ? "now" : ""} />
          ))}
        </div>
      )}
      {index === 0 && asked.summary !== undefined && (
        <p class="question-summary">
          <WholeWords text={asked.summary} />
        </p>
      )}
      {question === undefined ? (
        <Review session={session} asked={asked} raw={raw} onEdit={show} onSayInstead={onClose} />
      ) : (
        <>
          <QuestionView
            key={question.id}
            question={question}
            raw={raw[question.id] ?? ""}
            problem={problemOf(asked, question.id)}
            onRaw={(value) => setAnswer(session, asked, question.id, value, index)}
          />
          {total === 1 && <SayInstead session={session} onSayInstead={onClose} />}
        </>
      )}
    </Sheet>
  );
}

function problemOf(asked: AskedQuestions, id: string): string | undefined {
  return asked.details?.find((detail) => detail.id === id)?.problem;
}

interface QuestionViewProps {
  question: Question;
  raw: string;
  problem: string | undefined;
  onRaw(raw: string): void;
}

function QuestionView({ question, raw, problem, onRaw }: QuestionViewProps) {
  const options = question.options ?? [];
  const picked = pickedOptions(question, raw);
  const free = question.type === "free_text";
  const own = useSignal(free || (raw !== "" && picked.length === 0));
  const input = useRef<HTMLTextAreaElement>(null);
  const fields = useRef<HTMLFieldSetElement>(null);
  const keyboard = hasKeyboard.value;
  const multi = question.type === "multi_select";
  useEffect(() => {
    if (own.value && raw === "") input.current?.focus();
  }, [own.value]);
  // The next question gets the focus, so that it can be answered with keys and a screen reader reads it from the
  // beginning.
  useEffect(() => {
    if (!own.value) fields.current?.closest("dialog")?.querySelector<HTMLElement>("[autofocus]")?.focus();
  }, []);
  const first = Math.max(0, (picked[0] ?? 1) - 1);
  return (
    <fieldset ref={fields} class="question">
      {/* The focus scrolls only to the question: the fieldset is higher than the sheet, which would hide its beginning. */}
      <legend tabIndex={-1} autofocus={!keyboard}>
        {question.prompt.includes("\n") ? (
          <WholeMarkdown text={question.prompt} />
        ) : (
          <WholeWords text={question.prompt} />
        )}
      </legend>
      {multi && <p class="muted">Choose all that apply.</p>}
      <Problem words={problem} />
      {options.map((option, at) => {
        const on = !own.value && picked.includes(at + 1);
        return (
          <label class={on ? "option on" : "option"} key={option.label}>
            <input
              type={multi ? "checkbox" : "radio"}
              name={question.id}
              checked={on}
              aria-keyshortcuts={at < 9 ? String(at + 1) : undefined}
              autofocus={keyboard && !own.value && at === first}
              onChange={() => {
                own.value = false;
                onRaw(toggled(question, raw, at + 1));
              }}
            />
            <b>
              <WholeWords text={option.label} still />
            </b>
            {option.description !== undefined && (
              <span class="muted">
                <WholeWords text={option.description} still />
              </span>
            )}
          </label>
        );
      })}
      {!free && (
        <label class={own.value ? "option none on" : "option none"}>
          <input
            type={multi ? "checkbox" : "radio"}
            name={question.id}
            checked={own.value}
            onChange={() => {
              own.value = true;
              if (picked.length > 0) onRaw("");
            }}
          />
          <b>None of these</b>
          <span class="muted">Type your answer</span>
        </label>
      )}
      {own.value && !free && onlyNumbers.test(raw) && (
        <p class="problem">Add a word: numbers alone mean the options above.</p>
      )}
      {own.value && (
        <textarea
          ref={input}
          // A sheet that opens without a tap takes the focus only later.
          autofocus={keyboard}
          class="answer-text"
          rows={3}
          aria-label="Your answer"
          placeholder="Your answer"
          value={raw}
          onInput={(event) => onRaw(event.currentTarget.value)}
        />
      )}
    </fieldset>
  );
}

interface ReviewProps {
  session: OpenSession;
  asked: AskedQuestions;
  raw: Readonly<Record<string, string>>;
  onEdit(index: number): void;
  onSayInstead(): void;
}

function Review({ session, asked, raw, onEdit, onSayInstead }: ReviewProps) {
  return (
    <div class="review">
      <h3>Your answers</h3>
      {asked.questions.map((question, index) => {
        const given = (raw[question.id] ?? "").trim();
        return (
          <button type="button" class="review-line" key={question.id} onClick={() => onEdit(index)}>
            <span class="muted">{question.label}</span>
            <b class={given === "" ? "missing" : ""}>
              {given === "" ? "No answer yet" : <InlineCode text={answerInWords(question, given)} />}
            </b>
          </button>
        );
      })}
      <SayInstead session={session} onSayInstead={onSayInstead} />
    </div>
  );
}

function SayInstead({ session, onSayInstead }: Pick<ReviewProps, "session" | "onSayInstead">) {
  return (
    <button
      type="button"
      class="text-button"
      onClick={() => {
        sayInstead.value = session.record.value.id;
        onSayInstead();
      }}
    >
      Say something else instead
    </button>
  );
}
