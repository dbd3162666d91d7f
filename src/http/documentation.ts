import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { version } from '../version.ts'
import { describeLegacyApi } from './legacy-api/openapi.ts'
import { noSniffing } from './no-sniffing.ts'

/** `/openapi.json`, made from the routes' own schemas. */
export async function documentation(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Brevis',
        version,
        description:
          'Short links by JSON. Every request carries `Authorization: Bearer <API key>`, but for those of the legacy API, which have the key in their path; every reply tells the state of the rate limit in the headers `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds).',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'the API key' } },
      },
      security: [{ key: [] }],
    },
    hideUntagged: true,
    // The legacy API is one route to the router, since its parameters are told apart by their names.
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const { paths, ...rest } = document.openapiObject
      return { ...rest, paths: { ...paths, ...describeLegacyApi() } }
    },
    // Without this the references would be numbered, and change whenever a route is added.
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`),
    },
  })
  await app.register((pages, _options, done) => {
    noSniffing(pages)
    pages.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
    done()
  })
}
