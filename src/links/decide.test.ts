import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { webUrl } from '../../test/support/web-url.ts'
import type { StoredTarget } from '../db/schema/links.ts'
import { decide, type Visitor } from './decide.ts'
import type { Overlay, SplashPage, VisitLink } from './link.ts'
import { replaceTargets } from './rules/rule.ts'

const now = new Date('2026-11-21T12:00:00Z')
const later = new Date(now.getTime() + 1)
const url = 'https://example.com/'
const splash: SplashPage = { title: 't', message: 'm', image: null, link: null, seconds: 5 }
const overlay: Overlay = {
  id: 1,
  type: 'message',
  text: 'Hello',
  button: null,
  link: null,
  image: null,
  options: [],
}
const pixels = [{ type: 'vendor01pixel', tag: 'a' }]
const meta = { title: null, description: null, image: null }

type Lists = Partial<Record<'geoTargets' | 'deviceTargets' | 'languageTargets', StoredTarget[]>>

function link({
  geoTargets = [],
  deviceTargets = [],
  languageTargets = [],
  ...settings
}: Partial<VisitLink> & Lists = {}): VisitLink {
  const byCountry = replaceTargets([], 'country', geoTargets)
  const byDevice = replaceTargets(byCountry, 'device', deviceTargets)
  return {
    id: 1,
    alias: 'a',
    shortUrl: 'https://brev.example/a',
    url,
    status: 'active',
    redirect: 'direct',
    expiresAt: null,
    lifetime: null,
    split: null,
    forwarding: null,
    isForward: false,
    passwordHash: null,
    rules: replaceTargets(byDevice, 'language', languageTargets),
    parameters: [],
    meta,
    splash: null,
    overlay: null,
    pixels: [],
    createdAt: now,
    ...settings,
  }
}

/** A visitor whose other properties fail the test when a decision reads them. */
function visitor(known: Partial<Visitor> = {}): Visitor {
  const throwNeedlessRead = () => {
    throw new Error('A visitor property was read needlessly.')
  }
  return {
    country: throwNeedlessRead,
    hasDevice: throwNeedlessRead,
    bestLanguage: throwNeedlessRead,
    browser: throwNeedlessRead,
    os: throwNeedlessRead,
    query: throwNeedlessRead,
    forwardedParts: throwNeedlessRead,
    hash: throwNeedlessRead,
    isLinkPreviewBot: throwNeedlessRead,
    ...known,
  }
}

function targetOf(
  settings: Partial<VisitLink> & Lists,
  known: Partial<Visitor> = {},
): string | undefined {
  const decision = decide(link(settings), visitor(known), now)
  return 'target' in decision ? decision.target : undefined
}

