/**
 * What the process that decodes logos answers: the picture as it is stored, or what is wrong with it. `peak`
 * is the most memory, in bytes, that the process had.
 */
export type DecoderReply = { peak: number } & ({ logo: Buffer } | { problem: string })

/** The exit code of that process where it would have taken more memory than it may. */
export const TOO_MUCH_MEMORY = 70
