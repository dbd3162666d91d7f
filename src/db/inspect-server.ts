import { type ClientOptions, withClient } from './client.ts'
import { listPending } from './pending-migrations.ts'
import {
  requireCreation,
  requirePrivileges,
  requireSession,
  requireSuitableServer,
} from './server-check.ts'
import { readServerFacts, readServerTime, type ServerFacts } from './server-facts.queries.ts'

export type ServerInspection = {
  /** Undefined if the server cannot be reached. */
  facts: ServerFacts | undefined
  /** Why the program cannot use the database. */
  problem: Error | undefined
  pending: string[]
  /** How far the clocks of the database and of this machine are apart. */
  timeDifferenceMs: number
}

/** Inspects a server and a database like the startup does, without changing or locking anything. */
export async function inspectServer(
  url: string,
  limits: Pick<ClientOptions, 'connectTimeout' | 'queryTimeout'>,
): Promise<ServerInspection> {
  const found: ServerInspection = {
    facts: undefined,
    problem: undefined,
    pending: [],
    timeDifferenceMs: 0,
  }
  try {
    await withClient({ url, name: 'command', ...limits }, async (client) => {
      found.facts = await readServerFacts(client)
      const sentAt = Date.now()
      const serverTime = await readServerTime(client)
      const middle = (sentAt + Date.now()) / 2
      found.timeDifferenceMs = Math.abs(serverTime - middle)
      await requireSuitableServer(client)
      await requireSession(client, url, found.facts)
      await requirePrivileges(client, found.facts.user)
      found.pending = await listPending(client)
      if (found.pending.length > 0 && !found.facts.isReadOnly) requireCreation(found.facts)
    })
  } catch (error) {
    found.problem = error instanceof Error ? error : new Error(String(error))
  }
  return found
}
