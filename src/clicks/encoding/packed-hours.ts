/** Hours per day. Packed hours store the clicks of hour h (UTC) under key h. */
export const HOURS = 24

/** Packed hours store the new visitors of hour h under key `NEW_VISITORS` + h. */
export const NEW_VISITORS = HOURS
