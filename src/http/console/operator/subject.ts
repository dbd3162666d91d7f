import type { FastifyInstance } from 'fastify'
import { createSubject, type Subject } from '../kit/subject.ts'
import { type OperatorSection, renderOperatorPage } from './layout.ts'

/** Creates the functions that register a subject of the admin pages, whose plugin guards them. */
export function defineAdminSubject(app: FastifyInstance, currentSection: OperatorSection): Subject {
  return createSubject(app, (frame, { title, body }) =>
    renderOperatorPage(frame, { title, currentSection, body: body(frame) }),
  )
}
