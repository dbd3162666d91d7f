/** The number of hours per day. In packed hours, key h has the clicks of hour h (UTC). */
export const HOURS = 24

/** In packed hours, key `NEW_VISITORS` + h has the new visitors of hour h. */
export const NEW_VISITORS = HOURS
