import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { listen, sendEmpty } from './listen.queries.ts'

/**
 * Returns whether a connection receives a notification that `send` sends on another connection,
 * within a time limit in milliseconds. Behind a pooler in transaction mode it does not: a
 * notification goes to the session that listened, which no longer belongs to this connection. A
 * notification from the connection itself could still arrive by chance.
 */
export async function awaitEcho(
  client: pg.ClientBase,
  send: (channel: string) => Promise<unknown>,
  timeoutMs: number,
): Promise<boolean> {
  const channel = `brevis_echo_${randomBytes(8).toString('hex')}`
  const echo = waitForNotification(client, channel, timeoutMs)
  try {
    await listen(client, channel)
    await send(channel)
    return await echo.received
  } finally {
    echo.cancel()
  }
}

/**
 * Returns whether a connection receives the notification that it sends to itself on a channel it
 * listens to.
 */
export async function echoItself(
  client: pg.ClientBase,
  channel: string,
  timeoutMs: number,
): Promise<boolean> {
  const echo = waitForNotification(client, channel, timeoutMs)
  try {
    await sendEmpty(client, channel)
    return await echo.received
  } finally {
    echo.cancel()
  }
}

function waitForNotification(client: pg.ClientBase, channel: string, timeoutMs: number) {
  const { promise: received, resolve } = Promise.withResolvers<boolean>()
  const receive = (notification: pg.Notification) => {
    if (notification.channel === channel) resolve(true)
  }
  client.on('notification', receive)
  const timer = setTimeout(resolve, timeoutMs, false)
  timer.unref()
  return {
    received,
    cancel(): void {
      clearTimeout(timer)
      client.off('notification', receive)
      resolve(false)
    },
  }
}
