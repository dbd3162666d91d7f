import type { Worker } from 'node:cluster'
import { once } from 'node:events'

/** Tells a worker where the database is, once it may be used. */
type Begin = { type: 'brevis:begin'; databaseUrl: string }

export function tellBegin(worker: Worker, databaseUrl: string): void {
  const message: Begin = { type: 'brevis:begin', databaseUrl }
  // One that has just died is started again, and told then.
  worker.send(message, () => {})
}

/** In a worker: waits to be told, however long the database takes to start, and gives its address. */
export async function begun(): Promise<string> {
  for (;;) {
    const [message]: Begin[] = await once(process, 'message')
    if (message?.type === 'brevis:begin') return message.databaseUrl
  }
}
