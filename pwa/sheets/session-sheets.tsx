// Renders the sheet that is open over a session.
import "../styles/sheets.css";
import "../styles/questions.css";
import { waitingFor } from "../../shared/session/waiting.ts";
import { closeSheet, sheet } from "../browser/sheet.ts";
import { focusComposer } from "../components/composer.tsx";
import { askedNow } from "../session/decisions.ts";
import type { OpenSession } from "../session/open-session.ts";
import { AllowedSheet } from "./allowed-sheet.tsx";
import { AsOpened } from "./as-opened.tsx";
import { BranchSheet } from "./branch-sheet.tsx";
import { CheckSheet } from "./check-sheet.tsx";
import { CommitSheet } from "./commit-sheet.tsx";
import { ApproveSheet, DenySheet, LeavePlanSheet, RejectSheet } from "./decide-sheets.tsx";
import { EditPlanSheet } from "./edit-plan-sheet.tsx";
import { planInSheet } from "./edited-in-sheet.ts";
import { HelpSheet } from "./help-sheet.tsx";
import { HistoriesSheet } from "./histories-sheet.tsx";
import { MenuSheet } from "./menu-sheet.tsx";
import { ModeSheet } from "./mode-sheet.tsx";
import { PlacesSheet } from "./places-sheet.tsx";
import { PlanSheet } from "./plan-sheet.tsx";
import { PullRequestSheet } from "./pull-request-sheet.tsx";
import { PushSheet } from "./push-sheet.tsx";
import { QuestionSheet } from "./question-sheet.tsx";
import { UndoSheet } from "./undo-sheet.tsx";
import { WorktreeSheet } from "./worktree-sheet.tsx";

export function SessionSheets({ session }: { session: OpenSession }) {
  const open = sheet.value;
  if (open === null) return null;
  const waiting = waitingFor(session.settled.value);
  const proposal = waiting.kind === "proposal" ? waiting.planHash : "";
  switch (open.kind) {
    case "questions":
      return waiting.kind === "questions" ? (
        <QuestionSheet session={session} asked={waiting.asked} onClose={closeSheet} />
      ) : null;
    case "plan": {
      const { plan, place } = planInSheet(open.plan, session.settled.value.head.plan, session.draft.value);
      return <PlanSheet key={place} session={session} plan={plan} place={place} onClose={closeSheet} />;
    }
    case "edit-plan":
      return <EditPlanSheet session={session} plan={open.plan} onClose={closeSheet} />;
    case "reject":
      return (
        <AsOpened key={open.kind} what={proposal}>
          <RejectSheet session={session} onClose={closeSheet} />
        </AsOpened>
      );
    case "approve":
      return (
        <AsOpened key={open.kind} what={proposal}>
          <ApproveSheet session={session} onClose={closeSheet} />
        </AsOpened>
      );
    case "leave-plan":
      return (
        <AsOpened key={open.kind} what={proposal}>
          {waiting.kind === "proposal" && (
            <LeavePlanSheet
              session={session}
              version={waiting.planVersion}
              to={open.to}
              onClose={closeSheet}
            />
          )}
        </AsOpened>
      );
    case "check":
      return (
        <AsOpened key={open.kind} what={waiting.kind === "permission" ? waiting.permission.toolCallId : ""}>
          {waiting.kind === "permission" && (
            <CheckSheet session={session} permission={waiting.permission} onClose={closeSheet} />
          )}
        </AsOpened>
      );
    case "deny":
      return (
        <AsOpened key={open.kind} what={askedNow(session)?.next?.toolCallId ?? ""}>
          <DenySheet session={session} onClose={closeSheet} />
        </AsOpened>
      );
    case "places":
      return <PlacesSheet session={session} onClose={closeSheet} />;
    case "mode":
      return <ModeSheet session={session} onClose={closeSheet} />;
    case "histories":
      return <HistoriesSheet session={session} onClose={closeSheet} />;
    case "help":
      return (
        <HelpSheet
          onClose={closeSheet}
          onPick={(insert) => {
            closeSheet();
            session.setDraft({ text: insert });
            focusComposer.value += 1;
          }}
        />
      );
    case "undo":
      return <UndoSheet session={session} stepId={open.stepId} onClose={closeSheet} />;
    case "commit":
      return <CommitSheet session={session} onClose={closeSheet} />;
    case "branch":
      return <BranchSheet session={session} onClose={closeSheet} />;
    case "push":
      return <PushSheet session={session} branch={open.branch} onClose={closeSheet} />;
    case "pull-request":
      return <PullRequestSheet session={session} drafted={open} onClose={closeSheet} />;
    case "worktree":
      return <WorktreeSheet session={session} onClose={closeSheet} />;
    case "menu":
      return <MenuSheet session={session} onClose={closeSheet} />;
    case "allowed":
      return <AllowedSheet session={session} onClose={closeSheet} />;
    case "actions":
    case "bin":
    case "import":
      return null;
  }
}
