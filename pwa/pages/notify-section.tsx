// Settings: whether this device gets notifications, of what and when, and a test that shows whether they work.
import { useEffect } from "preact/hooks";
import {
  ability,
  lastTest,
  notify,
  problem,
  renew,
  sendTest,
  setNotify,
  type Test,
  turnOff,
  turnOn,
} from "../app/notifications.ts";
import { Problem } from "../components/problem.tsx";
import { kindsToChoose } from "../storage/notify.ts";
import { clockInWords } from "../turn/connection.ts";
import { clockOf, kindNames, minuteOf, preventedInWords } from "../words/notify-words.ts";
import { SettingsSection } from "./settings-section.tsx";

/** The initial quiet hours, in minutes after midnight. */
const night = { from: 22 * 60, to: 7 * 60 };

export function NotifySection() {
  useEffect(() => {
    void renew();
  }, []);
  const can = ability.value;
  if (can === "unknown") return null;
  return (
    <SettingsSection
      title="Notifications"
      why="You are notified when a session needs you, ends or fails while nobody watches it. The server encrypts what it sends: the session's name and one line, never code. A change here also applies to running turns."
    >
      {can === "off" && <p>Off. This device is not notified.</p>}
      {can === "on" && <p>On. This device is notified when a session needs you or is done.</p>}
      {can !== "off" && can !== "on" && <p>{preventedInWords[can]}</p>}
      {can === "off" && (
        <button type="button" class="button soft" onClick={() => void turnOn()}>
          Turn on
        </button>
      )}
      {can === "on" && (
        <>
          <Kinds />
          <QuietHours />
          <NotifyTest />
          <button type="button" class="button quiet" onClick={() => void turnOff().catch(() => undefined)}>
            Turn off
          </button>
        </>
      )}
      <Problem words={problem.value} />
    </SettingsSection>
  );
}

function Kinds() {
  const { off = [], runningMinutes, buttons } = notify.value ?? {};
  const hasButtons = "maxActions" in Notification && Number(Notification.maxActions) > 0;
  return (
    <>
      {kindsToChoose.map((kind) => (
        <Switch
          key={kind}
          name={kindNames[kind]}
          on={!off.includes(kind)}
          set={(on) => setNotify({ off: [...off.filter((other) => other !== kind), ...(on ? [] : [kind])] })}
        />
      ))}
      {hasButtons && (
        <Switch
          name="Buttons to answer with: whoever holds the locked phone can tap them"
          on={buttons !== false}
          set={(on) => setNotify({ buttons: on })}
        />
      )}
      <label class="field">
        <span class="muted">Also while it still runs, after this many minutes</span>
        <input
          type="number"
          inputMode="numeric"
          min="1"
          max="1440"
          step="1"
          placeholder="Never"
          defaultValue={runningMinutes ?? ""}
          onChange={({ currentTarget }) => {
            const { value, valueAsNumber, validity } = currentTarget;
            if (validity.valid) void setNotify({ runningMinutes: value === "" ? undefined : valueAsNumber });
            else currentTarget.reportValidity();
          }}
        />
      </label>
    </>
  );
}

function Switch({ name, on, set }: { name: string; on: boolean; set(on: boolean): Promise<void> }) {
  return (
    <label class="switch">
      <input type="checkbox" checked={on} onChange={(event) => void set(event.currentTarget.checked)} />
      {name}
    </label>
  );
}

function QuietHours() {
  const quiet = notify.value?.quiet;
  const time = (end: "from" | "to", name: string) => (
    <label class="field">
      <span class="muted">{name}</span>
      <input
        type="time"
        defaultValue={clockOf((quiet ?? night)[end])}
        onChange={(event) => {
          const minute = minuteOf(event.currentTarget.value);
          if (minute !== undefined) void setNotify({ quiet: { ...(quiet ?? night), [end]: minute } });
        }}
      />
    </label>
  );
  return (
    <>
      <Switch
        name="Quiet hours: nothing is sent"
        on={quiet !== undefined}
        set={(on) => setNotify({ quiet: on ? night : undefined })}
      />
      {quiet !== undefined && (
        <div class="quiet-hours">
          {time("from", "From")}
          {time("to", "To")}
        </div>
      )}
    </>
  );
}

function NotifyTest() {
  const words = testInWords(lastTest.value);
  return (
    <div class="buttons">
      <button
        type="button"
        class="button soft"
        disabled={lastTest.value?.is === "sending"}
        onClick={() => void sendTest()}
      >
        Send a test
      </button>
      <p class="muted" role="status">
        {words}
      </p>
    </div>
  );
}

function testInWords(sent: Test): string {
  switch (sent?.is) {
    case "sending":
      return "Sending…";
    case "sent":
      return "The push service has it. Waiting for it to arrive…";
    case "lost":
      return "The push service has it, but it has not arrived. Look whether the system lets this browser notify you, and whether a battery saver or Do Not Disturb is on.";
    case "arrived":
      return `Arrived ${clockInWords(sent.at, Date.now())}`;
    default:
      return "";
  }
}
