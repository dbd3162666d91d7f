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
import { getLanguage, t, tAll } from '../../../texts.ts'
import { toCustomSplash } from '../../html/owner-texts.ts'
import type { Preview } from '../kit/preview.ts'
import type { Resource, Values } from '../resources/resource.ts'
import { formatMoment } from '../shell/format-day.ts'

/** A splash page. The list omits most fields. */
type ListedSplash = SplashEntry & Partial<SplashPage>

/** Defines splash pages as a kind of resource. */
export function createSplashResource(ctx: HttpContext): Resource<ListedSplash> {
  return {
    get words() {
      return { section: '/console/splashes', ...tAll('splash.words') } as const
    },
    get columns() {
      return [t('resource.created')]
    },
    nameOf: ({ name }) => name,
    cellsOf: ({ createdAt }, zone) => [{ text: formatMoment(createdAt, zone) }],
    get fields() {
      const fields = createSplashFields()
      return { create: fields, edit: fields }
    },
    valuesOf: ({ name, title = '', message = '', image, link, seconds }) => ({
      name,
      title,
      message,
      image: image ?? '',
      link: link ?? '',
      seconds: seconds ? String(seconds) : '',
    }),
    preview: {
      get note() {
        return t('resource.previewNote')
      },
      read: ({ values }) => createPreview(values),
    },
    list: (accountId, page) => listSplashes(ctx.db, accountId, page),
    get: (accountId, id) => getSplash(ctx.db, accountId, id),
    add: (accountId, values) => addSplash(ctx, ctx.db, accountId, toSplashInput(values)),
    update: (accountId, id, values) =>
      updateSplash(ctx, ctx.db, accountId, id, toSplashInput(values)),
    remove: (accountId, id) => deleteSplash(ctx, ctx.db, accountId, id),
  }
}

function createSplashFields() {
  return [
    { name: 'name', label: t('resource.name'), maxLength: 200, hint: t('resource.privateName') },
    { name: 'title', label: t('splash.heading'), maxLength: 200 },
    { name: 'message', label: t('splash.message'), type: 'multiline', maxLength: 5000 },
    { name: 'image', label: t('splash.image'), maxLength: 8192, optional: true },
    { name: 'link', label: t('splash.link'), maxLength: 8192, optional: true },
    { name: 'seconds', label: t('splash.seconds'), optional: true, hint: t('splash.secondsHint') },
  ] as const
}

/** Returns a preview of a splash page, with samples for an empty heading and message. */
function createPreview(values: Values): Preview {
  const input = toSplashInput(values)
  const { seconds, ...texts } = readSplash({
    ...input,
    name: 'preview',
    title: input.title.trim() || t('splash.sampleHeading'),
    message: input.message.trim() || t('splash.sampleMessage'),
  })
  const custom = toCustomSplash(texts)
  const language = getLanguage()
  return {
    render: (nonce) =>
      splashPage({
        nonce,
        language,
        destination: 'https://example.com/',
        custom,
        seconds: seconds ?? 0,
        isPreview: true,
      }),
    policy: splashPolicy({ custom }),
  }
}

/** Returns the input for services, which check the range of `seconds`. */
function toSplashInput({ name = '', title = '', message = '', image, link, seconds = '' }: Values) {
  const secondsText = seconds.trim()
  if (!/^\d{0,9}$/.test(secondsText))
    throw invalid('seconds', 'whole_number_range', { min: 0, max: 300 })
  return {
    name,
    title,
    message,
    image: image?.trim() || null,
    link: link?.trim() || null,
    seconds: secondsText === '' ? null : Number(secondsText),
  }
}
