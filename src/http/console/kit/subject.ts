import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../../../errors.ts'
import type { CspExtras } from '../../../pages/csp.ts'
import type { Role } from '../../../people/user.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { parsePathId } from '../../request/path-id.ts'
import type { Key } from '../shell/keys-help.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import type { Section } from '../shell/navigation.ts'
import { sendConsolePage } from '../shell/send.ts'
import { setToast, type ToastName } from '../shell/toast.ts'
import type { Form, FormState, FormValues, Specs } from './form.ts'
import { formFor, pageFor } from './roles.ts'

/** A request for a page or of a form. Its path may have these parameters. */
export type ConsoleRequest = FastifyRequest<{
  Params: Record<string, string>
  Querystring: Record<string, unknown>
}>

export type Page = {
  title: string
  body: (frame: Frame) => SafeHtml
  /** Additional keyboard shortcuts. */
  keys?: readonly Key[]
  /** Additions to the content security policy. */
  policy?: CspExtras
  status?: number
  headers?: Record<string, string>
  /** The text of the confirmation, if it is specific to this page. */
  confirmation?: string | undefined
}

/**
 * The page to which a form leads, and the confirmation that it shows: an empty one is a text of that
 * page. `undo` is the id of the action that undoes the change.
 */
export type Redirect = { to: string; toast?: ToastName | ''; undo?: number | undefined }

type Answer = Page | Redirect

/** The pages and forms of one subject of the console. */
export type Subject = {
  /** Registers a page for members with at least this role. */
  page: (url: string, role: Role, render: (request: ConsoleRequest) => Promise<Answer>) => void
  /**
   * Registers a form without fields. If `act` throws, the reply is the page that `again` returns, with
   * the status of the error. `again` throws an error that the page does not show.
   */
  action: (
    url: string,
    role: Role,
    act: (request: ConsoleRequest) => Promise<Answer>,
    again?: (request: ConsoleRequest, rejection: AppError) => Promise<Answer>,
  ) => void
  /**
   * Registers a form. If `save` rejects its values, the reply is the page that `again` returns, with
   * what was entered and the errors beside the fields. The status is 422, or the one of an error that
   * belongs to no field. A button of a list returns the page with the list as it is then.
   */
  submit: <S extends Specs>(
    url: string,
    role: Role,
    form: Form<S>,
    save: (request: ConsoleRequest, values: FormValues<S>) => Promise<Answer>,
    again: (request: ConsoleRequest, state: FormState<S>) => Promise<Page>,
  ) => void
}

/** Returns the id in the path of a request. @throws AppError `not_found` if it is none */
export function idOf({ params }: ConsoleRequest, name = 'id'): number {
  return parsePathId(params[name] ?? '')
}

/** Renders a page in the frame of the console, or of a part of it. */
type RenderPage = (frame: Frame, page: Page) => string

/** Creates the functions that register a subject. `section` is its section of the navigation. */
export function defineSubject(app: FastifyInstance, section: Section): Subject {
  return createSubject(app, (frame, page) =>
    renderConsolePage(frame, { ...page, section, body: page.body(frame) }),
  )
}

/** The API's maximum body size, tripled because forms can escape each byte as `%xx`. */
const bodyLimit = 3 * 256 * 1024

/** Creates the functions that register a subject whose pages have a frame of their own. */
export function createSubject(app: FastifyInstance, renderPage: RenderPage): Subject {
  return {
    page: (url, role, render) => {
      app.route({
        ...pageFor(role),
        url,
        handler: async (request: ConsoleRequest, reply) =>
          answer(reply, renderPage, await render(request)),
      })
    },
    action: (url, role, act, again) => {
      app.post(url, formFor(role), async (request: ConsoleRequest, reply) => {
        try {
          return answer(reply, renderPage, await act(request))
        } catch (error) {
          if (!again) throw error
          const rejection = toRejection(error, request)
          const page = await again(request, rejection)
          return answer(reply, renderPage, { ...chooseReply(rejection), ...page })
        }
      })
    },
    submit: (url, role, form, save, again) => {
      app.post(url, { ...formFor(role), bodyLimit }, async (request: ConsoleRequest, reply) => {
        const values = form.read(request.body)
        const arranged = form.arrange(request.body, values)
        if (arranged) return answer(reply, renderPage, await again(request, arranged))
        const errors = form.check(values)
        if (Object.keys(errors).length > 0)
          return answer(reply, renderPage, {
            status: 422,
            ...(await again(request, { values, errors })),
          })
        try {
          return answer(reply, renderPage, await save(request, values))
        } catch (error) {
          const rejection = toRejection(error, request)
          const described = form.describe(rejection)
          const page = await again(request, { values, errors: described })
          return answer(reply, renderPage, {
            ...chooseReply(rejection),
            ...(described.form === undefined && { status: 422 }),
            ...page,
          })
        }
      })
    },
  }
}

function answer(reply: FastifyReply, renderPage: RenderPage, result: Answer): FastifyReply {
  if ('to' in result) {
    if (result.toast !== undefined) setToast(reply, result.toast, result.undo)
    return reply.redirect(result.to, 303)
  }
  const { status, headers, policy } = result
  return sendConsolePage(reply, (frame) => renderPage(frame, result), {
    ...(status && { status }),
    ...(headers && { headers }),
    ...(policy && { policy }),
  })
}

/** Returns the error of a form that its page can show. Throws faults of the service. */
function toRejection(error: unknown, request: ConsoleRequest): AppError {
  const rejection = toAppError(error, request)
  if (rejection.status >= 500) throw rejection
  return rejection
}

/** A wrong field is 422. Other errors have the status that they have everywhere. */
function chooseReply(rejection: AppError): { status: number; headers: Record<string, string> } {
  const status = rejection.field === undefined ? rejection.status : 422
  return { status, headers: createErrorHeaders(rejection) }
}
