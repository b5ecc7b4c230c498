// Reads the pairing code with the camera, where the browser can; says what to do instead where it cannot.
import "../styles/settings.css";
import { useEffect, useRef, useState } from "preact/hooks";

/** https://developer.mozilla.org/docs/Web/API/Barcode_Detection_API: not among TypeScript's own types. */
interface Detector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}
type DetectorClass = new (options: { formats: string[] }) => Detector;

const lookEveryMs = 250;

function detectorClass(): DetectorClass | undefined {
  const page: typeof globalThis & { BarcodeDetector?: DetectorClass } = globalThis;
  return page.BarcodeDetector;
}

export function ScanCode({ onCode, onClose }: { onCode(text: string): void; onClose(): void }) {
  const video = useRef<HTMLVideoElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const over = new AbortController();
    void watch(video.current, over.signal).then(
      (code) => {
        if (code !== undefined) onCode(code);
      },
      (error: unknown) => setProblem(inWords(error)),
    );
    return () => over.abort();
  }, []);
  return (
    <div class="scan">
      {problem === null ? (
        <video ref={video} playsInline muted aria-label="What the camera sees" />
      ) : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {problem === null && <p class="quiet">Hold the code that Handrail printed in front of the camera.</p>}
      <button type="button" class="button soft" onClick={onClose}>
        Type it instead
      </button>
    </div>
  );
}

/** The first code that is seen; undefined once `over`. Rejects where there is no camera or no way to read codes. */
async function watch(video: HTMLVideoElement | null, over: AbortSignal): Promise<string | undefined> {
  const Detector = detectorClass();
  // Missing on plain http, whatever the types say.
  const devices: MediaDevices | undefined = navigator.mediaDevices;
  if (Detector === undefined) throw new Error("none");
  if (devices === undefined) throw new Error("insecure");
  const detector = new Detector({ formats: ["qr_code"] });
  const stream = await devices.getUserMedia({ video: { facingMode: "environment" } });
  const stop = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  if (over.aborted || video === null) {
    stop();
    return undefined;
  }
  over.addEventListener("abort", stop);
  try {
    video.srcObject = stream;
    await video.play();
    while (!over.aborted) {
      const [code] = await detector.detect(video).catch(() => []);
      if (code !== undefined && code.rawValue !== "") return code.rawValue;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
    return undefined;
  } finally {
    stop();
  }
}

function inWords(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error("");
  const instead = "Scan the code with the phone's own camera app, or type the token.";
  if (message === "none") return `This browser cannot read codes. ${instead}`;
  if (message === "insecure") return `Browsers give the camera to https pages only. ${instead}`;
  if (name === "NotAllowedError") return `The camera was not allowed. ${instead}`;
  if (name === "NotFoundError") return `No camera was found. ${instead}`;
  return `The camera does not work here. ${instead}`;
}
