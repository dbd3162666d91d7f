import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { MAX_LOGO_BYTES } from '../../../qr/logo-source.ts'
import { parseForms } from '../../request/multipart.ts'
import { resourceRoutes } from '../resources/routes.ts'
import { createBioResource } from './resource.ts'

/** A slightly too large picture gets an error at its field. Much larger bodies are rejected. */
const BODY_LIMIT = 2 * MAX_LOGO_BYTES

/** Each link has two fields. */
const MAX_PARTS = 512

export function bioRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await parseForms(app, BODY_LIMIT, { repeatsAsLists: true, parts: MAX_PARTS })
    resourceRoutes(app, createBioResource(ctx))
  }
}
