import { argon } from './identity/argon.ts'
import type { HashReply, HashRequest } from './identity/hashing-process.ts'
import { lowerPriority } from './process/startup.ts'

/** On machines with few processors, redirects have priority. */
const LOW_PRIORITY = 10

// This process hashes passwords for its parent process and ends with it.
lowerPriority(LOW_PRIORITY)
// Terminals and service managers signal all processes, but pending requests still need this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(0))
process.on('message', (request: HashRequest) => void handle(request))

async function handle({ id, password, hashed }: HashRequest): Promise<void> {
  const work = hashed === undefined ? argon.hash(password) : argon.verify(hashed, password)
  const reply = await work.then(
    (value): HashReply => ({ id, value }),
    (error: unknown): HashReply => ({ id, failure: String(error) }),
  )
  process.send?.(reply)
}