describe('a visit', () => {
  test('of a plain link redirects without using visitor properties', () => {
    expect(decide(link(), visitor(), now)).toEqual({ kind: 'redirect', target: url })
  })

  test('of a disabled link gets the disabled page regardless of other settings', () => {
    const disabled = link({ status: 'disabled', expiresAt: now, passwordHash: 'x', url: 'x' })
    expect(decide(disabled, visitor(), now, { unlocked: true })).toEqual({ kind: 'disabled' })
  })

  test('of an expired link gets the expired page, never a password form', () => {
    const expiring = link({ expiresAt: now, passwordHash: 'x' })
    expect(decide(expiring, visitor(), now)).toEqual({ kind: 'expired' })
    expect(decide(expiring, visitor(), later, { unlocked: true })).toEqual({ kind: 'expired' })
    expect(decide(link({ expiresAt: later }), visitor(), now)).toEqual({
      kind: 'redirect',
      target: url,
    })
  })

  test('of a link with a password gets the password form before anything else', () => {
    const locked = link({ passwordHash: 'x', url: 'javascript:alert(1)', redirect: 'frame' })
    expect(decide(locked, visitor(), now)).toEqual({ kind: 'password' })
    expect(decide(locked, visitor(), now, {})).toEqual({ kind: 'password' })
    expect(decide(locked, visitor(), now, { unlocked: false })).toEqual({ kind: 'password' })
    expect(decide(link({ passwordHash: 'x' }), visitor(), now, { unlocked: true })).toEqual({
      kind: 'redirect',
      target: url,
    })
  })

  test.each([
    ['frame', { redirect: 'frame' }, { kind: 'frame', target: url }],
    ['splash page', { redirect: 'splash', splash }, { kind: 'splash', target: url, splash }],
    ['plain splash', { redirect: 'splash' }, { kind: 'splash', target: url, splash: null }],
    ['overlay', { redirect: 'overlay', overlay }, { kind: 'overlay', target: url, overlay }],
    ['deleted overlay', { redirect: 'overlay' }, { kind: 'redirect', target: url }],
    ['pixel', { pixels }, { kind: 'pixels', target: url }],
    [
      'deleted overlay and a pixel',
      { redirect: 'overlay', pixels },
      { kind: 'pixels', target: url },
    ],
    // Pages load the pixels themselves.
    ['frame and a pixel', { redirect: 'frame', pixels }, { kind: 'frame', target: url }],
    [
      'splash and a pixel',
      { redirect: 'splash', pixels },
      { kind: 'splash', target: url, splash: null },
    ],
    // Leftovers of a previous link type are ignored.
    ['direct link that had an overlay', { overlay, splash }, { kind: 'redirect', target: url }],
  ] satisfies [string, Partial<VisitLink>, object][])('of a %s', (_, settings, decision) => {
    expect(decide(link(settings), visitor(), now)).toEqual(decision)
  })
})

describe('a preview bot', () => {
  const bot = { isLinkPreviewBot: () => true }
  const person = { isLinkPreviewBot: () => false }

  test.each(['title', 'description', 'image'])('gets tags if the link has a %s', (name) => {
    const settings = { redirect: 'frame', pixels, meta: { ...meta, [name]: 'x' } } as const
    expect(decide(link(settings), visitor(bot), now)).toEqual({ kind: 'link-preview', target: url })
    expect(decide(link(settings), visitor(person), now)).toEqual({ kind: 'frame', target: url })
  })

  test('gets the same response as visitors if the link has no meta tags', () => {
    expect(decide(link(), visitor(bot), now)).toEqual({ kind: 'redirect', target: url })
    const empty = { title: '', description: '', image: '' }
    expect(decide(link({ meta: empty }), visitor(bot), now).kind).toBe('redirect')
  })

  test('gets no tags for a link that is expired, locked or invalid', () => {
    const tagged = { meta: { ...meta, title: 'x' } }
    const kinds = [{ status: 'disabled' }, { expiresAt: now }, { passwordHash: 'x' }, { url: 'x' }]
    expect(
      kinds.map((settings) =>
        decide(link({ ...tagged, ...(settings as Partial<VisitLink>) }), visitor(bot), now),
      ),
    ).toEqual([
      { kind: 'disabled' },
      { kind: 'expired' },
      { kind: 'password' },
      { kind: 'unfollowable' },
    ])
  })
})

