/** Gives the present time; tests pass one that they move themselves. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()
