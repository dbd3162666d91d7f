import { getPriority, setPriority } from 'node:os'
import { argon } from './accounts/argon.ts'
import type { Answer, Question } from './accounts/hashing-process.ts'

/** Where processors are short, redirects come first. */
const BEHIND_VISITORS = 10

/** The process that hashes passwords for the one that started it, and ends with that. */
// Never upwards, which only root may do: the service as a whole may have been given a lower priority.
setPriority(Math.max(getPriority(), BEHIND_VISITORS))
// A terminal or a service manager signals all processes; what is being served needs this one still.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(0))
process.on('message', (question: Question) => void answer(question))

async function answer({ id, password, hashed }: Question): Promise<void> {
  const work = hashed === undefined ? argon.hash(password) : argon.verify(hashed, password)
  const reply = await work.then(
    (value): Answer => ({ id, value }),
    (error: unknown): Answer => ({ id, failure: String(error) }),
  )
  process.send?.(reply)
}
