// The formats of a state folder that this version can read. The folder's file `format` names one; without that file it
// is 1.

/** Must be raised for a change that earlier versions would misread. */
export const stateFormat = 1;
