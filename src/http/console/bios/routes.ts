import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { MAX_LOGO_BYTES } from '../../../qr/logo-source.ts'
import { parseForms } from '../../request/multipart.ts'
import { registerResourceRoutes } from '../resources/routes.ts'
import { createBioResource } from './resource.ts'

/** Slightly too large pictures get an error at their field. Much larger bodies are rejected. */
const BODY_LIMIT = 2 * MAX_LOGO_BYTES

/** More than the default, because each link of a page has two fields. */
const MAX_PARTS = 512

/** Returns the plugin with the routes of bio pages. */
export function createBioRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await parseForms(app, BODY_LIMIT, { repeatsAsLists: true, parts: MAX_PARTS })
    registerResourceRoutes(app, createBioResource(ctx))
  }
}
