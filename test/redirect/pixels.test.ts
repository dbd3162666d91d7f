import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { formOf, postForm } from '../support/forms.ts'
import type { Owner } from '../support/make.ts'

let t: TestApp
let owner: Owner

const TARGET = 'https://example.com/target'

beforeAll(async () => {
  const PIXELS_FILE = JSON.stringify({ vendor01pixel: 'https://pixel.example/p?id={tag}' })
  t = await testApp({ files: { PIXELS_FILE } })
  owner = await t.make.owner()
})
afterAll(() => t.close())

describe('pixels', () => {
  test('a direct link with pixels fires them on a page and goes on', async () => {
    const pixel = await t.make.pixel(owner, { type: 'vendor01pixel', tag: 'ab:1' })
    const other = await t.make.pixel(owner, { type: 'vendor02pixel' })
    const { id, alias } = await t.make.link(owner, { pixels: [pixel.id, other.id] })
    const { body } = await t.request({ url: `/${alias}` })
    expect(body).toContain('https://pixel.example/p?id=ab%3A1')
    expect(body.match(/class="beacon"/g)).toHaveLength(1)
    expect(body).toContain(TARGET)
    expect(await t.clicksOf(owner, id)).toBe(1)
  })

  const ORIGIN = 'https://pixel.example'
  const BEACON = `<img class="beacon" src="${ORIGIN}/p?id=ab%3A1" alt="" width="1" height="1">`
  type Reply = Awaited<ReturnType<typeof t.request>>
  const fires = ({ body, headers }: Reply) => ({
    beacons: body.split(BEACON).length - 1,
    allowed: /img-src ([^;]*)/
      .exec(String(headers['content-security-policy']))?.[1]
      ?.split(' ')
      .includes(ORIGIN),
  })
  const ONCE = { beacons: 1, allowed: true }
  const NEVER = { beacons: 0, allowed: false }

  async function withPixel(input: object) {
    const pixel = await t.make.pixel(owner, { tag: 'ab:1' })
    return t.make.link(owner, { pixels: [pixel.id], ...input })
  }

  const kinds: Record<string, () => Promise<string> | string> = {
    direct: () => 'direct',
    frame: () => 'frame',
    splash: () => 'splash',
    'custom splash': async () => String((await t.make.splash(owner)).id),
    overlay: async () => `overlay-${(await t.make.overlay(owner)).id}`,
  }

  test.each(Object.entries(kinds))('%s: fire once and are allowed to', async (_kind, type) => {
    const { alias } = await withPixel({ type: await type() })
    expect(fires(await t.request({ url: `/${alias}` }))).toEqual(ONCE)
    const without = await t.make.link(owner, { type: await type() })
    expect(fires(await t.request({ url: `/${without.alias}` })).beacons).toBe(0)
  })

  test.each(Object.entries(kinds))(
    '%s: fire after the password, not before',
    async (_kind, type) => {
      const { alias } = await withPixel({ type: await type(), password: 'open sesame' })
      expect(fires(await t.request({ url: `/${alias}` }))).toEqual(NEVER)
      expect(fires(await postForm(t, `/${alias}`, { password: 'open' }))).toEqual(NEVER)
      expect(fires(await postForm(t, `/${alias}`, { password: 'open sesame' }))).toEqual(ONCE)
    },
  )

  test('fire with an overlay, but not with the answers to its form', async () => {
    const { id } = await t.make.overlay(owner, { type: 'newsletter' })
    const { alias } = await withPixel({ type: `overlay-${id}` })
    const { cookie, csrf } = formOf(await t.request({ url: `/${alias}` }))
    const answer = (email: string) => postForm(t, `/${alias}`, { csrf, email }, { cookie })
    const [refused, taken] = [await answer('nonsense'), await answer('ann@example.com')]
    expect([refused.statusCode, taken.statusCode]).toEqual([400, 200])
    expect([fires(refused), fires(taken)]).toEqual([NEVER, NEVER])
  })
})
