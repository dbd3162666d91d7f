import { Type } from '@sinclair/typebox'
import { SURFACES } from '../../actor.ts'
import type { HttpContext } from '../../context.ts'
import { getLink } from '../../links/link.service.ts'
import {
  CREATION,
  listVersions,
  restoreVersion,
  type Version,
} from '../../links/versions/version.service.ts'
import { parsePathId } from '../request/path-id.ts'
import { formatTimestamp } from '../timestamp.ts'
import type { ApiApp } from './api-app.ts'
import {
  addErrorReplies,
  createListReply,
  Id,
  ListQuery,
  presentPage,
  readPage,
  Timestamp,
} from './schemas.ts'

const tags = ['links']
const LinkParams = Type.Object({ id: Type.String({ description: 'ID of the link.' }) })
const VersionParams = Type.Object({
  ...LinkParams.properties,
  version: Type.String({ description: 'ID of the version, or 0 for the original.' }),
})
const VersionId = Type.Integer({ minimum: 0 })

const ActorReply = Type.Object(
  {
    type: Type.Union([Type.Literal('user'), Type.Literal('key'), Type.Literal('import')]),
    id: Id,
    name: Type.Union([Type.String(), Type.Null()], {
      description:
        'Email address of the user (hidden from keys bound to a domain), name or prefix of the key, or file ' +
        'of the import. Null once deleted.',
    }),
  },
  { description: 'Who made the change.' },
)

const Change = Type.Object({ before: Type.Unknown(), after: Type.Unknown() })

const VersionEntry = Type.Object({
  id: VersionId,
  date: Timestamp,
  surface: Type.Union([...SURFACES.map((name) => Type.Literal(name)), Type.Null()], {
    description: 'Where the change was made, or null if unknown.',
  }),
  by: Type.Union([ActorReply, Type.Null()], { description: 'Null for admins and commands.' }),
  restores: Type.Union([VersionId, Type.Null()], {
    description: 'The version that this change restored.',
  }),
  changes: Type.Record(Type.String(), Change, {
    description:
      'The changed fields, by their names in POST /api/url/add, plus status, blocked, archived and ' +
      'deleted. A password appears as null, set or changed. Long lists of rules and parameters have only the ' +
      'entries that changed.',
  }),
})

/** Registers the routes for the history of a link. */
export function registerVersionRoutes(app: ApiApp, ctx: HttpContext): void {
  const { listError } = ctx.config

  app.get(
    '/url/:id/versions',
    {
      config: { access: { scope: 'read', boundKeys: true } },
      schema: {
        tags,
        summary: 'List the versions of a link',
        description:
          'Newest first; the original comes last. Versions are kept for 365 days, up to 1,000 and 1 MiB per link.',
        params: LinkParams,
        querystring: ListQuery,
        response: addErrorReplies(createListReply('versions', VersionEntry, listError)),
      },
    },
    async (request) => {
      const { scope } = request
      const page = readPage(request.query)
      const { id } = await getLink(scope, parsePathId(request.params.id))
      const { entries, total } = await listVersions(scope, id, page)
      const isBound = scope.domain !== null
      const versions = entries.map((version) => presentVersion(version, isBound))
      return presentPage('versions', versions, page, total, listError)
    },
  )

  app.post(
    '/url/:id/versions/:version/restore',
    {
      config: { access: { scope: 'links', boundKeys: true } },
      schema: {
        tags,
        summary: 'Restore a version of a link',
        description:
          'Restores all values of this version except the password. The same rules apply as to any update, and ' +
          'the result is a new version.',
        params: VersionParams,
        response: addErrorReplies(
          Type.Object({ error: Type.Literal(0), id: Id, short: Type.String() }),
        ),
      },
    },
    async (request) => {
      const { params } = request
      const id = parsePathId(params.id)
      const version = params.version === String(CREATION) ? CREATION : parsePathId(params.version)
      const link = await restoreVersion(request.scope, id, version)
      return { error: 0 as const, id: link.id, short: link.shortUrl }
    },
  )
}

const ACTOR_TYPES = {
  console: 'user',
  api: 'key',
  'legacy-api': 'key',
  'yourls-api': 'key',
  mcp: 'key',
  import: 'import',
} as const

function presentVersion({ id, at, actor, name, restores, changes }: Version, isBound: boolean) {
  const { surface, id: actorId = null } = actor ?? {}
  const type =
    surface && surface in ACTOR_TYPES ? ACTOR_TYPES[surface as keyof typeof ACTOR_TYPES] : undefined
  // A key bound to a domain must not see the email addresses of users.
  const visibleName = isBound && type === 'user' ? null : name
  return {
    id,
    date: formatTimestamp(at),
    surface: surface ?? null,
    by: type && actorId !== null ? { type, id: actorId, name: visibleName } : null,
    restores,
    changes: Object.fromEntries(
      Object.entries(changes).map(([name, { before, after }]) => [name, { before, after }]),
    ),
  }
}
