// Layouts in which models write plans. Only the layout is taken from `seen`; every word is ours.
export interface WrittenStep {
  title: string;
  actions: string[];
  check: string;
}

export interface Shape {
  /** The product, document or repository in which plans have this layout. */
  seen: string;
  write(steps: readonly WrittenStep[]): string;
  /** Parts of the layout besides the titles. */
  has: { actions?: true; check?: true };
}

export const each = (
  steps: readonly WrittenStep[],
  line: (step: WrittenStep, number: number) => string,
  between = "\n",
) => steps.map((step, index) => line(step, index + 1)).join(between);
export const under = (list: readonly string[], indent: string, mark = "-") =>
  list.map((text) => `\n${indent}${mark} ${text}`).join("");

export const shapes: readonly Shape[] = [
  { seen: "chat answers: a bare list", has: {}, write: (all) => each(all, (s, n) => `${n}. ${s.title}`) },
  {
    seen: "chat answers: a list with parentheses",
    has: {},
    write: (all) => each(all, (s, n) => `${n}) ${s.title}`),
  },
  {
    seen: "Claude Code, ExitPlanMode: announced, nested bullets",
    has: { actions: true },
    write: (all) =>
      `Here's my plan:\n\n${each(all, (s, n) => `${n}. **${s.title}**${under(s.actions, "   ")}`)}\n\nShall I proceed?`,
  },
  {
    seen: "Claude Code plan files: chapters, files, verification",
    has: { actions: true },
    write: (all) =>
      `# Plan: Tidy the parser\n\n## Context\nThe parser is slow.\n\n## Implementation Steps\n\n${each(all, (s, n) => `### ${n}. ${s.title}${under(s.actions, "")}`, "\n\n")}\n\n## Verification\n- Run \`npm test\`\n- Look at the page`,
  },
  {
    seen: "GitHub Copilot plan agent: bold names of sections",
    has: { actions: true },
    write: (all) =>
      `## Plan: Tidy the parser\n\nTL;DR: fewer passes.\n\n**Steps**\n${each(all, (s, n) => `${n}. ${s.title}${under(s.actions, "   ")}`)}\n\n**Verification**\n- \`npm test\`\n\n**Decisions**\n- One pass instead of two`,
  },
  {
    seen: "Cursor plan mode: frontmatter and to-dos",
    has: {},
    write: (all) =>
      `# Tidy the parser\n\n## Overview\n\nFewer passes.\n\n### To-dos\n\n${each(all, (s) => `- [ ] ${s.title}`)}`,
  },
  {
    seen: "Kiro tasks.md: numbered checkboxes with requirements",
    has: {},
    write: (all) =>
      `# Implementation Plan\n\n${each(all, (s, n) => `- [ ] ${n}. ${s.title}\n  - _Requirements: ${n}.1, ${n}.2_`, "\n\n")}`,
  },
  {
    seen: "praneelseth/projectchimera, plan.md: phases with a quoted aim and checkboxes",
    has: {},
    write: (all) =>
      `# Implementation Plan\n\n${each(all, (s, n) => `## Phase ${n}: ${s.title}\n> Why it is done\n\n- [ ] Do it\n- [ ] Look at it`, "\n\n")}`,
  },
  {
    seen: "blalterman/SolarWindPy, plan template: emoji headings and phases",
    has: {},
    write: (all) =>
      `# Plan\n\n## 🎯 Objective\nFewer passes.\n\n## 📋 Implementation Plan\n\n${each(all, (s, n) => `### Phase ${n}: ${s.title}\n- [ ] **Do it** (Est: 1h)\n  - Status: Pending`, "\n\n")}\n\n## ✅ Acceptance Criteria\n- [ ] All tests pass`,
  },
  {
    seen: "nomadkaraoke/karaoke-decide, plan command: overview to open questions",
    has: {},
    write: (all) =>
      `# Plan: Tidy the parser\n\n## Overview\nFewer passes.\n\n## Requirements\n- Same output\n\n## Implementation Steps\n${each(all, (s, n) => `${n}. ${s.title}`)}\n\n## Files to Create/Modify\n- src/parse.ts - the parser\n\n## Testing Strategy\nUnit tests.\n\n## Open Questions\nNone`,
  },
  {
    seen: "Gemini: steps as bold lines",
    has: { actions: true },
    write: (all) =>
      `Okay, here is the plan:\n\n${each(all, (s, n) => `**Step ${n}: ${s.title}**\n${under(s.actions, "", "*")}`, "\n\n")}`,
  },
  {
    seen: "Gemini CLI: loose list, paragraphs between",
    has: {},
    write: (all) =>
      `I will proceed as follows:\n\n${each(all, (s, n) => `${n}.  **${s.title}**\n\n    This is needed for what follows.`, "\n\n")}\n`,
  },
  {
    seen: "GPT: headings Step N with prose",
    has: {},
    write: (all) =>
      each(all, (s, n) => `## Step ${n} – ${s.title}\n\nThis is needed for what follows.`, "\n\n"),
  },
  {
    seen: "GPT: steps as `Step N:` lines",
    has: {},
    write: (all) => `Plan:\n${each(all, (s, n) => `Step ${n}: ${s.title}`)}`,
  },
  {
    seen: "GPT: bold numbers",
    has: {},
    write: (all) => each(all, (s, n) => `**${n}.** ${s.title}`, "\n\n"),
  },
  {
    seen: "Codex: plan in a tag",
    has: { check: true },
    write: (all) =>
      `<proposed_plan>\n# Tidy the parser\n\n## Summary\nFewer passes.\n\n## Steps\n${each(all, (s, n) => `${n}. ${s.title}\n   - Check: \`${s.check}\``)}\n\n## Assumptions\n- Node 20\n</proposed_plan>`,
  },
  {
    seen: "Codex CLI: bullets below Plan",
    has: {},
    write: (all) => `Plan\n${each(all, (s) => `- ${s.title}`)}`,
  },
  {
    seen: "Cline plan mode: announced bullets",
    has: {},
    write: (all) => `I looked at the code. Here is what I'll do:\n\n${each(all, (s) => `- ${s.title}`)}`,
  },
  {
    seen: "Aider architect: starred to-do list",
    has: {},
    write: (all) => `## TODO\n\n${each(all, (s) => `* [ ] ${s.title}`)}`,
  },
  {
    seen: "Roo, OpenHands: Verify line below each step",
    has: { actions: true, check: true },
    write: (all) =>
      `## Steps\n\n${each(all, (s, n) => `${n}. ${s.title}${under(s.actions, "   ")}\n   Verify: \`${s.check}\``, "\n\n")}`,
  },
  {
    seen: "OpenHands: bold Verification label",
    has: { actions: true, check: true },
    write: (all) =>
      `# Implementation\n\n${each(all, (s, n) => `## ${n}. ${s.title}${under(s.actions, "")}\n\n**Verification:** Run \`${s.check}\``, "\n\n")}`,
  },
  {
    seen: "humanlayer create_plan: success criteria in code",
    has: { check: true },
    write: (all) =>
      `# Parser Implementation Plan\n\n## Overview\nFewer passes.\n\n${each(all, (s, n) => `## Phase ${n}: ${s.title}\n\n### Success Criteria:\n\`\`\`bash\n${s.check}\n\`\`\``, "\n\n")}`,
  },
  {
    seen: "Devin, Jules: starred bullets below a list",
    has: { actions: true },
    write: (all) =>
      `## Proposed plan\n\n${each(all, (s, n) => `${n}. ${s.title}${under(s.actions, "    ", "*")}`)}`,
  },
  {
    seen: "Qwen, DeepSeek: numbers below numbers, indented by tabs",
    has: { actions: true },
    write: (all) =>
      `### Implementation Plan\n\n${each(all, (s, n) => `${n}. ${s.title}\n${s.actions.map((text, at) => `\t${at + 1}. ${text}`).join("\n")}`)}`,
  },
  {
    seen: "Mistral: underlined headings",
    has: {},
    write: (all) =>
      `Plan\n====\n\n${each(all, (s, n) => `${n}. ${s.title}`)}\n\nRollback\n--------\n\n- git restore .`,
  },
  {
    seen: "Llama: numbers under bold section, closing words",
    has: {},
    write: (all) =>
      `**Plan:**\n\n${each(all, (s, n) => `${n}. ${s.title}`, "\n\n")}\n\nLet me know if this is what you want!`,
  },
  {
    seen: "Windsurf plan.md: notes, task list, current goal",
    has: {},
    write: (all) =>
      `# Tidy the parser\n\n## Notes\n- It is slow.\n\n## Task List\n${each(all, (s) => `- [ ] ${s.title}`)}\n\n## Current Goal\nThe first task`,
  },
  {
    seen: "spec-kit quickstart (nick/template-hono-spa): steps, commands, checklist",
    has: {},
    write: (all) =>
      `# Quickstart: Parser\n\n## Prerequisites\n- Node 20\n\n## Implementation Steps\n${each(all, (s, n) => `${n}. ${s.title}`)}\n\n## Verification Commands\n1. Run automated tests:\n   - \`npm test\`\n`,
  },
  {
    seen: "the plan mode document: template with bare names",
    has: {},
    write: (all) =>
      `Goal\nTidy the parser.\n\nPlan\n${each(all, (s, n) => `${n}. ${s.title}`)}\n\nDecision points\n1) **Passes** (single-select): How many?\n   1. One\n      fast\n   2. Two\n   5. (None) Type your answer\n      Next\n\nCheckpoints\n- npm test\n\nRollback\n- git restore .`,
  },
  {
    seen: "a recorded session on sindresorhus/ky (MIT): long steps, piped checks",
    has: { actions: true, check: true },
    write: (all) =>
      `Goal: TimeoutError tells which limit ran out.\n\nPlan:\n${each(
        all,
        (s, n) =>
          `${n}. [step-${n}] ${s.title}${under(
            s.actions.map((text) => `action: ${text}`),
            "   ",
          )}\n   - check: ${s.check}`,
      )}`,
  },
  {
    seen: "Claude: phases whose numbers go on",
    has: {},
    write: (all) =>
      `## Plan\n\n### Backend\n${each(all.slice(0, 1), (s) => `1. ${s.title}`)}\n\n### Frontend\n${each(all.slice(1), (s, n) => `${n + 1}. ${s.title}`)}`,
  },
  {
    seen: "Claude: a chapter for each file",
    has: { actions: true },
    write: (all) =>
      `## Changes\n\n${each(all, (s) => `### ${s.title}\n${under(s.actions, "")}`, "\n\n")}\n\n## Rollback\n\`git checkout -- .\``,
  },
];
