import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { readUnlistedPrograms } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { t } from '../../../texts.ts'
import { renderUntitledPanel } from '../kit/parts.ts'
import { renderPrograms } from '../robots.ts'
import { defineAdminSubject } from './layout.ts'

const MAX_PROGRAMS = 200

/** Registers the programs of all accounts that are in no list. */
export function registerUnlistedRoute(app: FastifyInstance, ctx: HttpContext): void {
  const { page } = defineAdminSubject(app, '/console/operator/robots')

  page('/robots', 'viewer', async () => {
    const programs = await readUnlistedPrograms(ctx.db, { now: ctx.clock(), limit: MAX_PROGRAMS })
    return {
      title: t('robots.unlisted'),
      body: () => html`<h1>${t('robots.unlisted')}</h1>
<p class="soft">${t('admin.robots.intro')}</p>
${renderUntitledPanel(t('robots.unlisted'), renderPrograms(programs, ctx.clients))}`,
    }
  })
}
