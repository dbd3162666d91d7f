import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { webUrl } from '../../test/support/web-url.ts'
import { decide, type Visitor } from './decide.ts'
import type { Overlay, SplashPage, VisitLink } from './link.ts'
import { replaceTargets, type StoredTarget } from './rules/rule.ts'

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
/** The decision to redirect to the main destination. */
const redirected = { kind: 'redirect', destination: url }
const meta = { title: null, description: null, image: null }

type TargetLists = Partial<
  Record<'geoTargets' | 'deviceTargets' | 'languageTargets', StoredTarget[]>
>

/** Creates a link whose rules are made from the lists of targets. */
function createLink({
  geoTargets = [],
  deviceTargets = [],
  languageTargets = [],
  ...settings
}: Partial<VisitLink> & TargetLists = {}): VisitLink {
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
    isCode: false,
    needsConfirmation: false,
    findOwnRobot: undefined,
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

/** Creates a visitor with these properties. Reading any other property throws an error. */
function createVisitor(properties: Partial<Visitor> = {}): Visitor {
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
    ...properties,
  }
}

function decideDestination(
  settings: Partial<VisitLink> & TargetLists,
  known: Partial<Visitor> = {},
): string | undefined {
  const decision = decide(createLink(settings), createVisitor(known), now)
  return 'destination' in decision ? decision.destination : undefined
}

describe('a visit', () => {
  test('of a plain link redirects without using visitor properties', () => {
    expect(decide(createLink(), createVisitor(), now)).toEqual(redirected)
  })

  test('of a disabled link gets the disabled page regardless of other settings', () => {
    const disabled = createLink({ status: 'disabled', expiresAt: now, passwordHash: 'x', url: 'x' })
    expect(decide(disabled, createVisitor(), now, { unlocked: true })).toEqual({ kind: 'disabled' })
  })

  test('of an expired link gets the expired page, never a password form', () => {
    const expiring = createLink({ expiresAt: now, passwordHash: 'x' })
    expect(decide(expiring, createVisitor(), now)).toEqual({ kind: 'expired' })
    expect(decide(expiring, createVisitor(), later, { unlocked: true })).toEqual({
      kind: 'expired',
    })
    expect(decide(createLink({ expiresAt: later }), createVisitor(), now)).toEqual(redirected)
  })

  test('of a link with a password gets the password form before anything else', () => {
    const locked = createLink({ passwordHash: 'x', url: 'javascript:alert(1)', redirect: 'frame' })
    expect(decide(locked, createVisitor(), now)).toEqual({ kind: 'password' })
    expect(decide(locked, createVisitor(), now, {})).toEqual({ kind: 'password' })
    expect(decide(locked, createVisitor(), now, { unlocked: false })).toEqual({ kind: 'password' })
    expect(
      decide(createLink({ passwordHash: 'x' }), createVisitor(), now, { unlocked: true }),
    ).toEqual(redirected)
  })

  test.each([
    ['frame', { redirect: 'frame' }, { kind: 'frame', destination: url }],
    ['splash page', { redirect: 'splash', splash }, { kind: 'splash', destination: url, splash }],
    ['plain splash', { redirect: 'splash' }, { kind: 'splash', destination: url, splash: null }],
    ['overlay', { redirect: 'overlay', overlay }, { kind: 'overlay', destination: url, overlay }],
    ['deleted overlay', { redirect: 'overlay' }, redirected],
    ['pixel', { pixels }, { kind: 'pixels', destination: url }],
    [
      'deleted overlay and a pixel',
      { redirect: 'overlay', pixels },
      { kind: 'pixels', destination: url },
    ],
    // Pages load the pixels themselves.
    ['frame and a pixel', { redirect: 'frame', pixels }, { kind: 'frame', destination: url }],
    [
      'splash and a pixel',
      { redirect: 'splash', pixels },
      { kind: 'splash', destination: url, splash: null },
    ],
    // Leftovers of a previous link type are ignored.
    ['direct link that had an overlay', { overlay, splash }, redirected],
  ] satisfies [string, Partial<VisitLink>, object][])(
    'is decided by the properties of the link: %s',
    (_, settings, decision) => {
      expect(decide(createLink(settings), createVisitor(), now)).toEqual(decision)
    },
  )
})

