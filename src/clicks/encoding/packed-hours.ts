/** In packed hours, key h has the clicks of hour h (UTC), from 0 to 23. */
export const HOURS_PER_DAY = 24

/** In packed hours, key `NEW_VISITORS_OFFSET` + h has the new visitors of hour h. */
export const NEW_VISITORS_OFFSET = HOURS_PER_DAY
