import type { ProblemCode } from '../errors.ts'

/**
 * An image for the logo decoder process, and the maximum width and height of its result in pixels.
 */
export type DecoderRequest = { bytes: Buffer; side: number }

/**
 * The reply of the logo decoder process: the logo in stored form, or the problem. `peak` is the
 * process's maximum memory in bytes.
 */
export type DecoderReply = { peak: number } & ({ logo: Buffer } | { problem: ProblemCode })
