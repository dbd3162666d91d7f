import { getPriority, setPriority } from 'node:os'
import { AppError } from './errors.ts'
import { type DecoderReply, TOO_MUCH_MEMORY } from './qr/decoder-reply.ts'
import { normalizeLogo } from './qr/drawing/logo.ts'

/** A guard behind the bounds on what is decoded at all: 90 MB of it are this process itself. */
const MOST_MEMORY = 150_000_000
const LOOK_EVERY_MS = 5

/** Where processors are short, redirects come first. */
const BEHIND_VISITORS = 10

/**
 * The process that decodes one logo, which a stranger made, and ends: whatever the picture does to it,
 * it knows no setting, no other picture, and takes no time of the threads that redirects need.
 */
// Never upwards, which only root may do: the service as a whole may have been given a lower priority.
setPriority(Math.max(getPriority(), BEHIND_VISITORS))
let peak = 0
setInterval(look, LOOK_EVERY_MS)
process.once('message', (bytes: Buffer) => void decode(bytes))
process.once('disconnect', () => process.exit(0))

async function decode(bytes: Buffer): Promise<void> {
  const reply = await normalizeLogo(bytes).then(
    (logo): DecoderReply => ({ logo, peak }),
    (error: unknown): DecoderReply => {
      if (error instanceof AppError && error.problem) return { problem: error.problem, peak }
      throw error
    },
  )
  look()
  // Who asked ends this process: it must not be gone before the reply was read.
  process.send?.({ ...reply, peak })
}

function look(): void {
  peak = Math.max(peak, process.memoryUsage.rss())
  if (peak > MOST_MEMORY) process.exit(TOO_MUCH_MEMORY)
}
