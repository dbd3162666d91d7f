/** Hours of a day. In packed hours, the clicks of hour h (UTC) are counted under h. */
export const HOURS = 24

/** In packed hours, the new visitors of hour h are counted under this much plus h. */
export const NEW_VISITORS = HOURS
