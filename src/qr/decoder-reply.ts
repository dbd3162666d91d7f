/**
 * The reply of the logo decoder process: the logo in stored form, or the problem. `peak` is the
 * process's maximum memory in bytes.
 */
export type DecoderReply = { peak: number } & ({ logo: Buffer } | { problem: string })