describe('a preview bot', () => {
  const bot = { isLinkPreviewBot: () => true }
  const person = { isLinkPreviewBot: () => false }

  test.each(['title', 'description', 'image'])('gets meta tags if the link has a %s', (name) => {
    const settings = { redirect: 'frame', pixels, meta: { ...meta, [name]: 'x' } } as const
    expect(decide(createLink(settings), createVisitor(bot), now)).toEqual({
      kind: 'link-preview',
      destination: url,
    })
    expect(decide(createLink(settings), createVisitor(person), now)).toEqual({
      kind: 'frame',
      destination: url,
    })
  })

  test('gets the same reply as visitors if the link has no meta tags', () => {
    expect(decide(createLink(), createVisitor(bot), now)).toEqual(redirected)
    const empty = { title: '', description: '', image: '' }
    expect(decide(createLink({ meta: empty }), createVisitor(bot), now).kind).toBe('redirect')
  })

  test('gets no meta tags for a link that is expired, locked or invalid', () => {
    const withMetaTags = { meta: { ...meta, title: 'x' } }
    const kinds = [{ status: 'disabled' }, { expiresAt: now }, { passwordHash: 'x' }, { url: 'x' }]
    expect(
      kinds.map((settings) =>
        decide(
          createLink({ ...withMetaTags, ...(settings as Partial<VisitLink>) }),
          createVisitor(bot),
          now,
        ),
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
    expect(decideDestination(all, french)).toBe('https://fr.example/')
  })

  test('is the first one for the device if no country matches', () => {
    expect(decideDestination(all, { ...foreign, ...mobile })).toBe('https://mobile.example/')
    expect(decideDestination(all, { ...withoutCountry, ...iphone })).toBe('https://iphone.example/')
  })

  test('is the one for the language if no country or device matches', () => {
    expect(decideDestination(all, { ...foreign, ...desktop, ...brazilian })).toBe(
      'https://pt.example/',
    )
  })

  test('is the link’s main destination if no rule matches', () => {
    expect(decideDestination(all, { ...foreign, ...desktop, ...japanese })).toBe(url)
  })

  test('is found with only the visitor properties that the rules need', () => {
    expect(decideDestination({ geoTargets }, foreign)).toBe(url)
    expect(decideDestination({ deviceTargets }, desktop)).toBe(url)
    expect(decideDestination({ languageTargets }, japanese)).toBe(url)
    expect(decideDestination({ languageTargets }, brazilian)).toBe('https://pt.example/')
  })

  test('is validated and normalized from the stored text', () => {
    expect(decideDestination({ url: 'HTTPS://Example.COM' })).toBe(url)
    expect(
      decideDestination({ geoTargets: [{ name: 'FR', link: 'http://B.example:80' }] }, french),
    ).toBe('http://b.example/')
  })

  test('is not validated again if it is the link’s main destination', () => {
    const href = 'https://checked.example/'
    expect(decideDestination({ href })).toBe(href)
    expect(decideDestination({ href, geoTargets }, french)).toBe('https://fr.example/')
  })

  test.each(['javascript:alert(1)', 'java\nscript:alert(1)', 'https://a@b.example', '', 'x'])(
    'is neither followed nor replaced by another if it is invalid: %j',
    (invalidUrl) => {
      const unfollowable = { kind: 'unfollowable' }
      const parameters = [{ name: 'a', value: 'b' }]
      expect(decide(createLink({ url: invalidUrl }), createVisitor(), now)).toEqual(unfollowable)
      expect(
        decide(createLink({ url: invalidUrl, parameters, pixels }), createVisitor(), now),
      ).toEqual(unfollowable)
      const targeted = createLink({ href: url, geoTargets: [{ name: 'FR', link: invalidUrl }] })
      expect(decide(targeted, createVisitor(french), now)).toEqual(unfollowable)
    },
  )

  test.each([
    ['https://example.com/', 'https://example.com/?ref=a+b%26c'],
    ['https://example.com/?', 'https://example.com/?ref=a+b%26c'],
    ['https://example.com/#top', 'https://example.com/?ref=a+b%26c#top'],
    ['https://example.com/?q=%20~#/a?b', 'https://example.com/?q=%20~&ref=a+b%26c#/a?b'],
  ])('is extended by a parameter: %s to %s', (before, after) => {
    const parameters = [{ name: 'ref', value: 'a b&c' }]
    expect(decideDestination({ url: before, parameters })).toBe(after)
    const decision = { kind: 'frame', destination: after }
    expect(
      decide(createLink({ url: before, parameters, redirect: 'frame' }), createVisitor(), now),
    ).toEqual(decision)
  })

  test('keeps its query and appends the parameters in order', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 12 })
    const parameter = fc.record({ name: word, value: word })
    const destination = webUrl({ withQueryParameters: true, withFragments: true })
    fc.assert(
      fc.property(destination, fc.array(parameter, { maxLength: 5 }), (destination, parameters) => {
        const before = new URL(destination)
        const after = new URL(decideDestination({ url: destination, parameters }) ?? '')
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
