import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { invalid } from '../../errors.ts'
import { splashPage, splashPolicy } from '../../pages/splash.ts'
import type { SplashEntry, SplashPage } from '../../splash/splash.service.ts'
import {
  addSplash,
  deleteSplash,
  getSplash,
  listSplashes,
  readSplash,
  updateSplash,
} from '../../splash/splash.service.ts'
import { getLanguage, t, tAll } from '../../texts.ts'
import { toCustomSplash } from '../html/owner-texts.ts'
import { defineForm } from './kit/form.ts'
import type { Preview } from './kit/preview.ts'
import { registerResource } from './resources/resource.ts'
import { formatMoment } from './shell/format.ts'

/** A splash page. The list omits most fields. */
type ListedSplash = SplashEntry & Partial<SplashPage>

const form = defineForm({
  name: { label: 'resource.name', maxLength: 200, hint: 'resource.privateName' },
  title: { label: 'splash.heading', maxLength: 200 },
  message: { label: 'splash.message', type: 'multiline', maxLength: 5000 },
  image: { label: 'splash.image', maxLength: 8192, optional: true },
  link: { label: 'splash.link', maxLength: 8192, optional: true },
  seconds: { label: 'splash.seconds', optional: true, hint: 'splash.secondsHint' },
})

type Values = ReturnType<typeof form.read>

/** Registers splash pages: their list, and their form with a preview. */
export function registerSplashRoutes(app: FastifyInstance, ctx: HttpContext): void {
  registerResource(app, {
    section: '/console/splashes',
    words: () => tAll('splash.words'),
    nameOf: ({ name }: ListedSplash) => name,
    columns: (zone) => [
      { head: t('resource.created'), cell: ({ createdAt }) => formatMoment(createdAt, zone) },
    ],
    list: (accountId, slice) => listSplashes(ctx.db, accountId, slice),
    get: (accountId, id) => getSplash(ctx.db, accountId, id),
    remove: (accountId, id) => deleteSplash(ctx, ctx.db, accountId, id),
    form,
    valuesOf: (splash) => ({ ...splash, seconds: splash.seconds || null }),
    preview: { note: 'resource.previewNote', draw: drawPreview },
    add: (accountId, values) => addSplash(ctx, ctx.db, accountId, toInput(values)),
    update: (accountId, id, values) => updateSplash(ctx, ctx.db, accountId, id, toInput(values)),
  })
}

/** Draws a splash page, with samples for an empty heading and message. */
function drawPreview(values: Values): Preview {
  const input = toInput(values)
  const { seconds, ...texts } = readSplash({
    ...input,
    name: 'preview',
    title: input.title.trim() || t('splash.sampleHeading'),
    message: input.message.trim() || t('splash.sampleMessage'),
  })
  const custom = toCustomSplash(texts)
  const page = {
    language: getLanguage(),
    destination: 'https://example.com/',
    custom,
    seconds: seconds ?? 0,
    isPreview: true,
  }
  return { render: (nonce) => splashPage({ nonce, ...page }), policy: splashPolicy({ custom }) }
}

/** Returns the input for services, which check the range of `seconds`. */
function toInput({ image, link, seconds, ...texts }: Values) {
  const digits = seconds.trim()
  if (!/^\d{0,9}$/.test(digits))
    throw invalid('seconds', 'whole_number_range', { min: 0, max: 300 })
  return {
    ...texts,
    image: image.trim() || null,
    link: link.trim() || null,
    seconds: digits === '' ? null : Number(digits),
  }
}
