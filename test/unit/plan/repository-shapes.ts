// Layouts of plans that agents leave in repositories and issues. Only the layout is taken from `seen`; every
// word is ours.
import { each, type Shape, under } from "./model-shapes.ts";

const fence = "```";
const roman = ["", "I", "II", "III", "IV", "V", "VI", "VII"];

export const repositoryShapes: readonly Shape[] = [
  {
    seen: "obra/superpowers, writing-plans: tasks with files, a run that fails and one that passes",
    has: { check: true },
    write: (all) =>
      `# Parser Implementation Plan\n\n> **For the agent:** one task after the other.\n\n**Goal:** Fewer passes.\n\n---\n\n${each(
        all,
        (s, n) =>
          `### Task ${n}: ${s.title}\n\n**Files:**\n- Modify: \`src/parse.ts:12-40\`\n- Test: \`test/main.ts\`\n\n**Step 1: Write the failing test**\n\n${fence}ts\ntest("it", (t) => t.pass());\n${fence}\n\n**Step 2: Run it**\n\nRun: \`npm run first\`\nExpected: FAIL with "no parser"\n\n**Step 3: Run it again**\n\nRun: \`${s.check}\`\nExpected: PASS\n\n**Step 4: Commit**\n\n${fence}bash\ngit commit -am "feat: parser"\n${fence}`,
        "\n\n---\n\n",
      )}`,
  },
  {
    seen: "0xBigBoss/ghostty-webgl: phases with a goal, numbered tasks, code and a deliverable",
    has: {},
    write: (all) =>
      `# Parser Implementation Plan\n\n## Goal\n\nFewer passes.\n\n| Finding | Evidence |\n|---|---|\n| slow | measured |\n\n## Implementation Phases\n\n${each(all, (s, n) => `### Phase ${n}: ${s.title}\n\n**Goal:** Do it.\n\n**Tasks:**\n1. Define it:\n   ${fence}ts\n   interface A {}\n   ${fence}\n\n2. Use it\n\n**Deliverable:** It compiles.`, "\n\n---\n\n")}\n\n## Decisions on Open Questions\n\n| Question | Decision |\n|---|---|\n| Passes | one |`,
  },
  {
    seen: "alvivi/graded: decisions as a longer list before the steps",
    has: { actions: true },
    write: (all) =>
      `# Plan: Effect checker\n\n## Context\n\nIt is slow.\n\n## Key Design Decisions\n\n${Array.from({ length: 9 }, (_, n) => `${n + 1}. **Decision ${n}.** So it is.`).join("\n")}\n\n## Implementation Steps\n\n${each(all, (s, n) => `### Step ${n}: ${s.title}${under(s.actions, "")}`, "\n\n")}\n\n## Verification\n\n1. \`npm test\` — all pass\n\n## What's Deferred\n\n- Caching`,
  },
  {
    seen: "am-will/onshape-cli: phases as chapters among others, with dashes",
    has: { actions: true },
    write: (all) =>
      `# Plan: login and keys\n\n## Context\n\nTwo things:\n1. Save keys.\n2. Keep the rest.\n\n## Decisions (baked into this plan)\n\n- **Storage:** a file.\n\n${each(all, (s, n) => `## Phase ${n} — ${s.title}\n${under(s.actions, "")}`, "\n\n")}\n\n## Sequencing / where to pause\n\nPhase 1 first.`,
  },
  {
    seen: "alvivar/pi-link-status: tasks by letter and number, headings in Spanish",
    has: { actions: true },
    write: (all) =>
      `# PLAN — analizador (v1)\n\n## Gate\n\n${fence}\nnpm test\n${fence}\n\n## Tareas\n\n${each(all, (s, n) => `### T${n} — ${s.title}\n${under(s.actions, "")}`, "\n\n")}`,
  },
  {
    seen: "amadeus/deus-kvm: milestones by letter and number",
    has: { actions: true },
    write: (all) =>
      `# Build plan\n\n${each(all, (s, n) => `## M${n - 1} — ${s.title}\n${under(s.actions, "")}`, "\n\n")}`,
  },
  {
    seen: "awesome-copilot, refactor-plan: phases below an execution plan, checks as boxes, what to undo",
    has: { check: true },
    write: (all) =>
      `## Refactor Plan: split the parser\n\n### Current State\nOne file.\n\n### Execution Plan\n\n${each(all, (s, n) => `#### Phase ${n}: ${s.title}\n- [ ] Step ${n}.1: Do it\n- [ ] Verify: Run \`${s.check}\``, "\n\n")}\n\n### Rollback Plan\nIf something fails:\n1. git checkout -- src\n\nShall I proceed with Phase 1?`,
  },
  {
    seen: "humanlayer, create_plan: automated and manual verification as boxes",
    has: { check: true },
    write: (all) =>
      `# Parser Implementation Plan\n\n## Overview\nFewer passes.\n\n${each(all, (s, n) => `## Phase ${n}: ${s.title}\n\n### Changes Required:\n\n#### 1. Types\n**File**: \`src/types.ts\`\n\n### Success Criteria:\n\n#### Automated Verification:\n- [ ] It passes: \`${s.check}\`\n\n#### Manual Verification:\n- [ ] It feels right`, "\n\n---\n\n")}\n\n## References\n- a ticket`,
  },
  {
    seen: "github/spec-kit, tasks.md: ids of tasks below phases",
    has: {},
    write: (all) =>
      `# Tasks: Parser\n\n**Input**: Design documents\n\n${each(all, (s, n) => `## Phase ${n}: ${s.title}\n\n- [ ] T00${n} [P] [US1] Do it in src/parse.ts`, "\n\n")}\n\n## Dependencies\n\n- the first one first`,
  },
  {
    seen: "Kiro tasks.md: tasks within tasks, optional ones with a star",
    has: {},
    write: (all) =>
      `# Implementation Plan\n\n${each(all, (s, n) => `- [ ] ${n}. ${s.title}\n- [ ] ${n}.1 Write it\n  - _Requirements: ${n}.1_\n- [ ]* ${n}.2 Test it`, "\n\n")}`,
  },
  {
    seen: "Claude: a number with parts of it",
    has: { actions: true },
    write: (all) =>
      `## Implementation Plan\n\n${each(all, (s, n) => `${n}. ${s.title}${s.actions.map((text, at) => `\n   ${n}.${at + 1}. ${text}`).join("")}`)}`,
  },
  {
    seen: "Claude Code commits: a commit for each step",
    has: { actions: true },
    write: (all) =>
      `# Plan\n\n${each(all, (s, n) => `### Commit ${n}: ${s.title}\n${under(s.actions, "")}`, "\n\n")}`,
  },
  {
    seen: "GPT: a document in a fence",
    has: { actions: true },
    write: (all) =>
      `Here is the plan:\n\n${fence}markdown\n# Plan: Tidy the parser\n\n## Steps\n${each(all, (s, n) => `${n}. ${s.title}${under(s.actions, "   ")}`)}\n${fence}\n`,
  },
  {
    seen: "Gemini: folded away below a summary",
    has: {},
    write: (all) =>
      `<details>\n<summary>Plan</summary>\n\n${each(all, (s, n) => `${n}. ${s.title}`)}\n\n</details>`,
  },
  {
    seen: "Kimi: numbers as keycaps",
    has: {},
    write: (all) => `Here's the plan:\n\n${each(all, (s, n) => `${n}\uFE0F\u20E3 ${s.title}`)}`,
  },
  {
    seen: "GLM: headings and numbers in Chinese",
    has: {},
    write: (all) => `# 实施计划\n\n## 步骤\n${each(all, (s, n) => `${n}、${s.title}`)}`,
  },
  {
    seen: "Mistral: steps in German as bold lines",
    has: { actions: true },
    write: (all) =>
      `## Umsetzungsplan\n\n${each(all, (s, n) => `**Schritt ${n}: ${s.title}**${under(s.actions, "")}`, "\n\n")}`,
  },
  {
    seen: "Grok: bold numbers and an arrow",
    has: {},
    write: (all) => each(all, (s, n) => `**Step ${n}** → ${s.title}`),
  },
  {
    seen: "gsd-build/get-shit-done, PLAN.md: tasks in tags, with files, action, verify and done",
    has: { check: true },
    write: (all) =>
      `<objective>\nFewer passes.\n\nPurpose: speed.\n</objective>\n\n<context>\n@.planning/PROJECT.md\n</context>\n\n<tasks>\n\n${each(all, (s, n) => `<task type="auto">\n  <name>Task ${n}: ${s.title}</name>\n  <files>src/parse.ts, test/main.ts</files>\n  <action>\nDo it:\n1. Once\n2. Well\n  </action>\n  <verify><automated>${s.check}</automated></verify>\n  <done>It is read once</done>\n</task>`, "\n\n")}\n\n</tasks>\n\n<verification>\n- [ ] \`npm test\` passes\n</verification>`,
  },
  {
    seen: "planners that are asked for <plan><step>: a line each",
    has: {},
    write: (all) => `<plan>${each(all, (s) => `<step>${s.title}</step>`, "")}</plan>`,
  },
  {
    seen: "planners in XML: title, actions and a check, escaped, in a fence",
    has: { actions: true, check: true },
    write: (all) =>
      `Here is the plan:\n\n${fence}xml\n<plan>\n  <goal>Fewer passes</goal>\n${each(all, (s, n) => `  <step number="${n}">\n    <title>${s.title}</title>\n    <actions>${s.actions.map((text) => `\n      <action>${text}</action>`).join("")}\n    </actions>\n    <check>${s.check.replaceAll("&", "&amp;").replaceAll(">", "&gt;")}</check>\n  </step>`)}\n</plan>\n${fence}`,
  },
  {
    seen: "plans as a table: number, task, files, verify",
    has: { check: true },
    write: (all) =>
      `## Tasks (implementation order)\n\n| # | Task | Files | Verify |\n|---|------|:-----:|--------|\n${each(all, (s, n) => `| ${n} | ${s.title} | \`src/parse.ts\` | \`${s.check}\` |`)}\n\n## Risks\n\n| Risk | Mitigation |\n|---|---|\n| slow | measured |`,
  },
  {
    seen: "plans as a table: step, action, bold numbers, no heading",
    has: {},
    write: (all) =>
      `I looked at the code.\n\n| Step | Action | Notes |\n| :--- | :--- | :--- |\n${each(all, (s, n) => `| **${n}** | ${s.title} | — |`)}\n\nShall I go on?`,
  },
  {
    seen: "plans as several tables below headings of a task list",
    has: {},
    write: (all) =>
      `# Plan: parser\n\n## 6. Task List\n\n### Infrastructure\n\n| # | Task | Files |\n|---|---|---|\n${each(all.slice(0, 1), (s, n) => `| ${n} | ${s.title} | a |`)}\n\n### Routes\n\n| # | Task | Files |\n|---|---|---|\n${each(all.slice(1), (s, n) => `| ${n + 1} | ${s.title} | b |`)}`,
  },
  {
    seen: "chat answers: letters with parentheses, announced",
    has: { actions: true },
    write: (all) =>
      `Here is my plan:\n\n${each(all, (s, n) => `${String.fromCharCode(96 + n)}) ${s.title}${under(s.actions, "   ")}`)}`,
  },
  {
    seen: "chat answers: Roman numerals below a heading, numbers within",
    has: { actions: true },
    write: (all) =>
      `## Plan\n\n${each(all, (s, n) => `${roman[n]}. ${s.title}${s.actions.map((text, at) => `\n   ${at + 1}. ${text}`).join("")}`)}`,
  },
  {
    seen: "roadmaps: phases in Roman numerals",
    has: { actions: true },
    write: (all) =>
      `# Plan\n\n${each(all, (s, n) => `### Phase ${roman[n]}: ${s.title}${under(s.actions, "")}`, "\n\n")}`,
  },
];
