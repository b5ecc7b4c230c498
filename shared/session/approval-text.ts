// What the engine writes in the person's name when they approve a plan: nobody typed it.

export const approvalText = "Approved. Go ahead.";
