import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from './http.ts'
import { until } from './processes.ts'

export type Load = ReturnType<typeof startLoad>

export type LoadOptions = {
  /** Returns the URL to visit for an identity. */
  target: (identity: number) => string
  /** The host to request, if it differs from the target's. */
  host?: string
  /** The number of concurrent requests. */
  lanes?: number
  /** Milliseconds between a reply and the next request of a lane. */
  pause?: number
  /** The number of identities that earlier loads on the same database used. */
  usedIdentities?: number
}

const FAILURE_PAUSE_MS = 100

/**
 * Visits short links until stopped. Each visit has its own number, its identity, and a unique IP
 * address made from it, by which its click is found in the database. Failed visits are not repeated.
 */
export function startLoad({
  target,
  host,
  lanes = 16,
  pause = 4,
  usedIdentities = 0,
}: LoadOptions) {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const acknowledged = new Set<number>()
  const outcomes = new Map<string, number>()
  let last = usedIdentities
  let slowest = 0
  let isStopping = false
  const running = Array.from({ length: lanes }, () => runLane())

  async function runLane(): Promise<void> {
    while (!isStopping) {
      last += 1
      const succeeded = await visit(last)
      await sleep(succeeded ? pause : FAILURE_PAUSE_MS)
    }
  }

  async function visit(identity: number): Promise<boolean> {
    const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    try {
      const { milliseconds, status } = await send(target(identity), {
        agent,
        headers: { 'x-forwarded-for': addressOf(identity), ...(host && { host }) },
        onHead: (status) => {
          if (status === 302) acknowledged.add(identity)
          count(String(status))
        },
      })
      slowest = Math.max(slowest, milliseconds)
      return status === 302
    } catch (error) {
      count((error as NodeJS.ErrnoException).code ?? String(error))
      return false
    }
  }

  return {
    /** The identities of visits that were redirected. */
    acknowledged,
    /** The number of visits by status or error. */
    outcomes,
    /** The number of visits sent by this load. */
    get sent() {
      return last - usedIdentities
    },
    /** The last identity used. */
    get last() {
      return last
    },
    /** The longest response time in milliseconds. */
    get slowest() {
      return slowest
    },
    /** Waits until this many more visits have been acknowledged. */
    async waitForMore(visits: number): Promise<void> {
      const goal = acknowledged.size + visits
      await until(`${visits} more visits`, () => acknowledged.size >= goal)
    },
    async stop(): Promise<void> {
      isStopping = true
      await Promise.all(running)
      agent.destroy()
    },
  }
}

/** Returns the IP address of an identity, unique for the first 16 million. */
export function addressOf(identity: number): string {
  return `10.${(identity >> 16) & 255}.${(identity >> 8) & 255}.${identity & 255}`
}
