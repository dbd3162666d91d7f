import fastify from 'fastify'
import { expect, test } from 'vitest'
import { requireDeclaredAccess } from './plugin.ts'

test('a route that does not declare its key scope is rejected at startup', () => {
  const app = fastify()
  requireDeclaredAccess(app)
  const handler = () => 'reply'
  app.get('/declared', { config: { access: { scope: 'read' } } }, handler)
  expect(() => app.get('/undeclared', handler)).toThrow('GET /undeclared declares no config.access')
  expect(() => app.get('/other', { config: { fieldNames: {} } }, handler)).toThrow('GET /other')
})
