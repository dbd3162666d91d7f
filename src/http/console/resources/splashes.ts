import type { HttpContext } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { splashPage, splashPolicy } from '../../../pages/splash.ts'
import {
  addSplash,
  deleteSplash,
  getSplash,
  listSplashes,
  updateSplash,
} from '../../../splash/splash.service.ts'
import type { SplashEntry, SplashPage } from '../../../splash/splash.ts'
import { readSplash } from '../../../splash/splash-input.ts'
import { customSplash } from '../../html/owner-texts.ts'
import type { Preview } from '../preview.ts'
import { formatMoment } from '../shell/format-day.ts'
import type { Resource, Values } from './resource.ts'

type Listed = SplashEntry & Partial<SplashPage>

export function splashResource(ctx: HttpContext): Resource<Listed> {
  const fields: Resource<Listed>['fields']['make'] = [
    { name: 'name', label: 'Name', maxLength: 200, hint: 'Only you see this name.' },
    { name: 'title', label: 'Heading', maxLength: 200 },
    { name: 'message', label: 'Message', type: 'multiline', maxLength: 5000 },
    { name: 'image', label: 'Image URL', maxLength: 8192, optional: true },
    { name: 'link', label: 'Image link', maxLength: 8192, optional: true },
    {
      name: 'seconds',
      label: 'Auto-continue after (seconds)',
      optional: true,
      hint: 'Leave blank to wait for a click.',
    },
  ]
  return {
    words: {
      section: '/console/splashes',
      name: 'splash page',
      many: 'Splash pages',
      about: 'An interstitial page shown before the destination.',
      deletion: 'Links using it fall back to the default page.',
    },
    columns: ['Created'],
    nameOf: ({ name }) => name,
    cellsOf: ({ createdAt }, zone) => [{ text: formatMoment(createdAt, zone) }],
    fields: { make: fields, change: fields },
    valuesOf: ({ name, title = '', message = '', image, link, seconds }) => ({
      name,
      title,
      message,
      image: image ?? '',
      link: link ?? '',
      seconds: seconds ? String(seconds) : '',
    }),
    preview: {
      note: 'Preview. Buttons are disabled.',
      read: ({ values }) => previewOf(values),
    },
    list: (accountId, page) => listSplashes(ctx.db, accountId, page),
    get: (accountId, id) => getSplash(ctx.db, accountId, id),
    add: (accountId, values) => addSplash(ctx, ctx.db, accountId, inputOf(values)),
    update: (accountId, id, values) => updateSplash(ctx, ctx.db, accountId, id, inputOf(values)),
    remove: (accountId, id) => deleteSplash(ctx, ctx.db, accountId, id),
  }
}

/** Previews a splash page with placeholders for empty fields. */
function previewOf(values: Values): Preview {
  const input = inputOf(values)
  const { seconds, ...texts } = readSplash({
    ...input,
    name: 'Preview',
    title: input.title.trim() || 'The heading',
    message: input.message.trim() || 'The message',
  })
  const custom = customSplash(texts)
  return {
    draw: (nonce) =>
      splashPage({
        nonce,
        language: 'en',
        target: 'https://example.com/',
        custom,
        seconds: seconds ?? 0,
        still: true,
      }),
    policy: splashPolicy({ custom }),
  }
}

function inputOf({ name = '', title = '', message = '', image, link, seconds = '' }: Values) {
  const given = seconds.trim()
  if (!/^\d{0,9}$/.test(given)) throw invalid('seconds', 'must be a whole number from 0 to 300')
  return {
    name,
    title,
    message,
    image: image?.trim() || null,
    link: link?.trim() || null,
    seconds: given === '' ? null : Number(given),
  }
}
