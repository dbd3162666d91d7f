import { getPriority, setPriority } from 'node:os'
import { argon } from './accounts/argon.ts'
import type { Answer, HashRequest } from './accounts/hashing-process.ts'

/** With few processors, redirects have priority. */
const LOW_PRIORITY = 10

/** The process that hashes passwords for its parent, and ends with it. */
// Never raised, which only root may do: the whole service may run at a lower priority.
setPriority(Math.max(getPriority(), LOW_PRIORITY))
// Terminals and service managers signal all processes. Requests in progress still need this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(0))
process.on('message', (question: HashRequest) => void answer(question))

async function answer({ id, password, hashed }: HashRequest): Promise<void> {
  const work = hashed === undefined ? argon.hash(password) : argon.verify(hashed, password)
  const reply = await work.then(
    (value): Answer => ({ id, value }),
    (error: unknown): Answer => ({ id, failure: String(error) }),
  )
  process.send?.(reply)
}
