import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { AppError } from '../../../errors.ts'
import type { Role } from '../../../identity/user.ts'
import type { CspExtras } from '../../../pages/csp.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { checkFormToken } from '../../html/form-token.ts'
import { pageRoute } from '../../html/page-route.ts'
import { parsePathId } from '../../request/path-id.ts'
import type { Key } from '../shell/layout.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import type { Section } from '../shell/navigation.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { setToast, type ToastName } from '../shell/toast.ts'
import type { Form, FormState, FormValues, Specs } from './form.ts'
import { formFor, pageFor } from './roles.ts'
import { type SignedOutPage, sendSignedOutPage } from './signed-out.ts'

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

/** What a handler returns: a page, the page to go to, or nothing if it has sent the reply. */
type Answer<P> = P | Redirect | undefined

type Act<P> = (request: ConsoleRequest, reply: FastifyReply) => Promise<Answer<P>>

/**
 * The pages and forms of one subject of the console. `access` is the minimum role of members who may
 * open or submit them.
 */
export type Subject<P = Page, Access = Role> = {
  /** Registers a page. */
  page: (url: string, access: Access, render: Act<P>) => void
  /**
   * Registers a form without fields. If `act` throws, the reply is the page that `again` returns, with
   * the status of the error. `again` throws an error that the page does not show.
   */
  action: (
    url: string,
    access: Access,
    act: Act<P>,
    again?: (request: ConsoleRequest, rejection: AppError) => Promise<Answer<P>>,
  ) => void
  /**
   * Registers a form, or one that depends on the request. If `save` rejects its values, the reply is
   * the page that `again` returns, with what was entered and the errors beside the fields. The status
   * is 422, or the one of an error that belongs to no field. A button of a list returns the page with
   * the list as it is then. `not_found` is an error page.
   */
  submit: <S extends Specs>(
    url: string,
    access: Access,
    form: Form<S> | ((request: ConsoleRequest) => Form<S>),
    save: (
      request: ConsoleRequest,
      values: FormValues<NoInfer<S>>,
      reply: FastifyReply,
    ) => Promise<Answer<P>>,
    again: (
      request: ConsoleRequest,
      state: FormState<NoInfer<S>>,
      more: { reply: FastifyReply; rejection?: AppError },
    ) => Promise<Answer<P>>,
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
  return createRegistration<Page, Role>(app, {
    pageFor,
    formFor,
    bodyLimit,
    send: (reply, page) => sendConsolePage(reply, (frame) => renderPage(frame, page), page),
  })
}

/**
 * Creates the functions that register pages without a session, such as the sign-in page. Their forms
 * need the token of a page that the same browser has opened.
 */
export function defineSignedOutSubject(app: FastifyInstance): Subject<SignedOutPage, 'everyone'> {
  return createRegistration<SignedOutPage, 'everyone'>(app, {
    pageFor: () => pageRoute,
    formFor: () => ({ schema: { hide: true } }),
    checkRequest: (request) => checkFormToken(request, readFields(request.body, ['csrf']).csrf),
    send: sendSignedOutPage,
  })
}

type Surface<P, Access> = {
  /** Return the options of a route. */
  pageFor: (access: Access) => typeof pageRoute
  formFor: (access: Access) => RouteShorthandOptions
  /** The maximum size of a form, if it is not the usual one. */
  bodyLimit?: number
  /** Checks a form before it is read. */
  checkRequest?: (request: ConsoleRequest) => void
  send: (reply: FastifyReply, page: P) => FastifyReply
}

type Status = Pick<Page, 'status' | 'headers'>

function createRegistration<P extends Status, Access>(
  app: FastifyInstance,
  { pageFor, formFor, bodyLimit, checkRequest, send }: Surface<P, Access>,
): Subject<P, Access> {
  return {
    page: (url, access, render) => {
      app.route({
        ...pageFor(access),
        url,
        handler: async (request: ConsoleRequest, reply) =>
          answer(reply, await render(request, reply)),
      })
    },
    action: (url, access, act, again) => post(url, access, act, again),
    submit: (url, access, form, save, again) => {
      const findForm = typeof form === 'function' ? form : () => form
      const show: typeof again = async (request, state, more) => {
        const result = await again(request, state, more)
        const isInvalid = state.errors !== undefined && state.errors.form === undefined
        const isPage = result && !isRedirect(result)
        return isPage && isInvalid ? withDefaults(result, { status: 422 }) : result
      }
      post(
        url,
        access,
        async (request, reply) => {
          const { read, arrange } = findForm(request)
          const values = read(request.body)
          const arranged = arrange(request.body, values)
          return arranged ? show(request, arranged, { reply }) : save(request, values, reply)
        },
        (request, rejection, reply) => {
          const { read, describe } = findForm(request)
          const errors = describe(rejection)
          if (rejection.code === 'not_found' && errors.form !== undefined) throw rejection
          return show(request, { values: read(request.body), errors }, { reply, rejection })
        },
      )
    },
  }

  function post(
    url: string,
    access: Access,
    act: Act<P>,
    again?: (
      request: ConsoleRequest,
      rejection: AppError,
      reply: FastifyReply,
    ) => Promise<Answer<P>>,
  ): void {
    const options: RouteShorthandOptions = { ...formFor(access), ...(bodyLimit && { bodyLimit }) }
    app.post(url, options, async (request: ConsoleRequest, reply) => {
      try {
        checkRequest?.(request)
        return answer(reply, await act(request, reply))
      } catch (error) {
        if (!again) throw error
        const rejection = toAppError(error, request)
        if (rejection.status >= 500) throw rejection
        return answer(reply, await again(request, rejection, reply), {
          status: rejection.field === undefined ? rejection.status : 422,
          headers: createErrorHeaders(rejection),
        })
      }
    })
  }

  function answer(reply: FastifyReply, result: Answer<P>, defaults: Status = {}): FastifyReply {
    if (!result) return reply
    if (!isRedirect(result)) return send(reply, withDefaults(result, defaults))
    if (result.toast !== undefined) setToast(reply, result.toast, result.undo)
    return reply.redirect(result.to, 303)
  }
}

/** Adds a status and headers to a page that sets none. */
function withDefaults<P extends Status>(page: P, { status, headers }: Status): P {
  return { ...(status && { status }), ...page, headers: { ...headers, ...page.headers } }
}

function isRedirect(result: object): result is Redirect {
  return 'to' in result
}
