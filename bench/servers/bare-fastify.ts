import fastify from 'fastify'
import { readPort } from './read-port.ts'

// The baseline: a redirect through Fastify and its router only.
const app = fastify()
app.get<{ Params: { alias: string } }>('/:alias', (request, reply) => {
  reply
    .code(302)
    .header('location', `https://example.com/${request.params.alias}`)
    .header('cache-control', 'private, no-store')
    .send()
})
await app.listen({ port: readPort(), host: '127.0.0.1' })
