import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { splashPage, splashPolicy } from '../../pages/splash.ts'
import { splashes } from '../../resources/splashes.ts'
import { getLanguage, t } from '../../texts.ts'
import { toCustomSplash } from '../html/owner-texts.ts'
import type { FormValues, Specs } from './kit/form.ts'
import type { Preview } from './kit/preview.ts'
import { enterValues, registerResourcePages } from './resources/pages.ts'

/** Registers splash pages: their list, and their form with a preview. */
export function registerSplashRoutes(app: FastifyInstance, ctx: HttpContext): void {
  registerResourcePages(app, ctx, splashes, {
    valuesOf: (splash) => ({ ...splash, seconds: splash.seconds || null }),
    preview: { note: 'resource.previewNote', draw: drawPreview },
  })
}

/** Draws a splash page, with samples for an empty heading and message. */
function drawPreview(entered: FormValues<Specs>): Preview {
  const values = enterValues(splashes, entered)
  const { seconds, ...texts } = splashes.read({
    ...values,
    name: 'preview',
    title: values.title?.trim() || t('splash.sampleHeading'),
    message: values.message?.trim() || t('splash.sampleMessage'),
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
