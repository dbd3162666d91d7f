import fastify from 'fastify'
import { expect, test } from 'vitest'
import { requireDeclaredAccess } from './route-access.ts'

test('startup fails if a route does not declare its key scope', () => {
  const app = fastify()
  requireDeclaredAccess(app)
  const handler = () => 'reply'
  app.get('/declared', { config: { access: { scope: 'read' } } }, handler)
  expect(() => app.get('/undeclared', handler)).toThrow('GET /undeclared declares no config.access')
  expect(() => app.get('/other', { config: { fieldNames: {} } }, handler)).toThrow('GET /other')
})
