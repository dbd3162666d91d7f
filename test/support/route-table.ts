import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'

export type TableRoute = { method: string; url: string }

const tables = new WeakMap<FastifyInstance, TableRoute[]>()

// Fastify announces every new application before anything is registered.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  const table: TableRoute[] = []
  tables.set(fastify, table)
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) table.push({ method: each, url })
  })
})

/**
 * Returns every route of an application in order. The application must be created after this module
 * is loaded.
 */
export function listRoutes(app: FastifyInstance): readonly TableRoute[] {
  const table = tables.get(app)
  if (!table) throw new Error('the app was created before this module was loaded')
  return table
}
