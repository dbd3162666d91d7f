import { expect } from 'vitest'
import { flags } from '../../src/http/console/flags.ts'
import { findCountryCode, listCountryNames } from '../../src/visitors/country-names.ts'
import { linkPageTest } from '../support/link-page.ts'

const test = linkPageTest()

const FLAG =
  /<img class="flag" src="(\/console\/assets\/[\w-]+\/flag-DE\.svg)" width="21" height="14" alt="" loading="lazy"> <bdi>(?:<a [^>]+>)?Germany</

test('shows flags next to countries, also in full lists and on public pages', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const { id, alias } = await make.link(owner)
  for (const remoteAddress of ['194.25.0.1', '127.0.0.1']) {
    await app.request({ url: `/${alias}`, remoteAddress })
  }
  await app.importClicks()
  const path = `/console/links/${id}`
  await person.send(`${path}/share`)
  const { body } = await person.open(path)
  const [, shared = ''] = /id="shared" data-text="http:\/\/brev\.test([^"]+)"/.exec(body) ?? []
  const pages = [await person.open(`${path}/countries`), await request({ url: shared })]
  for (const page of [body, ...pages.map((reply) => reply.body)]) {
    expect(page).toMatch(FLAG)
    // The country of the other visit is unknown, so it has no flag.
    expect(page).toContain('Unknown')
    expect(page.match(/class="flag"/g)).toHaveLength(1)
  }
  const [, src = ''] = FLAG.exec(body) ?? []
  const flag = await request({ url: src })
  expect([flag.statusCode, flag.headers['content-type'], flag.headers['cache-control']]).toEqual([
    200,
    'image/svg+xml; charset=utf-8',
    'public, max-age=31536000, immutable',
  ])
  expect(flag.body).toMatch(/^<svg xmlns="[^"]+" viewBox=/)
  for (const name of ['flag-ZZ.svg', 'flag-de.svg', 'flag-.svg', 'flag-DE']) {
    const reply = await request({ url: src.replace('flag-DE.svg', name) })
    expect([name, reply.statusCode]).toEqual([name, 404])
  }
})

test('every country has a small flag without scripts, styles or references', () => {
  const codes = listCountryNames().map((name) => findCountryCode(name) ?? name)
  expect(codes.filter((code) => !flags.has(code))).toEqual([])
  for (const [code, svg] of flags) {
    expect(code).toMatch(/^[A-Z]{2}$/)
    expect(svg.length).toBeLessThan(6000)
    expect(svg).not.toMatch(/<script|<style|<image|href|url\(http|\son\w+=/i)
  }
})
