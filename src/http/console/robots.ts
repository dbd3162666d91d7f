import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { readUnlistedPrograms, type UnlistedProgram } from '../../clicks/read.ts'
import type { HttpContext } from '../../context.ts'
import {
  getRobotNames,
  MAX_ROBOT_NAMES,
  setRobotNames,
} from '../../identity/robot-names.service.ts'
import { t } from '../../texts.ts'
import { compileOwnNames } from '../../visitors/bot-patterns.ts'
import type { ClientClassifier } from '../../visitors/crawler.ts'
import { defineForm } from './kit/form.ts'
import { renderPanel } from './kit/parts.ts'
import { type ConsoleRequest, defineSubject, type Page } from './kit/subject.ts'
import { renderTable } from './kit/table.ts'
import { formatCount } from './shell/format.ts'

const PATH = '/console/robots'
/** The maximum number of programs that are read, some of which may be listed by now. */
const MAX_PROGRAMS = 200
/** The maximum number of programs that are shown. */
const SHOWN_PROGRAMS = 50

const form = defineForm({
  names: {
    type: 'multiline',
    label: 'robots.names',
    hint: () => t('robots.namesHint', { max: MAX_ROBOT_NAMES }),
    maxLength: 6000,
    optional: true,
    attributes: html` spellcheck="false"`,
  },
})

/** Registers an account's own names of robots, and the programs that are in no list. */
export function registerRobotRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, submit } = defineSubject(app, '/console/analytics')

  page('/robots', 'viewer', (request) => renderRobots(request))
  submit(
    '/robots',
    'editor',
    form,
    async ({ scope }, { names }) => {
      await setRobotNames(scope, names.split('\n'))
      return { to: PATH, toast: 'saved' }
    },
    renderRobots,
  )

  async function renderRobots(
    { scope }: ConsoleRequest,
    { values, errors = {} }: Parameters<typeof form.render>[1] = {},
  ): Promise<Page> {
    const names = await getRobotNames(scope)
    const query = { accountId: scope.accountId, now: ctx.clock(), limit: MAX_PROGRAMS }
    const isOwn = compileOwnNames(names)
    const programs = (await readUnlistedPrograms(ctx.db, query)).filter(
      ({ name }) => !isOwn?.(name),
    )
    return {
      title: t('robots.title'),
      body: (
        frame,
      ) => html`<p class="small back"><a href="/console/analytics">← ${t('analytics.title')}</a></p>
<h1>${t('robots.title')}</h1>
<p class="soft">${t('robots.intro')}</p>
${renderPanel('own', t('robots.own'), [
  form.renderError({ errors }),
  form.render(
    frame,
    { values: { names: names.join('\n'), ...values }, errors },
    { action: PATH, button: t('robots.save') },
  ),
])}
${renderPanel('unlisted', t('robots.unlisted'), renderPrograms(programs, ctx.clients))}`,
    }
  }
}

/** Renders the programs that are still in no list, or says that there are none. */
export function renderPrograms(
  programs: readonly UnlistedProgram[],
  { findRobot }: Pick<ClientClassifier, 'findRobot'>,
): SafeHtml {
  const unlisted = programs.filter(({ name }) => !findRobot(name)).slice(0, SHOWN_PROGRAMS)
  return html`<p class="soft">${t('robots.unlistedHint')}</p>
${renderTable(
  unlisted,
  [
    { head: t('robots.name'), cell: ({ name }) => html`<bdi>${name}</bdi>` },
    { head: t('robots.clicks'), cell: ({ clicks }) => formatCount(clicks), isNumber: true },
  ],
  { empty: t('robots.none') },
)}`
}
