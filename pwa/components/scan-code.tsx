// Reads the pairing code with the camera; without a camera, it says what to do instead.
import "../styles/settings.css";
import { useEffect, useRef, useState } from "preact/hooks";
import decodeQR from "qr/decode.js";

const lookEveryMs = 100;
/** The longer side of an analysed frame, in pixels: enough for a code that fills a third of the picture. */
const longestSide = 800;

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

/** The first code that the camera sees; undefined once `over` is aborted. Rejects if there is no camera. */
async function watch(video: HTMLVideoElement | null, over: AbortSignal): Promise<string | undefined> {
  // Missing on plain http, although the types say otherwise.
  const devices: MediaDevices | undefined = navigator.mediaDevices;
  if (devices === undefined) throw new Error("insecure");
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
    const canvas = document.createElement("canvas");
    while (!over.aborted) {
      const code = codeIn(video, canvas);
      if (code !== undefined) return code;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
    return undefined;
  } finally {
    stop();
  }
}

/** The text of the code in the current frame. `canvas` is overwritten. */
function codeIn(video: HTMLVideoElement, canvas: HTMLCanvasElement): string | undefined {
  const { videoWidth, videoHeight } = video;
  const scale = Math.min(1, longestSide / Math.max(videoWidth, videoHeight, 1));
  canvas.width = Math.round(videoWidth * scale);
  canvas.height = Math.round(videoHeight * scale);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null || canvas.width === 0 || canvas.height === 0) return undefined;
  context.drawImage(video, 0, 0, canvas.width, canvas.height);
  try {
    return decodeQR(context.getImageData(0, 0, canvas.width, canvas.height)) || undefined;
  } catch {
    // The decoder throws this if the frame has no readable code.
    return undefined;
  }
}

function inWords(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error("");
  const instead = "Scan the code with the phone's own camera app, or type the token.";
  if (message === "insecure") return `Browsers give the camera to https pages only. ${instead}`;
  if (name === "NotAllowedError") return `The camera was not allowed. ${instead}`;
  if (name === "NotFoundError") return `No camera was found. ${instead}`;
  return `The camera does not work here. ${instead}`;
}
