import fastify from 'fastify'
import { expect, test } from 'vitest'
import { requireDeclaredAccess } from './route-access.ts'

test('a route that does not declare what it requires of the key fails the start', () => {
  const app = fastify()
  requireDeclaredAccess(app)
  const handler = () => 'answer'
  app.get('/declared', { config: { access: { scope: 'read' } } }, handler)
  expect(() => app.get('/forgotten', handler)).toThrow('GET /forgotten declares no config.access')
  expect(() => app.get('/other', { config: { fieldNames: {} } }, handler)).toThrow('GET /other')
})
