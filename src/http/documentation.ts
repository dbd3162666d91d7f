import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { describeAccess } from '../accounts/key-scope.ts'
import { version } from '../version.ts'
import { describeLegacyApi } from './legacy-api/openapi.ts'
import { preventSniffing } from './no-sniffing.ts'

/** Serves `/openapi.json`, generated from the route schemas. */
export async function serveOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Brevis',
        version,
        description:
          'A JSON API for short links. Send your API key with every request as `Authorization: Bearer <API key>`. The legacy API takes the key in the path instead. Every response reports the rate limit in the headers `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds). Each operation lists the key scope it requires: a `full` key can do everything, a `links` key everything except change the account and its domains, a `create` key can only create links, and a `read` key can only read. A key bound to a domain can only access links on that domain.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'Your API key.' } },
      },
      security: [{ key: [] }],
    },
    hideUntagged: true,
    transform: ({ schema, url, route }) => {
      const { access } = route.config ?? {}
      if (!access || !schema || schema.hide) return { schema, url }
      const description = [schema.description, describeAccess(access)].filter(Boolean).join(' ')
      return { schema: { ...schema, description, security: [{ key: [access.scope] }] }, url }
    },
    // The router sees the legacy API as a single route, because its parameters come in any order. It
    // is described separately.
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const { paths, ...rest } = document.openapiObject
      return { ...rest, paths: { ...paths, ...describeLegacyApi() } }
    },
    // By default, references are numbered and change whenever a route is added.
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`),
    },
  })
  await app.register((pages, _options, done) => {
    preventSniffing(pages)
    pages.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
    done()
  })
}
