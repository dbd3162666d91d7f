import { getPriority, setPriority } from 'node:os'
import { AppError } from './errors.ts'
import type { DecoderReply, DecoderRequest } from './qr/decoder-reply.ts'
import { normalizeLogo } from './qr/drawing/logo.ts'

/** This process itself uses 90 MB of it. */
const MAX_MEMORY_BYTES = 150_000_000
const CHECK_INTERVAL_MS = 5

/** On a busy machine, redirects have priority. */
const LOW_PRIORITY = 10

/**
 * The process that decodes one untrusted logo and exits. Whatever the image does to it, the process
 * has no settings and no other image, and does not block threads that redirects need.
 */
// Never raised, which only root may do: the whole service may run at a lower priority.
setPriority(Math.max(getPriority(), LOW_PRIORITY))
let peakBytes = 0
const memoryChecks = setInterval(checkMemory, CHECK_INTERVAL_MS)
process.once('message', (request: DecoderRequest) => void decode(request))
process.once('disconnect', killSelf)

async function decode({ bytes, side }: DecoderRequest): Promise<void> {
  const result = await normalizeLogo(bytes, side).then(
    (logo) => ({ logo }),
    (error: unknown) => {
      if (error instanceof AppError && error.problem) return { problem: error.problem }
      throw error
    },
  )
  checkMemory()
  // The parent ends this process once it has the reply.
  reply({ ...result, peak: peakBytes })
}

function checkMemory(): void {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  if (peakBytes <= MAX_MEMORY_BYTES) return
  clearInterval(memoryChecks)
  reply({ problem: 'takes too much memory to read', peak: peakBytes }, killSelf)
}

function reply(message: DecoderReply, sent?: () => void): void {
  process.send?.(message, undefined, undefined, sent)
}

/**
 * Ends immediately. A normal exit would wait for the library, which may continue decoding for
 * seconds.
 */
function killSelf(): void {
  process.kill(process.pid, 'SIGKILL')
}
