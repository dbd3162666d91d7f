import { describe, expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { formOf, postForm } from '../support/forms.ts'
import { appTest } from '../support/test.ts'

const kinds = ['direct', 'frame', 'splash', 'custom splash', 'overlay'] as const

const DESTINATION = 'https://example.com/target'

const PIXELS_FILE = JSON.stringify({ vendor01pixel: 'https://pixel.example/p?id={tag}' })

const test = appTest({ files: { PIXELS_FILE } }).extend(
  'pixelLinks',
  { scope: 'file' },
  ({ make, owner }) => {
    async function createLinkWithPixel(input: object) {
      const pixel = await make.pixel(owner, { tag: 'ab:1' })
      return make.link(owner, { pixels: [pixel.id], ...input })
    }
    /** Creates the splash page or overlay that a kind of link needs, and returns its `type`. */
    async function createType(kind: (typeof kinds)[number]): Promise<string> {
      if (kind === 'custom splash') return String((await make.splash(owner)).id)
      if (kind === 'overlay') return `overlay-${(await make.overlay(owner)).id}`
      return kind
    }
    return { createLinkWithPixel, createType }
  },
)

describe('pixels', () => {
  test('are loaded by a page before a direct link redirects, if their provider is configured', async ({
    app,
    make,
    owner,
    request,
  }) => {
    const pixel = await make.pixel(owner, { type: 'vendor01pixel', tag: 'ab:1' })
    const unconfiguredPixel = await make.pixel(owner, { type: 'vendor02pixel' })
    const { id, alias } = await make.link(owner, { pixels: [pixel.id, unconfiguredPixel.id] })
    const { body } = await request({ url: `/${alias}` })
    expect(body).toContain('https://pixel.example/p?id=ab%3A1')
    expect(body.match(/class="beacon"/g)).toHaveLength(1)
    expect(body).toContain(DESTINATION)
    expect(await app.clicksOf(owner, id)).toBe(1)
  })

  const ORIGIN = 'https://pixel.example'
  const PIXEL_IMAGE = `<img class="beacon" src="${ORIGIN}/p?id=ab%3A1" alt="" width="1" height="1">`
  type Reply = Awaited<ReturnType<TestApp['request']>>
  const readPixels = ({ body, headers }: Reply) => ({
    images: body.split(PIXEL_IMAGE).length - 1,
    isAllowed: /img-src ([^;]*)/
      .exec(String(headers['content-security-policy']))?.[1]
      ?.split(' ')
      .includes(ORIGIN),
  })
  const LOADED = { images: 1, isAllowed: true }
  const NOT_LOADED = { images: 0, isAllowed: false }

  test.for(kinds)(
    'are loaded once and allowed by the policy: %s',
    async (kind, { make, owner, request, pixelLinks: { createLinkWithPixel, createType } }) => {
      const { alias } = await createLinkWithPixel({ type: await createType(kind) })
      expect(readPixels(await request({ url: `/${alias}` }))).toEqual(LOADED)
      const linkWithoutPixels = await make.link(owner, { type: await createType(kind) })
      expect(readPixels(await request({ url: `/${linkWithoutPixels.alias}` })).images).toBe(0)
    },
  )

  test.for(kinds)(
    'are loaded after the password is entered: %s',
    async (kind, { app, request, pixelLinks: { createLinkWithPixel, createType } }) => {
      const { alias } = await createLinkWithPixel({
        type: await createType(kind),
        password: 'open sesame',
      })
      expect(readPixels(await request({ url: `/${alias}` }))).toEqual(NOT_LOADED)
      expect(readPixels(await postForm(app, `/${alias}`, { password: 'open' }))).toEqual(NOT_LOADED)
      expect(readPixels(await postForm(app, `/${alias}`, { password: 'open sesame' }))).toEqual(
        LOADED,
      )
    },
  )

  test('are loaded with an overlay, but not after its form is submitted', async ({
    app,
    make,
    owner,
    request,
    pixelLinks: { createLinkWithPixel },
  }) => {
    const { id } = await make.overlay(owner, { type: 'newsletter' })
    const { alias } = await createLinkWithPixel({ type: `overlay-${id}` })
    const { cookie, csrf } = formOf(await request({ url: `/${alias}` }))
    const respond = (email: string) => postForm(app, `/${alias}`, { csrf, email }, { cookie })
    const rejected = await respond('nonsense')
    const accepted = await respond('ann@example.com')
    expect([rejected.statusCode, accepted.statusCode]).toEqual([400, 200])
    expect([readPixels(rejected), readPixels(accepted)]).toEqual([NOT_LOADED, NOT_LOADED])
  })
})
