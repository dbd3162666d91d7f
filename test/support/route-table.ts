import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'

export type TableRoute = { method: string; url: string }

const tables = new WeakMap<FastifyInstance, TableRoute[]>()

// Fastify tells of every app that is made, before anything is registered with it.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  const table: TableRoute[] = []
  tables.set(fastify, table)
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) table.push({ method: each, url })
  })
})

/** Every route that an app has registered, in order; an app that was made after this file was read. */
export function routesOf(app: FastifyInstance): readonly TableRoute[] {
  const table = tables.get(app)
  if (!table) throw new Error('the app was made before its routes could be listened for')
  return table
}
