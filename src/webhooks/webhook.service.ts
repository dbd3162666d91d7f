import type { Clock } from '../clock.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { parseOutboundUrl } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { EVENT_TYPES, TEST_EVENT } from './event.ts'
import type { Outbox } from './outbox.ts'
import { queueMessages } from './queue.queries.ts'
import { createSecret } from './sign.ts'
import {
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  listDeliveries,
  listEndpoints,
  lockAccount,
  renewDelivery,
  replaceSecret,
  updateEndpoint,
} from './webhook.queries.ts'
import type { WebhookEndpoint } from './webhook.ts'

export type Webhooks = ReturnType<typeof createWebhooks>

type Dependencies = { db: Db; clock: Clock; outbox: Pick<Outbox, 'invalidate'> }

const MOST_ENDPOINTS = 10
const MOST_BYTES = 2048
const MAX_LISTED = 100
/** Milliseconds for which a replaced secret signs beside the new one. */
const OLD_SECRET_FOR = 86_400_000

/** The endpoints of accounts, and what became of the messages to them. */
export function createWebhooks({ db, clock, outbox }: Dependencies) {
  async function get(accountId: number, id: number): Promise<WebhookEndpoint> {
    const endpoint = await findEndpoint(db, accountId, id)
    if (!endpoint) throw new AppError('not_found')
    return endpoint
  }

  /** Has every process learn what an account wants to be told of now. */
  async function change<T>(accountId: number, work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await inTransaction(db, async (tx) => {
      const done = await work(tx)
      await notify(tx, [{ kind: 'webhooks', accountId }])
      return done
    })
    outbox.invalidate(accountId)
    return result
  }

  /** Who asks for a message does not want to wait until the endpoint would be tried again. */
  async function endPause(accountId: number, id: number): Promise<void> {
    if (!(await updateEndpoint(db, accountId, id, { paused_until: null }))) {
      throw new AppError('not_found')
    }
  }

  return {
    /** The endpoint of an account. @throws AppError `not_found` */
    get,

    list: (accountId: number): Promise<WebhookEndpoint[]> => listEndpoints(db, accountId),

    /**
     * Adds an endpoint, with a secret of its own, and gives its id.
     *
     * @throws AppError `invalid_input` naming `url` or `events`
     */
    async add(accountId: number, input: { url: string; events: readonly string[] }) {
      const url = parseUrl(input.url)
      const events = EVENT_TYPES.filter((type) => input.events.includes(type))
      if (events.length === 0) throw invalid('events', 'must name at least one event')
      const values = { account_id: accountId, url, secret: createSecret(), events: [...events] }
      return change(accountId, async (tx) => {
        await lockAccount(tx, accountId)
        if ((await listEndpoints(tx, accountId)).length >= MOST_ENDPOINTS) {
          throw invalid('url', `cannot be added: there are ${MOST_ENDPOINTS} endpoints already`)
        }
        return insertEndpoint(tx, { ...values, created_at: clock() })
      })
    },

    /** Deletes an endpoint with its messages. @throws AppError `not_found` */
    delete: (accountId: number, id: number): Promise<void> =>
      change(accountId, async (tx) => {
        if (!(await deleteEndpoint(tx, accountId, id))) throw new AppError('not_found')
      }),

    /** Has messages be sent again to an endpoint that was turned off. @throws AppError `not_found` */
    enable: (accountId: number, id: number): Promise<void> =>
      change(accountId, async (tx) => {
        const fresh = { failures: 0, failing_since: null, paused_until: null }
        const on = { ...fresh, disabled_at: null, disabled_by: null }
        if (!(await updateEndpoint(tx, accountId, id, on))) throw new AppError('not_found')
      }),

    /**
     * Gives an endpoint a new secret. Messages carry a signature of the old one as well for a day, so
     * that its program can be told in peace. @throws AppError `not_found`
     */
    async rotate(accountId: number, id: number): Promise<void> {
      const until = new Date(clock().getTime() + OLD_SECRET_FOR)
      if (!(await replaceSecret(db, { accountId, id }, createSecret(), until))) {
        throw new AppError('not_found')
      }
    },

    /** The latest messages to an endpoint, newest first. @throws AppError `not_found` */
    async deliveries(accountId: number, id: number) {
      await get(accountId, id)
      return listDeliveries(db, id, MAX_LISTED)
    },

    /** Queues a message that says nothing. @throws AppError `not_found` */
    async test(accountId: number, id: number): Promise<void> {
      await endPause(accountId, id)
      const data = [{ message: 'A test, sent from the console.' }]
      await queueMessages(db, { accountId, endpointId: id, type: TEST_EVENT, data, now: clock() })
    },

    /** Queues a message once more, under its own id. @throws AppError `not_found` */
    async sendAgain(accountId: number, id: number, deliveryId: number): Promise<void> {
      await endPause(accountId, id)
      if (!(await renewDelivery(db, id, deliveryId, clock()))) throw new AppError('not_found')
    },
  }
}

function parseUrl(text: string): string {
  if (text.trim() === '') throw invalid('url', 'must not be empty')
  if (Buffer.byteLength(text) > MOST_BYTES) {
    throw invalid('url', `must be at most ${MOST_BYTES} bytes`)
  }
  try {
    return parseOutboundUrl(text.trim()).href
  } catch (error) {
    if (error instanceof OutboundError) throw invalid('url', error.message)
    throw error
  }
}