describe('the destination', () => {
  const geoTargets = [
    { name: 'DE', link: 'https://de.example/' },
    { name: 'FR', link: 'https://fr.example/' },
    { name: 'FR', link: 'https://never.example/' },
  ]
  const deviceTargets = [
    { name: 'iphone', link: 'https://iphone.example/' },
    { name: 'mobile', link: 'https://mobile.example/' },
  ]
  const languageTargets = [
    { name: 'en', link: 'https://en.example/' },
    { name: 'pt-br', link: 'https://pt.example/' },
  ]
  const all = { geoTargets, deviceTargets, languageTargets }
  const french = { country: () => 'FR' }
  const foreign = { country: () => 'JP' }
  const withoutCountry = { country: () => undefined }
  const mobile = { hasDevice: (name: string) => name === 'mobile' }
  const iphone = { hasDevice: (name: string) => name === 'mobile' || name === 'iphone' }
  const desktop = { hasDevice: (name: string) => name === 'desktop' }
  const brazilian = { bestLanguage: (names: readonly string[]) => names.indexOf('pt-br') }
  const japanese = { bestLanguage: () => -1 }

  test('is the first one for the visitor’s country, without using other properties', () => {
    expect(targetOf(all, french)).toBe('https://fr.example/')
  })

  test('is the first one for the device if no country matches', () => {
    expect(targetOf(all, { ...foreign, ...mobile })).toBe('https://mobile.example/')
    expect(targetOf(all, { ...withoutCountry, ...iphone })).toBe('https://iphone.example/')
  })

  test('is the one for the language if no country or device matches', () => {
    expect(targetOf(all, { ...foreign, ...desktop, ...brazilian })).toBe('https://pt.example/')
  })

  test('is the link’s main destination if no rule matches', () => {
    expect(targetOf(all, { ...foreign, ...desktop, ...japanese })).toBe(url)
  })

  test('uses only the visitor property that its rules need', () => {
    expect(targetOf({ geoTargets }, foreign)).toBe(url)
    expect(targetOf({ deviceTargets }, desktop)).toBe(url)
    expect(targetOf({ languageTargets }, japanese)).toBe(url)
    expect(targetOf({ languageTargets }, brazilian)).toBe('https://pt.example/')
  })

  test('is validated and normalized from the stored text', () => {
    expect(targetOf({ url: 'HTTPS://Example.COM' })).toBe(url)
    expect(targetOf({ geoTargets: [{ name: 'FR', link: 'http://B.example:80' }] }, french)).toBe(
      'http://b.example/',
    )
  })

  test('is not validated again if it is the link’s main destination', () => {
    const href = 'https://checked.example/'
    expect(targetOf({ href })).toBe(href)
    expect(targetOf({ href, geoTargets }, french)).toBe('https://fr.example/')
  })

  test.each(['javascript:alert(1)', 'java\nscript:alert(1)', 'https://a@b.example', '', 'x'])(
    'the invalid destination %j is neither followed nor replaced by another',
    (invalidUrl) => {
      const unfollowable = { kind: 'unfollowable' }
      const parameters = [{ name: 'a', value: 'b' }]
      expect(decide(link({ url: invalidUrl }), visitor(), now)).toEqual(unfollowable)
      expect(decide(link({ url: invalidUrl, parameters, pixels }), visitor(), now)).toEqual(
        unfollowable,
      )
      const targeted = link({ href: url, geoTargets: [{ name: 'FR', link: invalidUrl }] })
      expect(decide(targeted, visitor(french), now)).toEqual(unfollowable)
    },
  )

  test.each([
    ['https://example.com/', 'https://example.com/?ref=a+b%26c'],
    ['https://example.com/?', 'https://example.com/?ref=a+b%26c'],
    ['https://example.com/#top', 'https://example.com/?ref=a+b%26c#top'],
    ['https://example.com/?q=%20~#/a?b', 'https://example.com/?q=%20~&ref=a+b%26c#/a?b'],
  ])('%s with a parameter is %s', (before, after) => {
    const parameters = [{ name: 'ref', value: 'a b&c' }]
    expect(targetOf({ url: before, parameters })).toBe(after)
    const decision = { kind: 'frame', target: after }
    expect(decide(link({ url: before, parameters, redirect: 'frame' }), visitor(), now)).toEqual(
      decision,
    )
  })

  test('keeps its query and appends the parameters in order', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 12 })
    const parameter = fc.record({ name: word, value: word })
    const target = webUrl({ withQueryParameters: true, withFragments: true })
    fc.assert(
      fc.property(target, fc.array(parameter, { maxLength: 5 }), (destination, parameters) => {
        const before = new URL(destination)
        const after = new URL(targetOf({ url: destination, parameters }) ?? '')
        expect(after.search.startsWith(before.search)).toBe(true)
        const added = [...after.searchParams].slice([...before.searchParams].length)
        expect(added).toEqual(parameters.map(({ name, value }) => [name, value]))
        before.search = ''
        after.search = ''
        expect(after.href).toBe(before.href)
      }),
    )
  })
})
