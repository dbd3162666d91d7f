import { AppError } from './errors.ts'
import { normalizeLogo } from './pictures/logo.ts'
import type { DecoderReply, DecoderRequest } from './pictures/logo-process.ts'
import { lowerPriority } from './process/startup.ts'

/** The process uses 90 MB before it decodes an image. */
const MAX_MEMORY_BYTES = 150_000_000
const CHECK_INTERVAL_MS = 5

/** On a busy machine, replies have priority. */
const LOW_PRIORITY = 10

/**
 * This process decodes one untrusted logo and exits. Even if an image takes over the process, it
 * finds no settings and no other images, and it cannot block threads that redirects need.
 */
lowerPriority(LOW_PRIORITY)
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
  // The parent kills this process after it has received the reply.
  reply({ ...result, peak: peakBytes })
}

function checkMemory(): void {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  if (peakBytes <= MAX_MEMORY_BYTES) return
  clearInterval(memoryChecks)
  reply({ problem: 'image_memory', peak: peakBytes }, killSelf)
}

function reply(message: DecoderReply, onSent?: () => void): void {
  process.send?.(message, undefined, undefined, onSent)
}

/**
 * Ends the process immediately. `process.exit` would wait for the image library, which may continue
 * to decode for seconds.
 */
function killSelf(): void {
  process.kill(process.pid, 'SIGKILL')
}
