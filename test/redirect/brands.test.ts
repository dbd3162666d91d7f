import sharp from 'sharp'
import { describe, expect } from 'vitest'
import { setBrand } from '../../src/domains/brand.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

const createLogo = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c01c28' } })
    .png()
    .toBuffer()

describe('the brand of a domain', () => {
  test('replaces the Brevis logo and color on all pages of that domain only', async ({
    app,
    make,
  }) => {
    const owner = await make.owner()
    const domain = await make.domain(owner, { domain: 'https://brand.test' })
    const links = {
      password: await make.link(owner, { domain: domain.host, password: 'x' }),
      splash: await make.link(owner, { domain: domain.host, type: 'splash' }),
      frame: await make.link(owner, { domain: domain.host, type: 'frame' }),
    }
    const open = (path: string, host = 'brand.test') =>
      app.request({ url: path, headers: { host, 'accept-language': 'de' } })
    const paths = [
      '/nothing-here',
      `/${links.password.alias}`,
      `/${links.splash.alias}`,
      `/${links.splash.alias}+`,
      `/${links.splash.alias}+report`,
      `/${links.frame.alias}`,
    ]
    expect((await open(paths[0] ?? '')).body).toContain('Brevis')
    await setBrand(scopeOf(app.services, owner.account.id), domain.id, {
      accent: '#c01c28',
      footer: true,
      logo: await createLogo(900, 300),
    })
    for (const path of paths) {
      const { body, headers } = await open(path)
      expect([path, body.includes('Brevis')]).toEqual([path, false])
      expect([path, body.includes('/favicon.svg')]).toEqual([path, false])
      if (path !== `/${links.frame.alias}`) {
        expect(body).toContain('<p class="own-logo"><img src="data:image/png;base64,')
      }
      expect(body).toContain('--accent:#')
      expect(headers['content-security-policy']).toContain('data:')
    }
    // Other domains and the service itself are unchanged.
    const plainDomain = await make.domain(await make.owner(), { domain: 'https://plain.test' })
    expect((await open('/nothing-here', plainDomain.host)).body).toContain('Brevis')
    expect((await open('/nothing-here', 'brev.test')).body).toContain('Brevis')

    await setBrand(scopeOf(app.services, owner.account.id), domain.id, {
      accent: null,
      footer: false,
      logo: null,
    })
    const { body } = await open('/nothing-here')
    expect(body).not.toContain('Brevis')
    expect(body).not.toContain('own-logo"')
  })

  test('cannot have an invalid color or logo, or be changed by another account', async ({
    app,
    make,
  }) => {
    const owner = await make.owner()
    const { id } = await make.domain(owner, { domain: 'https://wrong.test' })
    const updateBrand = (input: { accent?: string; logo?: Buffer }) =>
      setBrand(scopeOf(app.services, owner.account.id), id, {
        accent: null,
        footer: true,
        ...input,
      })
    await expect(updateBrand({ accent: 'red;}' })).rejects.toThrow('accent')
    await expect(updateBrand({ logo: Buffer.from('<svg/>') })).rejects.toThrow('logo')
    // Noise, which PNG cannot compress well.
    const largeImage = await sharp(
      Buffer.from(Array.from({ length: 400 * 400 * 3 }, (_, n) => (n * 7919) % 251)),
      {
        raw: { width: 400, height: 400, channels: 3 },
      },
    )
      .png()
      .toBuffer()
    // A large logo is compressed, or rejected if it stays too large.
    await updateBrand({ logo: largeImage }).catch((error: Error) =>
      expect(error.message).toContain('logo'),
    )
    const otherOwner = await make.owner()
    await expect(
      setBrand(scopeOf(app.services, otherOwner.account.id), id, {
        accent: null,
        footer: true,
      }),
    ).rejects.toThrow()
  })
})
