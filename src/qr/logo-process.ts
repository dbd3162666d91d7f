import { fork } from 'node:child_process'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { AppError, invalid } from '../errors.ts'
import { programPath } from '../program.ts'
import type { DecoderReply } from './decoder-reply.ts'
import { isPicture, notAPicture } from './drawing/logo.ts'

export type LogoDecoder = ReturnType<typeof createLogoDecoder>

type Dependencies = {
  /** The environment of the process. */
  env: NodeJS.ProcessEnv
  /** Takes the reply of a process, before its picture goes on. */
  onReply?: (reply: DecoderReply) => void
}

/** Longer than the decoding itself may take: a busy machine starts a process slowly. */
const MOST_MS = 15_000

const PROGRAM = programPath('logo-decoder')

/**
 * Decodes uploaded pictures, each in a process of its own with a bound on its memory and time: one at
 * once, accounts in turns. Starting it takes 0.2 s of a processor, at a low priority; one that is kept
 * would be quicker, and would hold 90 MB and what one picture did to it for the next.
 */
export function createLogoDecoder({ env, onReply }: Dependencies) {
  const queue = createFairQueue({ maxRunning: 1, maxWaiting: 32 })
  const closing = new AbortController()

  return {
    /**
     * The picture as it is stored and drawn.
     *
     * @throws AppError `invalid_input` naming `logo`, and `busy`
     */
    async decode(account: number, bytes: Buffer): Promise<Buffer> {
      if (!isPicture(bytes)) throw notAPicture()
      const reply = await queue.run(account, () => runDecoder(bytes, env, closing.signal))
      onReply?.(reply)
      if ('problem' in reply) throw invalid('logo', reply.problem)
      return Buffer.from(reply.logo)
    },

    /** Ends what runs and refuses what waits or comes later. */
    close(): void {
      queue.close()
      closing.abort()
    },
  }
}

async function runDecoder(
  bytes: Buffer,
  env: NodeJS.ProcessEnv,
  closing: AbortSignal,
): Promise<DecoderReply> {
  const late = AbortSignal.timeout(MOST_MS)
  const child = fork(PROGRAM, {
    // With glibc, what one thread gave back is there for the others.
    env: { ...env, MALLOC_ARENA_MAX: '1' },
    execArgv: ['--max-old-space-size=32', '--max-semi-space-size=1'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    killSignal: 'SIGKILL',
    signal: AbortSignal.any([late, closing]),
  })
  const { promise, resolve, reject } = Promise.withResolvers<DecoderReply>()
  child.once('message', (reply: DecoderReply) => resolve(reply))
  // An abort is such an error, and so is a process that cannot be started.
  child.once('error', reject)
  child.once('exit', (code, signal) => {
    // A signal without a reply means that the picture crashed the library.
    if (signal) resolve({ problem: 'must be a png or jpg image that can be read', peak: 0 })
    else reject(new Error(`the decoder of logos ended with exit code ${code}`))
  })
  child.send(bytes, () => {})
  try {
    return await promise
  } catch (error) {
    throw late.aborted || closing.aborted ? new AppError('busy') : error
  } finally {
    child.removeAllListeners('error').on('error', () => {})
    child.kill()
  }
}
