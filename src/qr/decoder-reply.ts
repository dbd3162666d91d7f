/**
 * The reply of the process that decodes logos: the picture as it is stored, or what is wrong with it.
 * `peak` is the most memory that the process used, in bytes.
 */
export type DecoderReply = { peak: number } & ({ logo: Buffer } | { problem: string })
