import { fork } from 'node:child_process'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { AppError, invalid, type ProblemCode } from '../errors.ts'
import { getProgramPath } from '../program.ts'
import { createNotImageError, isSupportedImage, LOGO_SIDE } from './logo.ts'

/**
 * An image for the logo decoder process, and the maximum width and height of its result in pixels.
 */
export type DecoderRequest = { bytes: Buffer; side: number }

/**
 * The reply of the logo decoder process: the logo in stored form, or the problem. `peak` is the
 * process's maximum memory in bytes.
 */
export type DecoderReply = { peak: number } & ({ logo: Buffer } | { problem: ProblemCode })

export type LogoDecoder = ReturnType<typeof createLogoDecoder>

type Dependencies = {
  /** The environment of the process. */
  env: NodeJS.ProcessEnv
  /** Called with the reply of a process before it is returned. */
  onReply?: (reply: DecoderReply) => void
}

/**
 * The maximum time for decoding an image. It is generous, because a busy machine starts processes
 * slowly.
 */
const TIMEOUT_MS = 15_000

const PROGRAM = getProgramPath('logo-decoder')

/**
 * Creates a decoder of uploaded images. It decodes one image at a time, and accounts take turns.
 * Each image is decoded in a separate process with limited memory and time. Starting a process
 * takes 0.2 s at low priority. A permanent process would be faster, but it would use 90 MB, and one
 * image could affect the next.
 */
export function createLogoDecoder({ env, onReply }: Dependencies) {
  const queue = createFairQueue({ maxRunning: 1, maxWaiting: 32 })
  const closing = new AbortController()

  return {
    /**
     * Returns the image as a PNG of at most `side` by `side` pixels.
     *
     * @throws AppError `busy`, or `invalid_input` naming `logo`
     */
    async decode(account: number, bytes: Buffer, side = LOGO_SIDE): Promise<Buffer> {
      if (!isSupportedImage(bytes)) throw createNotImageError()
      const request = { bytes, side }
      const reply = await queue.run(account, () => runDecoder(request, env, closing.signal))
      onReply?.(reply)
      if ('problem' in reply) throw invalid('logo', reply.problem)
      return Buffer.from(reply.logo)
    },

    /** Stops the running process, and rejects waiting and later requests. */
    close(): void {
      queue.close()
      closing.abort()
    },
  }
}

async function runDecoder(
  request: DecoderRequest,
  env: NodeJS.ProcessEnv,
  closing: AbortSignal,
): Promise<DecoderReply> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const child = fork(PROGRAM, {
    // With glibc, other threads can then use the memory that one thread has released.
    env: { ...env, MALLOC_ARENA_MAX: '1' },
    execArgv: ['--max-old-space-size=32', '--max-semi-space-size=1'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    killSignal: 'SIGKILL',
    signal: AbortSignal.any([timeout, closing]),
  })
  const { promise, resolve, reject } = Promise.withResolvers<DecoderReply>()
  child.once('message', (reply: DecoderReply) => resolve(reply))
  // This error occurs after an abort, and if a process cannot be started.
  child.once('error', reject)
  child.once('exit', (code, signal) => {
    // A signal without a reply means that the image crashed the library.
    if (signal) resolve({ problem: 'image_readable', peak: 0 })
    else reject(new Error(`the decoder of logos ended with exit code ${code}`))
  })
  child.send(request, () => {})
  try {
    return await promise
  } catch (error) {
    throw timeout.aborted || closing.aborted ? new AppError('busy') : error
  } finally {
    child.removeAllListeners('error').on('error', () => {})
    child.kill()
  }
}
