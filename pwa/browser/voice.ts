// Turns speech into text with the browser's own recognition, if it has one. This code sends nothing anywhere.

interface Recognizer extends EventTarget {
  continuous: boolean;
  interimResults: boolean;
  lang: string;
  start(): void;
  stop(): void;
}

interface HeardResult {
  readonly isFinal: boolean;
  readonly 0: { readonly transcript: string };
}

declare global {
  interface Window {
    SpeechRecognition?: new () => Recognizer;
    webkitSpeechRecognition?: new () => Recognizer;
  }
}

export function hasVoice(): boolean {
  return (window.SpeechRecognition ?? window.webkitSpeechRecognition) !== undefined && isSecureContext;
}

export interface Listening {
  stop(): void;
}

/**
 * Listens until it is stopped or the browser ends it. `onText` gets everything heard so far; `onEnd` gets a problem in
 * words, if there was one.
 */
export function listen(onText: (heard: string) => void, onEnd: (problem?: string) => void): Listening {
  const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
  if (Recognition === undefined) throw new Error("This browser does not recognise speech.");
  const recognizer = new Recognition();
  recognizer.continuous = true;
  recognizer.interimResults = true;
  recognizer.lang = navigator.language;
  let problem: string | undefined;
  recognizer.addEventListener("result", (event) => {
    if (!("results" in event)) return;
    const results = Array.from(event.results as ArrayLike<HeardResult>);
    onText(results.map((result) => result[0].transcript).join(""));
  });
  recognizer.addEventListener("error", (event) => {
    const code = "error" in event ? event.error : "";
    problem =
      code === "not-allowed" || code === "service-not-allowed"
        ? "The browser's settings do not allow this page to use the microphone."
        : code === "no-speech" || code === "aborted"
          ? undefined
          : "Speech recognition does not work right now; it may need a connection.";
  });
  recognizer.addEventListener("end", () => onEnd(problem));
  recognizer.start();
  return { stop: () => recognizer.stop() };
}
