import { describe, expect, test } from "vitest";
import { looksLikePlan } from "../../../shared/plan/proposal-text.ts";

describe("a text that ends planning is a plan", () => {
  test.each([
    "# Plan\n\nCopy the file.",
    "Looked at it.\n\n## Implementation plan\n\nCopy the file.",
    "**Plan:**\nCopy it",
    "Here is the plan:\n\nCopy it",
    "1. Read the file\n2. Copy it",
    "First:\n\n1) Read\n\nthen\n\n2) Copy",
    "Step 1: read\nStep 2: copy",
    "**1.** Read\n**2.** Copy",
    "- [ ] Read\n- [ ] Copy",
    "## Step 1: read\nIt is short.\n## Step 2: copy",
    "Here is what I'll do:\n\n- Read\n- Copy",
    "**Steps:**\n* Read\n* Copy",
    "Tasks:\n\n- Read\n- Copy",
    "**To-do:**\n- Read\n- Copy",
  ])("%j", (text) => expect(looksLikePlan(text)).toBe(true));
});

describe("a text that ends planning is an answer", () => {
  test.each([
    "",
    "I'll copy src.txt to dst.txt.",
    "1. There is only one thing to do",
    "The folder holds:\n- a.txt\n- b.txt",
    "I will do one thing:\n- Copy",
    "# Findings\n\nNothing is wrong.",
    "The plan is fine as it is.",
    "# Explanation\n\nAn airplane.",
    "Run this:\n```\n1. x\n2. y\n# Plan\n```",
    "In 2024. nothing\nIn 2025. nothing",
    "I see two ways:\n1. Ask first\n2. Guess",
    "There are three options here:\n\n1. JWT\n   stateless\n2. Sessions\n3. Both",
  ])("%j", (text) => expect(looksLikePlan(text)).toBe(false));
});
