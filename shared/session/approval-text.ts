// The text that the engine writes in the person's name when they tap Approve.

export const approvalText = "Approved. Go ahead.";
